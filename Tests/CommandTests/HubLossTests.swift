// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("What a disk loses of a hub is named", .waitsForPrograms, .timeLimit(.minutes(60)))
struct HubLossTests {
  private let bench = FleetBench()

  private func verify() -> Outcome { bench.hub.run("hub", "verify", "fleet") }

  /// A hub with two recordings of a host that has freed the first; returns the name of that one's log.
  private func freed() throws -> String {
    let one = try bench.roundOfOne(recordings: 2)
    #expect(one.run("rm", "1").status == 0)
    return try #require(bench.recordings(in: "fleet/logs/pump-1").first)
  }

  @Test(
    "a log that is gone is named by one round and by every verify; what was derived from it stays, and the log may come back"
  )
  func lostLog() throws {
    let name = try freed()
    let before = bench.tables()
    let lost = "neither in fleet/logs/pump-1 nor in its trash"
    for _ in 1...2 {
      #expect(bench.hub.shell("mv fleet/logs/pump-1/\(name) away").status == 0)
      let found = verify().expect(65, lost)
      #expect(!found.talk.contains("of no recording here"), "\(found.talk)")
      bench.round().expect(65, lost)
      #expect(bench.tables() == before)
      let second = bench.round()
      #expect(second.status == 0 && second.talk.isEmpty, "\(second.talk)")
      // The files alone show it, too.
      #expect(bench.hub.shell("rm fleet/rows/pump-1").status == 0)
      #expect(bench.round().status == 0)
      #expect(bench.contents(of: "samples") == before[0])
      #expect(bench.contents(of: "features") == before[1])
      let again = verify().expect(65, lost)
      #expect(!again.talk.contains("of no recording here"), "\(again.talk)")
      #expect(bench.hub.shell("mv away fleet/logs/pump-1/\(name)").status == 0)
      #expect(bench.round().status == 0)
      #expect(bench.tables() == before)
      #expect(verify().status == 0)
    }
  }

  /// Changes a byte of the only file of labels in a store, and returns its path.
  private func damageLabels(in store: String) throws -> String {
    let names = bench.hub.directory.names(in: store + "/.labels").filter { $0.hasSuffix(".labels") }
    let path = "\(store)/.labels/\(try #require(names.first))"
    bench.hub.directory.change(path) { $0[14] ^= 0x20 }
    return path
  }

  @Test("damaged labels are named with their file, and take no label out of the tables")
  func damagedLabels() throws {
    _ = try bench.roundOfOne(recordings: 2)
    #expect(bench.logs(of: "pump-1").run("label", "1", "0s..1s", "running").status == 0)
    #expect(bench.round().status == 0)
    let before = bench.tables()
    let path = try damageLabels(in: "fleet/logs/pump-1")
    for outcome in [verify(), bench.round(), bench.round(), verify()] {
      outcome.expect(65, "recording 1: \(path) is damaged (line 1 of its labels is damaged")
      #expect(!outcome.talk.contains("is not what is derived"), "\(outcome.talk)")
      #expect(bench.tables() == before)
    }
    #expect(bench.hub.shell("rm \(path)").status == 0)
    #expect(bench.logs(of: "pump-1").run("label", "1", "0s..1s", "running").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.tables() == before)
    #expect(verify().status == 0)
  }

  @Test("labels that are damaged on their machine are named with their file, and none is lost here")
  func damagedLabelsThere() throws {
    let one = try bench.roundOfOne(recordings: 1)
    for name in ["walking", "running"] {
      #expect(one.run("label", "1", "0s..1s", name).status == 0)
    }
    #expect(bench.round().status == 0)
    let before = bench.tables()
    let path = try damageLabels(in: "one")
    for _ in 1...2 {
      bench.round().expect(65, "\(path) is damaged there (line 1 of its labels is damaged")
      #expect(bench.tables() == before)
    }
    #expect(bench.hub.shell("rm \(path)").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.tables() == before)
  }

  @Test("what is said of a changed log brings it back, also where its machine freed it")
  func changedAfterFreeing() throws {
    let name = "fleet/logs/pump-1/" + (try freed())
    let before = bench.tables()
    bench.hub.directory.change(name) { $0[$0.count / 2] ^= 4 }
    for outcome in [verify(), bench.round()] {
      outcome.expect(65, "if its machine freed it, restore it there first")
    }
    #expect(bench.tables() == before)
    #expect(bench.machine("one").run("restore", "1").status == 0)
    #expect(bench.logs(of: "pump-1").run("rm", "1").status == 0)
    bench.round().expect(0)
    #expect(bench.tables() == before)
    #expect(verify().status == 0)
  }

  @Test("the row of a recovered recording names the damaged one that it was made from")
  func recovered() throws {
    let one = bench.machine("one")
    try one.record("--for", "60s", "--rate", "100")
    let path = "one/" + (try #require(bench.recordings(in: "one").first))
    bench.hub.directory.change(path) { $0[2 * 4096 + 2000] ^= 0x10 }
    #expect(one.run("recover", "1").output == "2\n")
    bench.hosts("pump-1 = one\n")
    _ = bench.round()
    let source = try #require(try one.run("info", "1", "--json").json()["id"].text)
    let rows = bench.text(of: "rows/pump-1").split(separator: "\n").filter {
      $0.contains(" made ")
    }
    #expect(rows.count == 2)
    let named = rows.filter { $0.contains("\"recovered_from\":\"\(source)\"") }
    #expect(named.count == 1 && named[0].contains("\"number\":2"))
    let table = bench.text(of: "recordings/host=pump-1/recordings.parquet")
    #expect(table.contains("recovered_from"))
    #expect(verify().status == 0)
  }

  @Test("what is left of a lost log goes with its samples file, once the loss was named")
  func givenUp() throws {
    let name = try freed()
    let id = name.split(separator: "-")[2].prefix(8)
    bench.hub.shell("rm fleet/logs/pump-1/\(name) && rm fleet/samples/*/*/\(id)*").expect(0)
    bench.round().expect(65)
    #expect(bench.contents(of: "features").count == 2)
    #expect(bench.round().talk.isEmpty)
    #expect(bench.contents(of: "features").count == 1)
    #expect(verify().status == 0)
  }

  @Test("a lost log is given up by its samples file also where its row was lost with it")
  func givenUpWithoutRows() throws {
    let name = try freed()
    let id = name.split(separator: "-")[2].prefix(8)
    #expect(bench.hub.shell("rm fleet/logs/pump-1/\(name) fleet/rows/pump-1").status == 0)
    #expect(bench.round().status == 65)
    #expect(verify().talk.contains("nor in its trash"))
    #expect(bench.hub.shell("rm fleet/samples/*/*/\(id)*").status == 0)
    #expect(bench.round().status == 0)
    let found = verify()
    #expect(!found.talk.contains("nor in its trash"), "\(found.talk)")
    let rest = bench.contents(of: "features").keys.filter { $0.contains(id) }
    let isNamed = rest.allSatisfy { found.talk.contains("\($0) belongs to no recording here") }
    #expect(isNamed, "\(found.talk)")
  }

  @Test("a recording that a person removed, and that left the trash before any round, is not lost")
  func removed() throws {
    _ = try freed()
    #expect(bench.logs(of: "pump-1").run("rm", "1").status == 0)
    bench.hub.run("hub", "prune", "fleet", "--most-bytes", "1TB", "--empty-trash").expect(0)
    let round = bench.round()
    #expect(round.status == 0 && round.talk.isEmpty, "\(round.talk)")
    #expect(bench.contents(of: "samples").count == 1)
    #expect(verify().status == 0)
  }
}
