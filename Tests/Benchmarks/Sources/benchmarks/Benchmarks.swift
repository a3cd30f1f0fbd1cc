// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The measurements that need the program's parts rather than the program: one subcommand each, which prints one
/// JSON object. `Tests/Benchmarks/measure` runs them beside their peers.
///
///     benchmarks encode | decode | ndjson | flush LOG…
///     benchmarks ring | ring-c PAIRS
///     benchmarks clock HERTZ
///
/// Exit code 0, or 64 for wrong arguments, or 1 with a sentence when a log cannot be read.
@main
enum Benchmarks {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first, arguments.count > 1 else { usage() }
    let rest = Array(arguments.dropFirst())
    do {
      switch name {
      case "encode": print(try encodeSpeed(rest))
      case "decode": print(try decodeSpeed(rest))
      case "ndjson": print(try exportSpeed(rest))
      case "flush": print(try flushSize(rest))
      case "ring", "ring-c":
        guard let pairs = UInt64(rest[0]) else { usage() }
        print(name == "ring" ? swiftRing(pairs: pairs) : cRing(pairs: pairs))
      case "clock":
        guard let hertz = Double(rest[0]), (50...2000).contains(hertz) else { usage() }
        print(clockErrors(hertz: hertz))
      default: usage()
      }
    } catch {
      stop("\(error)", code: 1)
    }
  }

  private static func usage() -> Never {
    stop(
      "give encode, decode, ndjson or flush and logs, or ring, ring-c or clock and a number",
      code: 64)
  }

  private static func stop(_ sentence: String, code: Int32) -> Never {
    let bytes = Array("benchmarks: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
    exit(code)
  }
}
