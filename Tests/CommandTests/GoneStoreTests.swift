// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("A store that disappears during a recording", .waitsForPrograms, .timeLimit(.minutes(60)))
struct GoneStoreTests {
  /// How the store disappears.
  enum Way: CaseIterable {
    case renamed
    case replaced
    case deleted

    func perform(_ bench: Bench) throws {
      switch self {
      case .renamed: rename(bench.store, bench.store + "-away")
      case .replaced:
        rename(bench.store, bench.store + "-away")
        mkdir(bench.store, 0o755)
      case .deleted:
        for name in bench.directory.names(in: "store") { unlink("\(bench.store)/\(name)") }
        rmdir(bench.store)
      }
    }
  }

  private static let live = [
    "record", "--board", "simulator", "--rate", "100", "--until-stopped", "--sync-every", "50ms",
  ]

  @Test("ends the recording with a sentence and exit status 74", arguments: Way.allCases)
  func record(_ way: Way) throws {
    var bench = Bench()
    let child = try bench.startRecording(GoneStoreTests.live)
    try way.perform(bench)
    let outcome = child.outcome()
    expectSentence(
      outcome.withoutBeginning, 74,
      ["recording 1 is gone", bench.store, "deleted, moved, replaced"])
    #expect(outcome.bytes.isEmpty)
    // The next recording creates the store again.
    #expect(try bench.record("--for", "1s") == "1")
    guard way == .renamed else { return }
    // In the store that was moved its part is whole.
    bench.environment["IMULOG_STORE"] = bench.store + "-away"
    let json = try bench.run("info", "1", "--json").json()
    json.expect(["state": "complete", "stopReason": "storageError"])
    #expect(bench.run("verify", "1").status == 0)
  }

  @Test("is reported at the end of a recording that is synced only at its end, in JSON too")
  func atTheEnd() throws {
    let bench = Bench()
    // Fast, so that a page fills and is written before the end.
    let child = try bench.startRecording(
      [
        "record", "--board", "simulator", "--motion", "tumble", "--rate", "1000",
        "--until-stopped", "--sync-every", "0", "--json",
      ])
    try Way.renamed.perform(bench)
    child.signal(SIGINT)
    let outcome = child.outcome()
    expectSentence(outcome.withoutBeginning, 74, ["recording 1 is gone"])
    let json = try outcome.json()
    #expect(json["ticks"] == .null)
  }
}
