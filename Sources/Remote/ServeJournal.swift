// SPDX-License-Identifier: Apache-2.0

import Glibc
package import IMUModel
import LinuxIO
import Text

/// The record of requests, a line each, in a file or in the system's log.
package struct ServeJournal {
  private let descriptor: Int32?

  /// - Parameter path: The file, which is created if missing; `nil` for the system's log.
  package init(path: String?) throws(CommandFailure) {
    guard let path else {
      descriptor = nil
      return
    }
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else {
      throw CommandFailure(
        .cannotCreate,
        "cannot open \(path): \(Errno.words(errno)); choose another --log FILE")
    }
    self.descriptor = descriptor
  }

  /// Records a request that is carried out.
  ///
  /// - Parameter words: As ``RequestTokeniser`` made them, printable ASCII.
  package func served(_ words: [String]) {
    write("serves \(words.joined(separator: " "))\(ServeJournal.origin)", isRefusal: false)
  }

  func noted(_ words: String) {
    write("\(words)\(ServeJournal.origin)", isRefusal: false)
  }

  package func refused(_ request: [UInt8], _ reason: String) {
    // It must not contain a line end or imitate another line.
    let shown = request.prefix(200).map { byte in
      (0x20...0x7E).contains(byte) && byte != 0x22 && byte != 0x5C
        ? String(Character(Unicode.Scalar(byte)))
        : "\\x" + Plain.hexadecimal(byte)
    }
    let rest = request.count > 200 ? "..." : ""
    write(
      "refuses \"\(shown.joined())\(rest)\"\(ServeJournal.origin): \(reason)", isRefusal: true)
  }

  /// The client's address, from sshd.
  private static var origin: String {
    let words = Environment.value("SSH_CONNECTION")?.split(separator: " ") ?? []
    return words.count == 4 ? " from \(words[0])" : ""
  }

  private func write(_ line: String, isRefusal: Bool) {
    let line = ForeignText.shown(line)
    guard let descriptor else { return SystemLog.write(line, isRefusal: isRefusal) }
    let now = SystemClock().readWallClock().wall / 1_000_000_000 * 1_000_000_000
    let bytes = Array("\(RFC3339.text(nanoseconds: now)) \(line)\n".utf8)
    // A log that cannot be written stops no request.
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
