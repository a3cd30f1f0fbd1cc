import Glibc
import Testing

@Suite("Help says what is written in Help/")
struct HelpTests {
  @Test(
    "each help is the text that was committed",
    arguments: ["imulog", "record", "list", "info", "export", "import", "verify", "rm", "boards"])
  func help(_ verb: String) throws {
    let bench = Bench()
    let outcome = bench.run((verb == "imulog" ? [] : [verb]) + ["--help"])
    let path = Child.products + "/imulog_CommandTests.resources/Help/\(verb).txt"
    #expect(outcome.status == 0)
    #expect(outcome.talk.isEmpty)
    expectSame(outcome.bytes, Array(try text(at: path).utf8))
  }

  @Test("the program alone prints its help, and its version when asked")
  func bare() {
    let bench = Bench()
    #expect(bench.run([]).output == bench.run("--help").output)
    #expect(bench.run("--version").output == "0.1.0\n")
  }

  private func text(at path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0, "cannot open \(path): errno \(errno)")
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
  }
}
