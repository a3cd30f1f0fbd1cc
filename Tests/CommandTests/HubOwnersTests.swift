// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite(
  "A hub takes each recording from one host", .waitsForPrograms, .timeLimit(.minutes(15)))
struct HubOwnersTests {
  private let bench = FleetBench()

  @Test(
    "labels that are set after a host got another name reach the recordings that came by the earlier one"
  )
  func renamed() throws {
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "2s") }
    bench.hosts("a = one site=bergen\n")
    #expect(bench.round().status == 0)
    bench.hosts("b = one site=oslo\n")
    #expect(bench.round().status == 0)
    let table = bench.contents(of: "recordings/host=a")
    #expect(one.run("label", "2", "0s..1s", "walk").status == 0)
    bench.round().expect(0)
    #expect(bench.logs(of: "a").run("label", "2").output.contains("walk"))
    #expect(bench.contents(of: "recordings/host=a") != table)
    #expect(bench.recordings(in: "fleet/logs/b").isEmpty)
    #expect(bench.hub.run("hub", "verify", "fleet").status == 0)
    bench.expectNoNews()
    #expect(one.run("label", "2", "--remove", "0s..1s", "walk").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "recordings/host=a") == table)
    // Its earlier recordings stay as they are when it has no line at all, but for what is removed here.
    #expect(bench.logs(of: "a").run("rm", "2").status == 0)
    bench.hosts("")
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "samples").count == 1)
  }

  @Test(
    "a recording whose line of the ledger is damaged or lost keeps its place before other bytes of its UUID",
    arguments: ["pump-1 = one\npump-2 = twin\n", "pump-2 = twin\npump-1 = one\n"],
    ["damaged", "lost"])
  func unproved(_ order: String, _ what: String) throws {
    try bench.machine("one").record("--for", "1s")
    let name = try #require(bench.recordings(in: "one").first)
    let log = bench.hub.directory.bytes(of: "one/" + name)
    bench.hosts("pump-1 = one\n")
    #expect(bench.round().status == 0)
    let right = bench.contents(of: "recordings/host=pump-1")
    if what == "lost" {
      #expect(bench.hub.shell("rm fleet/ledger/pump-1").status == 0)
    } else {
      bench.hub.directory.change("fleet/ledger/pump-1") { $0[$0.count / 2] ^= 1 }
    }
    var other = log
    other[other.count - 40] ^= 1
    mkdir(bench.machine("twin").store, 0o755)
    bench.hub.directory.write(other, to: "twin/" + name)
    bench.hosts(order)
    for round in 1...2 {
      let outcome = bench.round("--jobs", "1")
      #expect(outcome.status == (round == 1 && what == "lost" ? 0 : 65), "\(outcome.talk)")
      #expect(bench.hub.directory.bytes(of: "fleet/logs/pump-1/" + name) == log)
      #expect(bench.recordings(in: "fleet/logs/pump-2").isEmpty)
      #expect(bench.contents(of: "recordings/host=pump-1") == right)
      #expect(bench.contents(of: "samples").count == 1)
    }
  }

  @Test("a recording in the stores of two hosts is named, by a round and by verify")
  func elsewhere() throws {
    try bench.machine("one").record("--for", "1s")
    #expect(bench.hub.shell("cp -r one two").status == 0)
    bench.hosts("pump-1 = one\n")
    #expect(bench.round().status == 0)
    #expect(bench.logs(of: "pump-1").run("rm", "1").status == 0)
    bench.hosts("pump-2 = two\n")
    #expect(bench.round().status == 0)
    #expect(bench.logs(of: "pump-1").run("restore", "latest").status == 0)
    bench.expectSentences(
      bench.round(), "recording 1: it is in the store of pump-1 too, where it counts")
    // It counts once.
    #expect(bench.contents(of: "samples").count == 1)
    #expect(bench.contents(of: "samples").keys.allSatisfy { $0.contains("host=pump-1/") })
    bench.expectFinding("it is in the store of pump-1 too")
    #expect(bench.logs(of: "pump-2").run("rm", "1").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.hub.run("hub", "verify", "fleet").status == 0)
    #expect(bench.contents(of: "samples").count == 1)
  }
}
