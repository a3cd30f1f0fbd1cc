// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("recover makes a whole recording from the intact parts of a damaged one", .waitsForPrograms)
struct RecoverCommandTests {
  private let bench = Bench()
  private let table = ["--format", "csv", "--units", "raw"]

  /// Lines of a recording's table.
  private func rows(_ id: String) -> [String] { bench.run(["export", id] + table).lines }

  @Test("the ticks of a damaged page become gaps with the cause lost, and all other samples stay")
  func damagedPage() throws {
    try bench.record("--for", "60s", "--rate", "100", "--motion", "tumble", "--note", "left")
    let whole = rows("1")
    bench.directory.change(try bench.logName()) { $0[2 * 4096 + 2000] ^= 0x10 }
    let left = rows("1")
    let source = try bench.run("export", "1").json()
    let outcome = bench.run("recover", "1")
    expectSentence(
      outcome, 65,
      ["recording 2 has \(left.count - 1) samples of recording 1", "1 damaged part", "ticks lost"])
    #expect(outcome.output == "2\n")

    #expect(rows("2") == left && left.count < whole.count)
    #expect(bench.run("verify", "2").status == 0)
    let json = try bench.run("export", "2").expect(0).json()
    json.expect(["ticks.lost": .integer(Int64(whole.count - left.count)), "note": "left"])
    #expect(json["recoveredFrom"] == source["id"] && json["id"] != source["id"])
    #expect(try bench.list().first?["state"] == .string("recovered"))
    // Once more, it does not change.
    bench.run("recover", "2").expect(0, "of recording 2, and nothing is missing")
    #expect(rows("3") == left)
  }

  @Test("a log whose first page is damaged is recovered by the copy of its header")
  func damagedHeader() throws {
    try bench.record("--for", "60s", "--rate", "100", "--motion", "tumble")
    let name = try bench.logName()
    bench.directory.change(name) { $0[100] ^= 0x10 }
    bench.refuses("recover \(name)", 65, "1 damaged part")
    #expect(bench.run("verify", "2").status == 0)
    #expect(rows("2").count > 3000)
  }

  @Test("the damaged log stays unchanged, and its intact parts can be recovered into another store")
  func elsewhere() throws {
    try bench.record("--for", "10s", "--rate", "100")
    let name = try bench.logName()
    let before = bench.directory.change(name) { $0.removeLast(3) }
    let other = bench.directory.path + "/other"
    #expect(bench.run("recover", name, "--store", other).output == "1\n")
    expectSame(bench.directory.bytes(of: name), before)
    #expect(bench.recordings.count == 1)
    #expect(bench.run("export", "1", "--store", other).status == 0)
  }

  @Test("a file that is not a log is refused, and nothing is written")
  func noLog() throws {
    try bench.record("--for", "100ms")
    let before = bench.inventory()
    for (text, words) in [
      ("t_us,ax\n0,1\n", ["not an imulog recording"]), ("", ["is empty"]),
      (String(repeating: "\0", count: 5000), ["nothing was written"]),
    ] {
      let outcome = bench.run("recover", bench.file("file.imulog", text))
      expectSentence(outcome, 65, words)
      #expect(outcome.bytes.isEmpty)
    }
    #expect(bench.inventory() == before)
  }
}
