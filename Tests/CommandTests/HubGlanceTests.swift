// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("A hub at a glance", .waitsForPrograms, .timeLimit(.minutes(60)))
struct HubGlanceTests {
  private let bench = FleetBench()

  private func status(_ options: String...) -> Outcome {
    bench.hub.run(["hub", "status", "fleet", "--hosts", "hosts"] + options)
  }

  @Test("status shows when each host was seen, what is here, and what it reported about itself")
  func shown() throws {
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "1s") }
    try bench.machine("two").record("--for", "1s")
    bench.hosts("pump-1 = one site=bergen\npump-2 = two\npump-3 = three\n")
    bench.round().expect(69, "not all of pump-3 is here; the lines above say why")
    let outcome = status("--json").expect(0)
    let hosts = try outcome.json()["hosts"]
    #expect(hosts.items.map { $0["host"].text } == ["pump-1", "pump-2", "pump-3"])
    hosts[0].expect(["labels.site": "bergen", "recordings": 2, "backlog": 0])
    let verdicts = hosts[0]["verdicts"]
    let counts = ["good", "flawed", "damaged"].map { verdicts[$0] }
    #expect(counts.contains(.integer(2)))
    let machine = hosts[0]["machine"]
    machine.expect(["software": "0.1.0", "recorder": .null])
    guard case .integer(let offset) = machine["clockOffset_ns"],
      case .integer(let free) = machine["free_bytes"]
    else {
      Issue.record("no clock or no space: \(machine)")
      return
    }
    #expect(abs(offset) < 10_000_000_000)
    #expect(free > 0)
    let newest = try #require(try one.list().first?["started"].text)
    #expect(hosts[0]["lastRecording"].text?.prefix(19) == newest.prefix(19))
    #expect(hosts[0]["seen"].text?.hasSuffix("Z") == true)
    #expect(hosts[0]["problem"] == .null)
    hosts[2].expect(["seen": .null, "machine": .null, "backlog": .null])
    #expect(hosts[2]["problem"].text?.contains("cannot connect to three") == true)
    let table = status()
    let third = try #require(table.lines.first { $0.hasPrefix("pump-3") })
    let cells = third.split(separator: " ").prefix(5).map { String($0) }
    #expect(cells == ["pump-3", "never", "-", "0", "?"], "\(third)")
    #expect(table.output.hasPrefix("HOST "))
  }

  @Test("a host that is silent stays as it was seen, and --check says so by its status")
  func silence() throws {
    _ = try bench.roundOfOne(recordings: 1)
    #expect(status("--check", "1h").status == 0)
    let seen = try status("--json").json()["hosts"][0]["seen"]
    let path = bench.hub.directory.path
    #expect(rename("\(path)/one", "\(path)/away") == 0)
    #expect(bench.round().status == 69)
    let host = try status("--json").json()["hosts"][0]
    #expect(host["seen"] == seen)
    #expect(host["machine"]["software"] == .string("0.1.0"))
    #expect(host["problem"].text?.contains("cannot connect to one") == true)
    #expect(status("--check", "1h").status == 1)
    #expect(rename("\(path)/away", "\(path)/one") == 0)
    #expect(bench.round().status == 0)
    #expect(try status("--json").json()["hosts"][0]["problem"] == .null)
    // As if the last round were two hours ago.
    #expect(bench.hub.shell("touch -d '2 hours ago' fleet/state/pump-1").status == 0)
    #expect(status("--check", "1h").status == 1)
    #expect(status("--check", "1d").status == 0)
    // As if the hub's clock had been ahead.
    #expect(bench.hub.shell("touch -d '2 days' fleet/state/pump-1").status == 0)
    #expect(status("--check", "1d").status == 1)
  }

  @Test("list chooses by the time that it shows, and not by that in a file's name")
  func listTimes() throws {
    let log = try ExampleLog(ticks: 20)
    bench.hub.directory.makeDirectory("one")
    // It began in 1970, by a clock that was set later.
    bench.hub.directory.write(
      log.bytes, to: "one/000001-20261121T023807Z-\("\(log.description.id)".prefix(8)).imulog")
    func count(_ options: String...) throws -> Int {
      try bench.machine("one").run(["list", "--json"] + options).json()["recordings"].items.count
    }
    #expect(try count() == 1)
    #expect(try count("--since", "2020-01-01") == 0)
    #expect(try count("--until", "2000-01-01") == 1)
    #expect(try count("--since", "1970-01-01T00:00:00Z", "--until", "1970-01-01T00:00:02Z") == 1)
    // To the nanosecond.
    let started = try #require(
      try bench.machine("one").run("list", "--json").json()["recordings"][0]["started"].text)
    #expect(try count("--since", started) == 1 && count("--until", started) == 0)
    let part = started.dropLast() + (started.contains(".") ? "1Z" : ".001Z")
    #expect(try count("--until", String(part)) == 1 && count("--since", String(part)) == 0)
  }

  @Test("a list shows times beyond those of 64 bits of nanoseconds as they are")
  func farTimes() throws {
    let one = bench.machine("one")
    bench.hub.directory.makeDirectory("one")
    bench.hub.directory.write([1, 2, 3], to: "one/000001-99981231T235958Z-0123abcd.imulog")
    #expect(
      try one.run("list", "--json").json()["recordings"][0]["started"]
        == .string("9998-12-31T23:59:58Z"))
    #expect(one.run("list").output.contains("unreadable"))
    let part = "one/.part-01234567-89ab-4def-8123-456789abcdef"
    bench.hub.directory.write([1, 2, 3], to: part)
    #expect(bench.hub.shell("touch -d 2400-02-03T04:05:06Z \(part)").status == 0)
    let copy = try one.run("list", "--partial", "--json").json()["copies"][0]
    copy.expect(["changed": "2400-02-03T04:05:06Z", "expires": "2400-03-04T04:05:06Z"])
  }

  @Test("an older far end loses nothing by the question, and its version is unknown")
  func olderFarEnd() throws {
    let one = bench.machine("one")
    try one.record("--for", "1s")
    bench.hosts("pump-1 = one\n")
    // An imulog that does not know the question closes the connection at it.
    let older = bench.ssh("sed -u '/^machine$/{s/.*/what/;q}' | serve one")
    let outcome = older.run(["hub", "fleet", "--hosts", "hosts", "--json"]).expect(0)
    #expect(try outcome.json()["hosts"][0]["fetched"] == .integer(1))
    let host = try status("--json").json()["hosts"][0]
    #expect(host["machine"] == .null)
    #expect(host["seen"] != .null)
  }

  @Test("list shows the recordings of all hosts, newest first, and those that are asked for")
  func list() throws {
    let (one, two) = (bench.machine("one"), bench.machine("two"))
    try one.record("--for", "1s", "--note", "a")
    try two.record("--for", "1s", "--note", "b")
    try one.record("--for", "1s", "--note", "c")
    #expect(one.run("label", "2", "0s..1s", "walk").status == 0)
    bench.hosts("pump-1 = one\npump-2 = two\n")
    #expect(bench.round().status == 0)
    func list(_ options: String...) -> Outcome {
      bench.hub.run(["--store", "fleet", "list"] + options)
    }
    func notes(_ options: String...) throws -> [String?] {
      let outcome = bench.hub.run(["--store", "fleet", "list", "--json"] + options).expect(0)
      return try outcome.json()["recordings"].items.map { $0["note"].text }
    }
    let all = try notes()
    #expect(Set(all) == ["a", "b", "c"])
    #expect(all.first != "a")
    #expect(try notes("--host", "pump-1") == ["c", "a"])
    #expect(try notes("--label", "walk") == ["c"])
    #expect(try notes("--since", "1h").count == 3)
    #expect(try notes("--until", "1h").isEmpty)
    #expect(try notes("--until", "2001-01-01").isEmpty)
    #expect(try notes("--since", "2001-01-01T00:00:00Z", "--host", "pump-2") == ["b"])
    let first = try list("--json").json()["recordings"][0]
    #expect(["pump-1", "pump-2"].contains(first["host"].text))
    #expect(list().output.hasPrefix("HOST "))
    #expect(list("--host", "pump-9").status == 66)
    #expect(list("--since", "yesterday").status == 64)
    #expect(list("--trash").status == 64)
    // A store has no hosts; the times choose there too.
    #expect(one.run("list", "--host", "pump-1").status == 64)
    #expect(try one.run("list", "--json", "--until", "1h").json()["recordings"].items.isEmpty)
    #expect(try one.run("list", "--json", "--since", "1h").json()["recordings"].items.count == 2)
  }

  @Test("what is found, seen and would be pruned has no date by a clock that is wrong")
  func undated() throws {
    try bench.machine("one").record("--for", "1s")
    try bench.machine("card").record("--for", "2s")
    bench.hosts("pump-1 = one\n")
    func seen() throws -> JSON { try bench.status()[0]["seen"] }
    /// The words of the ledger's lines that are about an identity.
    func ledger(_ id: String) -> [Substring] {
      bench.text(of: "ledger/pump-1").split(separator: "\n").filter { $0.contains(id) }
        .map { $0.split(separator: " ")[1] }
    }
    #expect(bench.round().status == 0)
    #expect(try seen() != .null)
    // A log that a person put here.
    bench.hub.shell(
      "cp card/*.imulog fleet/logs/pump-1/000009-20200101T000000Z-$(ls card | cut -c25-32).imulog"
    ).expect(0)
    // A far end whose clock shows the year 2100.
    let ahead = bench.ssh(
      "serve one | sed -u 's/^fact time .*/fact time 4102444800000000000/'")
    #expect(ahead.run("hub", "fleet", "--hosts", "hosts").status == 78)
    let id = try #require(try bench.machine("card").list().first?["id"].text)
    #expect(ledger(id) == ["found", "undated"])
    #expect(try seen() == .null)
    let table = status()
    #expect(table.lines.last?.hasPrefix("pump-1  -  ") == true, "\(table.output)")
    let plan = bench.hub.run("hub", "prune", "fleet", "--most-bytes", "1B", "--print")
    #expect(plan.lines.contains { $0.hasPrefix("pump-1 9 - ") }, "\(plan.output)")
    #expect(plan.lines.contains { $0.hasPrefix("pump-1 1 20") }, "\(plan.output)")
    #expect(bench.round().status == 0)
    #expect(ledger(id) == ["found", "undated", "dated"])
    #expect(bench.contents(of: "samples").count == 2)
    #expect(try seen() != .null)
  }
}
