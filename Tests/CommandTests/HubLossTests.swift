// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("What a disk loses of a hub is named", .waitsForPrograms, .timeLimit(.minutes(60)))
struct HubLossTests {
  private let bench = FleetBench()
  private static let parts = ["samples", "features", "recordings"]

  private func tables() -> [[String: [UInt8]]] {
    HubLossTests.parts.map { bench.contents(of: $0) }
  }

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
    let before = tables()
    let lost = "neither in fleet/logs/pump-1 nor in its trash"
    for _ in 1...2 {
      #expect(bench.hub.shell("mv fleet/logs/pump-1/\(name) away").status == 0)
      let found = verify()
      #expect(found.status == 65 && found.talk.contains(lost), "\(found.talk)")
      #expect(!found.talk.contains("of no recording here"), "\(found.talk)")
      let round = bench.round()
      #expect(round.status == 65 && round.talk.contains(lost), "\(round.talk)")
      #expect(tables() == before)
      let second = bench.round()
      #expect(second.status == 0 && second.talk.isEmpty, "\(second.talk)")
      // The files alone show it, too.
      #expect(bench.hub.shell("rm fleet/rows/pump-1").status == 0)
      #expect(bench.round().status == 0)
      #expect(bench.contents(of: "samples") == before[0])
      #expect(bench.contents(of: "features") == before[1])
      let again = verify()
      #expect(again.status == 65 && again.talk.contains(lost), "\(again.talk)")
      #expect(!again.talk.contains("of no recording here"), "\(again.talk)")
      #expect(bench.hub.shell("mv away fleet/logs/pump-1/\(name)").status == 0)
      #expect(bench.round().status == 0)
      #expect(tables() == before)
      #expect(verify().status == 0)
    }
  }

  /// Changes a byte of the only file of labels in a store, and returns its path.
  private func damageLabels(in store: String) throws -> String {
    let names = bench.hub.directory.names(in: store + "/.labels").filter { $0.hasSuffix(".labels") }
    let path = "\(store)/.labels/\(try #require(names.first))"
    var bytes = bench.hub.directory.bytes(of: path)
    bytes[14] ^= 0x20
    bench.hub.directory.write(bytes, to: path)
    return path
  }

  @Test("damaged labels are named with their file, and take no label out of the tables")
  func damagedLabels() throws {
    _ = try bench.roundOfOne(recordings: 2)
    #expect(bench.logs(of: "pump-1").run("label", "1", "0s..1s", "running").status == 0)
    #expect(bench.round().status == 0)
    let before = tables()
    let path = try damageLabels(in: "fleet/logs/pump-1")
    for outcome in [verify(), bench.round(), bench.round(), verify()] {
      #expect(outcome.status == 65)
      #expect(
        outcome.talk.contains("recording 1: \(path) is damaged (line 1 of its labels is damaged"),
        "\(outcome.talk)")
      #expect(!outcome.talk.contains("is not what is derived"), "\(outcome.talk)")
      #expect(tables() == before)
    }
    #expect(bench.hub.shell("rm \(path)").status == 0)
    #expect(bench.logs(of: "pump-1").run("label", "1", "0s..1s", "running").status == 0)
    #expect(bench.round().status == 0)
    #expect(tables() == before)
    #expect(verify().status == 0)
  }

  @Test("labels that are damaged on their machine are named with their file, and none is lost here")
  func damagedLabelsThere() throws {
    let one = try bench.roundOfOne(recordings: 1)
    for name in ["walking", "running"] {
      #expect(one.run("label", "1", "0s..1s", name).status == 0)
    }
    #expect(bench.round().status == 0)
    let before = tables()
    let path = try damageLabels(in: "one")
    for _ in 1...2 {
      bench.round().expect(65, "\(path) is damaged there (line 1 of its labels is damaged")
      #expect(tables() == before)
    }
    #expect(bench.hub.shell("rm \(path)").status == 0)
    #expect(bench.round().status == 0)
    #expect(tables() == before)
  }

  @Test("what is said of a changed log brings it back, also where its machine freed it")
  func changedAfterFreeing() throws {
    let name = "fleet/logs/pump-1/" + (try freed())
    let before = tables()
    var log = bench.hub.directory.bytes(of: name)
    log[log.count / 2] ^= 4
    bench.hub.directory.write(log, to: name)
    for outcome in [verify(), bench.round()] {
      #expect(outcome.status == 65)
      #expect(outcome.talk.contains("if its machine freed it, restore it there first"))
    }
    #expect(tables() == before)
    #expect(bench.machine("one").run("restore", "1").status == 0)
    #expect(bench.logs(of: "pump-1").run("rm", "1").status == 0)
    bench.round().expect(0)
    #expect(tables() == before)
    #expect(verify().status == 0)
  }

  @Test("the row of a recovered recording names the damaged one that it was made from")
  func recovered() throws {
    let one = bench.machine("one")
    try one.record("--for", "60s", "--rate", "100")
    let path = "one/" + (try #require(bench.recordings(in: "one").first))
    var log = bench.hub.directory.bytes(of: path)
    log[2 * 4096 + 2000] ^= 0x10
    bench.hub.directory.write(log, to: path)
    #expect(one.run("recover", "1").output == "2\n")
    bench.hosts("pump-1 = one\n")
    _ = bench.round()
    let source = try #require(try one.run("info", "1", "--json").json()["id"].text)
    let rows = String(decoding: bench.hub.directory.bytes(of: "fleet/rows/pump-1"), as: UTF8.self)
      .split(separator: "\n").filter { $0.contains(" made ") }
    #expect(rows.count == 2)
    let named = rows.filter { $0.contains("\"recovered_from\":\"\(source)\"") }
    #expect(named.count == 1 && named[0].contains("\"number\":2"))
    let table = bench.hub.directory.bytes(of: "fleet/recordings/host=pump-1/recordings.parquet")
    #expect(String(decoding: table, as: UTF8.self).contains("recovered_from"))
    #expect(verify().status == 0)
  }

  @Test("what is left of a lost log goes with its samples file, once the loss was named")
  func givenUp() throws {
    let name = try freed()
    let id = name.split(separator: "-")[2].prefix(8)
    #expect(
      bench.hub.shell(
        "rm fleet/logs/pump-1/\(name) && rm fleet/samples/*/*/\(id)*"
      ).status == 0)
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
