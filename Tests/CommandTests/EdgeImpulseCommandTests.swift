// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("Documents for Edge Impulse are signed, and a file for each part", .waitsForPrograms)
struct EdgeImpulseCommandTests {
  /// Two seconds at 10 Hz.
  private func recorded() throws -> Bench {
    let bench = Bench()
    try bench.record("--for", "2s", "--motion", "tumble")
    return bench
  }

  @Test("a key from a file or the environment signs alike; what is no key is refused in a sentence")
  func signed() throws {
    var bench = try recorded()
    let directory = TemporaryDirectory()
    directory.write(Array("secret\r\n".utf8), to: "key")
    directory.write([], to: "empty")
    directory.write(Array("one\ntwo\n".utf8), to: "two")
    let words = ["export", "1", "--format", "edge-impulse"]
    func file(_ name: String) -> [String] { ["--hmac-key-file", "\(directory.path)/\(name)"] }
    let unsigned = bench.run(words)
    let signed = bench.run(words + file("key")).expect(0)
    #expect(signed.output.contains(#""alg":"HS256""#))
    #expect(unsigned.output.contains(#""alg":"none""#))
    for name in ["empty", "two"] {
      expectSentence(bench.run(words + file(name)), 78, ["/\(name) has no key", "one line"])
    }
    expectSentence(bench.run(words + file("none")), 66, ["/none"])
    bench.refuses(
      "export 1 --format csv --hmac-key-file \(directory.path)/key", 64, "--hmac-key-file", "csv")
    bench.environment["IMULOG_HMAC_KEY"] = "secret"
    expectSame(bench.run(words).bytes, signed.bytes)
    #expect(bench.run("export", "1", "--format", "csv").status == 0)
  }

  @Test(
    "a directory has the axes of the mounting, as one document has, and refuses what that refuses")
  func corrected() throws {
    let bench = Bench()
    try bench.record("--for", "2s", "--motion", "tumble", "--axes=-z,y,x")
    let path = bench.directory.path
    let words = ["export", "1", "--format", "edge-impulse", "-o"]
    let (file, directory) = (
      bench.run(words + ["\(path)/one.json"]), bench.run(words + ["\(path)/d/"])
    )
    #expect(file.status == 0 && directory.status == 0)
    #expect(directory.talk.contains("the axes are those of the mounting"))
    expectSame(bench.directory.bytes(of: "d/d.1.json"), bench.directory.bytes(of: "one.json"))
    expectSentence(bench.run(words + ["\(path)/d"]), 73, ["is not an empty directory", "-o DIR/"])
    bench.directory.makeDirectory("empty")
    #expect(bench.run(words + ["\(path)/empty"]).status == 0)
    #expect(bench.directory.names(in: "empty") == ["empty.1.json"])
    expectSentence(bench.run(words + ["\(path)/e/", "--calibrated"]), 64, ["no calibration"])
    expectSentence(
      bench.run(words + ["\(path)/e/", "--fill", "hold"]), 64, ["--fill does not go with -o DIR/"])
    #expect(!bench.directory.names().contains("e"))
  }
}
