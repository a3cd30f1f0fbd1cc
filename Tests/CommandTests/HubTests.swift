// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestScheduling

@Suite("A hub's rounds", .waitsForPrograms, .timeLimit(.minutes(15)))
struct HubTests {
  private let bench = FleetBench()

  @Test(
    "a round brings each host's recordings into its store, and makes samples and a table; a second one writes nothing"
  )
  func rounds() throws {
    let (one, two) = (bench.machine("one"), bench.machine("two"))
    for note in ["a", "b"] { try one.record("--for", "3s", "--note", note) }
    try two.record("--for", "2s", "--rate", "50")
    bench.hosts("pump-1 = pi@one site=bergen\npump-2 = two\n")
    let first = bench.round("--json")
    #expect(first.status == 0, "\(first.talk)")
    let hosts = try first.json()["hosts"]
    #expect(hosts[0]["host"] == .string("pump-1"))
    #expect(hosts[0]["fetched"] == .integer(2))
    #expect(hosts[0]["derived"] == .integer(2))
    #expect(hosts[1]["derived"] == .integer(1))
    #expect(bench.recordings(in: "fleet/logs/pump-1") == bench.recordings(in: "one"))
    for name in bench.recordings(in: "one") {
      #expect(
        bench.hub.directory.bytes(of: "fleet/logs/pump-1/" + name)
          == bench.hub.directory.bytes(of: "one/" + name))
    }
    let ids = try one.list().map { try #require($0["id"].text) }
    let samples = bench.contents(of: "samples").keys.sorted()
    #expect(samples.count == 3)
    for id in ids {
      #expect(
        samples.contains {
          $0.hasPrefix("samples/host=pump-1/date=") && $0.hasSuffix("/\(id).parquet")
        })
    }
    #expect(bench.contents(of: "features").count == 3)
    #expect(
      Set(bench.contents(of: "recordings").keys) == [
        "recordings/host=pump-1/recordings.parquet", "recordings/host=pump-2/recordings.parquet",
      ])
    let before = bench.inventory()
    let second = bench.round("--json")
    #expect(second.status == 0, "\(second.talk)")
    #expect(second.talk.isEmpty)
    #expect(try second.json()["hosts"][0]["here"] == .integer(2))
    #expect(try second.json()["hosts"][0]["derived"] == .integer(0))
    #expect(bench.inventory() == before)
  }

  @Test("a host that cannot be reached is named, the others go on, and the status says so")
  func unreachable() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("gone\npump-1 = one\n")
    let outcome = bench.round("--json")
    #expect(outcome.status == 69)
    #expect(outcome.talk.contains("gone: cannot connect to gone"))
    #expect(outcome.talk.hasSuffix("not all of gone is here; the lines above say why\n"))
    let hosts = try outcome.json()["hosts"]
    #expect(hosts[0]["exitStatus"] == .integer(69))
    #expect(hosts[0]["problem"].text?.contains("Could not resolve hostname gone") == true)
    #expect(hosts[1]["derived"] == .integer(1))
  }

  @Test(
    "a line of the host file that cannot be used is named, the others are used, and the status says so"
  )
  func badLine() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("Pump = one\npump-1 = one\n")
    let outcome = bench.round()
    #expect(outcome.status == 78)
    #expect(outcome.talk.contains("hosts:1: Pump is no name"))
    #expect(bench.recordings(in: "fleet/logs/pump-1").count == 1)
  }

  @Test(
    "a pattern stands for the aliases of the SSH configuration and of the files that it includes")
  func pattern() throws {
    for name in ["pump-1", "pump-2", "other"] { try bench.machine(name).record("--for", "1s") }
    bench.hosts("* = pump-*\n")
    bench.hub.directory.makeDirectory("home")
    bench.hub.directory.makeDirectory("home/.ssh")
    bench.hub.directory.write(
      Array("Include more/*.conf\nhost=\"pump-2\" other pump-?\n".utf8), to: "home/.ssh/config")
    bench.hub.directory.makeDirectory("home/.ssh/more")
    bench.hub.directory.write(
      Array("# pumps\nHost !pump-3 pump-1\n  HostName 10.0.0.1\n".utf8), to: "home/.ssh/more/a.conf"
    )
    let outcome = bench.round("--json")
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(try outcome.json()["hosts"].items.map { $0["host"].text } == ["pump-1", "pump-2"])
  }

  @Test("one machine under two names is fetched once, and named")
  func aliases() throws {
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "1s") }
    bench.hosts("pump-1 = one\npump-2 = pi@one\n")
    _ = bench.round("--jobs", "1")
    let outcome = bench.round()
    #expect(outcome.status == 78)
    #expect(
      outcome.talk.contains(
        "each of its 2 recordings is one of pump-1: these are two names of one machine"),
      "\(outcome.talk)")
    #expect(bench.recordings(in: "fleet/logs/pump-2").isEmpty)
    #expect(bench.contents(of: "samples").count == 2)
    let before = bench.inventory()
    #expect(bench.round().status == 78)
    #expect(bench.inventory() == before)
  }

  @Test("one UUID with two contents is named, neither is replaced, and the others go on")
  func conflict() throws {
    let one = bench.machine("one")
    try one.record("--for", "1s")
    let name = try #require(bench.recordings(in: "one").first)
    let log = bench.hub.directory.bytes(of: "one/" + name)
    bench.hosts("pump-1 = one\n")
    #expect(bench.round().status == 0)
    // The same header, and other samples: of the same length, and longer.
    for (index, surplus) in [[], [0]].enumerated() as EnumeratedSequence<[[UInt8]]> {
      let twin = bench.machine("twin\(index)")
      var bytes = log + surplus
      bytes[bytes.count - 40] ^= 1
      mkdir(twin.store, 0o755)
      bench.hub.directory.write(bytes, to: "twin\(index)/" + name)
      try twin.record("--for", "2s")
    }
    bench.hosts("pump-1 = one\npump-2 = twin0\npump-3 = twin1\n")
    for _ in 1...2 {
      let outcome = bench.round("--json")
      #expect(outcome.status == 65)
      let hosts = try outcome.json()["hosts"]
      #expect(hosts[0]["exitStatus"] == .integer(0))
      for host in 1...2 {
        #expect(hosts[host]["failed"] == .integer(1))
        #expect(
          hosts[host]["problem"].text?.contains(
            "has the UUID of a recording of pump-1 and other bytes") == true,
          "\(outcome.talk)")
      }
    }
    #expect(bench.hub.directory.bytes(of: "fleet/logs/pump-1/" + name) == log)
    for host in ["pump-2", "pump-3"] {
      #expect(bench.recordings(in: "fleet/logs/\(host)").count == 1)
    }
    #expect(bench.contents(of: "samples").count == 3)
  }

  @Test("a card that was moved to another machine brings nothing twice")
  func movedCard() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("pump-1 = one\npump-2 = two\n")
    _ = bench.round()
    #expect(rename(bench.machine("one").store, bench.machine("two").store) == 0)
    try bench.machine("two").record("--for", "2s")
    try bench.machine("one").record("--for", "3s")
    let outcome = bench.round("--json")
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(bench.contents(of: "samples/host=pump-1").count == 2)
    #expect(bench.contents(of: "samples/host=pump-2").count == 1)
    let before = bench.inventory()
    #expect(bench.round().status == 0)
    #expect(bench.inventory() == before)
  }

  @Test("alias, time and digest of each fetch are kept")
  func provenance() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("pump-1 = pi@one\n")
    #expect(bench.round().status == 0)
    let name = try #require(bench.recordings(in: "fleet/logs/pump-1").first)
    let sum = bench.hub.shell("sha256sum fleet/logs/pump-1/\(name)").lines.first?.prefix(64) ?? ""
    let ledger = String(
      decoding: bench.hub.directory.bytes(of: "fleet/ledger/pump-1"), as: UTF8.self)
    let words = ledger.split(whereSeparator: \.isWhitespace).map { String($0) }
    let id = try #require(try bench.machine("one").list().first?["id"].text)
    #expect(words.count == 8)
    #expect(words[1...2] == ["fetched", id])
    #expect(words[4] == sum)
    #expect(words[5] == "complete")
    #expect(words[6].hasSuffix("Z"))
    #expect(words[7] == "pi@one")
  }

  @Test("a label that is added there or here makes features and table anew, and leaves the samples")
  func labels() throws {
    let one = bench.machine("one")
    try one.record("--for", "5s")
    bench.hosts("pump-1 = one\n")
    #expect(bench.round().status == 0)
    let (samples, table) = (bench.contents(of: "samples"), bench.contents(of: "recordings"))
    #expect(one.run("label", "1", "1s..2s", "walk").status == 0)
    #expect(try bench.round("--json").json()["hosts"][0]["derived"] == .integer(1))
    let (there, features) = (bench.contents(of: "recordings"), bench.contents(of: "features"))
    #expect(there != table)
    #expect(
      bench.logs(of: "pump-1").run("label", "1", "2s..3s", "run").status == 0)
    #expect(try bench.round("--json").json()["hosts"][0]["derived"] == .integer(1))
    #expect(bench.contents(of: "recordings") != there)
    #expect(bench.contents(of: "features") != features)
    #expect(bench.contents(of: "samples") == samples)
    let before = bench.inventory()
    #expect(bench.round().status == 0)
    #expect(bench.inventory() == before)
  }

  @Test("what is derived can be deleted, and comes back byte for byte")
  func deleted() throws {
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "2s") }
    bench.hosts("pump-1 = one\n")
    #expect(bench.round().status == 0)
    let (samples, table) = (bench.contents(of: "samples"), bench.contents(of: "recordings"))
    let features = bench.contents(of: "features")
    for part in [
      "samples", "features", "recordings rows", "rows", "samples/*/*/*.parquet",
      ".work samples features rows recordings",
    ] {
      #expect(bench.hub.shell("cd fleet && rm -rf \(part)").status == 0)
      let outcome = bench.round()
      #expect(outcome.status == 0, "\(part): \(outcome.talk)")
      #expect(bench.contents(of: "samples") == samples, "\(part)")
      #expect(bench.contents(of: "features") == features, "\(part)")
      #expect(bench.contents(of: "recordings") == table, "\(part)")
    }
  }

  @Test(
    "a recording that is removed here takes its files with it, and is fetched again if it is still there"
  )
  func removed() throws {
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "2s") }
    bench.hosts("pump-1 = one\n")
    #expect(bench.round().status == 0)
    let samples = bench.contents(of: "samples")
    #expect(bench.logs(of: "pump-1").run("rm", "1").status == 0)
    #expect(one.run("rm", "1").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "samples").count == 1)
    #expect(one.run("restore", "1").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "samples") == samples)
  }

  @Test("a log that was changed here is named, its files stay, and the others go on")
  func changed() throws {
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "2s") }
    bench.hosts("pump-1 = one\n")
    #expect(bench.round().status == 0)
    let samples = bench.contents(of: "samples")
    let name = "fleet/logs/pump-1/" + (try #require(bench.recordings(in: "one").first))
    var log = bench.hub.directory.bytes(of: name)
    log[log.count / 2] ^= 4
    bench.hub.directory.write(log, to: name)
    try one.record("--for", "1s")
    let outcome = bench.round()
    #expect(outcome.status == 65)
    #expect(outcome.talk.contains("recording 1: "))
    #expect(outcome.talk.contains("is not what was fetched"))
    let after = bench.contents(of: "samples")
    #expect(after.count == 3)
    #expect(samples.allSatisfy { after[$0.key] == $0.value })
  }

  @Test("a log that was put into a host's store is derived, and its digest kept")
  func found() throws {
    try bench.machine("one").record("--for", "1s")
    try bench.machine("card").record("--for", "2s")
    bench.hosts("pump-1 = one\n")
    #expect(bench.round().status == 0)
    #expect(
      bench.hub.shell(
        "cp card/*.imulog fleet/logs/pump-1/000009-20200101T000000Z-$(ls card | cut -c25-32).imulog"
      ).status == 0)
    let outcome = bench.round()
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(bench.contents(of: "samples").count == 2)
    let ledger = String(
      decoding: bench.hub.directory.bytes(of: "fleet/ledger/pump-1"), as: UTF8.self)
    #expect(ledger.contains(" found "))
  }

  @Test("verify names any byte that is wrong in a log or a derived file, and what has no log")
  func verification() throws {
    for name in ["one", "two"] { try bench.machine(name).record("--for", "2s") }
    bench.hosts("pump-1 = one site=b\npump-2 = two\n")
    #expect(bench.round().status == 0)
    let right = bench.hub.run("hub", "verify", "fleet")
    #expect(right.status == 0, "\(right.talk)")
    #expect(right.output == "2 recordings of 2 hosts: logs, derived files and tables agree\n")
    let before = bench.inventory()
    let paths = ["samples", "features", "recordings", "logs"].flatMap {
      bench.contents(of: $0).keys.filter { !$0.contains("/.") }
    }
    #expect(paths.count == 8)
    for path in paths {
      let bytes = bench.hub.directory.bytes(of: "fleet/" + path)
      for place in [bytes.count / 3, bytes.count - 1] {
        var wrong = bytes
        wrong[place] ^= 0x20
        bench.hub.directory.write(wrong, to: "fleet/" + path)
        expectFinding(path.hasPrefix("logs") ? "is not what was fetched" : "is not what is derived")
      }
      bench.hub.directory.write(bytes, to: "fleet/" + path)
    }
    let stray = "fleet/samples/host=pump-9"
    bench.hub.directory.makeDirectory(stray)
    bench.hub.directory.write([1], to: stray + "/x.parquet")
    expectFinding("fleet/samples/host=pump-9/x.parquet is of no recording here: delete it")
    #expect(bench.hub.shell("rm -r \(stray) && mv fleet/samples/host=pump-1 away").status == 0)
    expectFinding("is not what is derived")
    #expect(bench.hub.shell("mv away fleet/samples/host=pump-1").status == 0)
    #expect(bench.hub.run("hub", "verify", "fleet").status == 0)
    // Times aside: bytes were written and put back.
    #expect(bench.inventory().count == before.count)
    expectSentence(bench.hub.run("hub", "verify", "nowhere"), 66, ["there is no hub at nowhere"])
  }

  private func expectFinding(_ words: String) {
    let outcome = bench.hub.run("hub", "verify", "fleet")
    #expect(outcome.status == 65)
    #expect(outcome.talk.contains(words), "\(outcome.talk)")
    #expect(outcome.output.isEmpty)
  }

  @Test("a directory with nothing but a host file becomes a hub")
  func hostFileAlone() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hub.directory.makeDirectory("fleet")
    bench.hub.directory.write(Array("one\n".utf8), to: "fleet/hosts")
    let outcome = bench.hub.run("hub", "fleet")
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(bench.contents(of: "samples").count == 1)
  }

  @Test(
    "a directory that is no hub, a later hub and one in use are refused, and nothing is written")
  func directories() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("pump-1 = one\n")
    expectSentence(bench.hub.run("hub", "one", "--hosts", "hosts"), 64, ["is no hub"])
    expectSentence(bench.hub.run("hub", "hosts", "--hosts", "hosts"), 64, ["is no hub"])
    expectSentence(bench.hub.run("hub", "fleet"), 66, ["there is no host file fleet/hosts"])
    #expect(bench.round().status == 0)
    let held = open("\(bench.hub.directory.path)/fleet/.hub", O_RDONLY | O_CLOEXEC)
    #expect(flock(held, LOCK_EX) == 0)
    expectSentence(bench.round(), 75, ["works on the hub at fleet: wait until it has ended"])
    close(held)
    bench.hub.directory.write(Array("imulog-hub 2\n".utf8), to: "fleet/.hub")
    expectSentence(bench.round(), 78, ["of version imulog-hub 2"])
  }

  @Test("hosts free what is proved to be here, by a key that may")
  func freeing() throws {
    let bench = FleetBench(serveOptions: "--allow-delete")
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "1s") }
    bench.hosts("pump-1 = one\n")
    let outcome = bench.round("--then-free", "--json")
    #expect(outcome.status == 0, "\(outcome.talk)")
    #expect(try outcome.json()["hosts"][0]["freed"] == .integer(2))
    #expect(bench.recordings(in: "one").isEmpty)
    let before = bench.inventory()
    #expect(bench.round("--then-free").status == 0)
    #expect(bench.inventory() == before)
    #expect(bench.contents(of: "samples").count == 2)
  }
}
