// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("What a hub hands on", .waitsForPrograms, .timeLimit(.minutes(60)))
struct HubOutputTests {
  private let bench = FleetBench()

  private func text(_ name: String) -> String { bench.hub.directory.text(of: name) }

  @Test(
    "a file of the hub that a round makes is no page of that round",
    arguments: ["--page", "--metrics"])
  func own(option: String) throws {
    try bench.machine("one").record("--for", "1s")
    bench.hosts("pump-1 = one\n")
    for place in ["ledger/pump-1", "samples/a.prom", "hosts"] {
      bench.round(option, "fleet/\(place)").expect(64, "is among the own files of the hub")
      #expect(!bench.hub.directory.names(in: ".").contains("fleet"))
    }
    // Where the name shows it only once the hub is there.
    #expect(bench.hub.shell("ln -s fleet link").status == 0)
    bench.round(option, "link/ledger/a.prom").expect(64, "is among the own files of the hub")
    #expect(bench.hub.directory.names(in: "fleet/ledger") == ["pump-1"])
  }

  @Test("metrics have a line for each host and fact, and values of outsiders are quoted")
  func metrics() throws {
    _ = try bench.roundOfOne(recordings: 2)
    bench.hosts("pump-1 = one site=\"a\\b\"\npump-2 = two\n")
    bench.round("--metrics", "imulog.prom").expect(69)
    let metrics = text("imulog.prom")
    let lines = metrics.split(separator: "\n")
    func value(_ name: String) -> Substring? {
      lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
    }
    #expect(value("imulog_hub_host_up{host=\"pump-1\"}") == "1")
    #expect(value("imulog_hub_host_up{host=\"pump-2\"}") == "0")
    #expect(metrics.contains("label_site=\"\\\"a\\\\b\\\"\""), "\(metrics)")
    for line in lines where line.hasPrefix("# HELP") {
      let isTime = TimeNames.needWord(String(line.split(separator: " ")[2]))
      #expect(line.hasSuffix("ed)") == isTime, "\(line)")
    }
    // Each name has its help and type once.
    let names = lines.filter { $0.hasPrefix("# TYPE") }.map { $0.split(separator: " ")[2] }
    #expect(Set(names).count == names.count)
    for line in lines where !line.hasPrefix("#") {
      let name = line.prefix { $0 != "{" && $0 != " " }
      #expect(names.contains(name), "\(line)")
    }
  }

  @Test("no output of another verb or of a round takes the place of a file of the hub")
  func ownFiles() throws {
    _ = try bench.roundOfOne(recordings: 1)
    let before = bench.inventory()
    let path = bench.hub.directory.path
    #expect(symlink("\(path)/fleet/rows", "\(path)/link") == 0)
    for place in ["fleet/samples/x.csv", "fleet/hosts", "fleet/.hub", "link/pump-1"] {
      expectSentence(bench.machine("one").run("export", "1", "-o", place), 64, ["hub"])
      expectSentence(bench.round("--page", place), 64, ["--page", "hub"])
    }
    #expect(bench.inventory() == before)
    #expect(bench.machine("one").run("export", "1", "-o", "fleet/walk.csv").status == 0)
    #expect(bench.round("--page", "fleet/fleet.html").status == 0)
    #expect(bench.hub.run(["hub", "verify", "fleet"]).status == 0)
  }

  @Test("the page shows every host, and what outsiders wrote is no markup")
  func page() throws {
    let one = bench.machine("one")
    try one.record("--for", "2s", "--note", "<script>alert(1)</script>")
    bench.hosts("pump-1 = one site=bergen\npump-2 = two\n")
    #expect(bench.round("--page", "fleet.html").status == 69)
    let page = text("fleet.html")
    #expect(page.hasPrefix("<!DOCTYPE html>"))
    #expect(page.contains("2 hosts, 1 recording, 1 with a problem"))
    #expect(!page.contains("<script"))
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(page.contains("<path d=\"M0 24L0 "))
  }

  /// The hub, with a program in place of mosquitto_pub.
  private func hub(publishingBy script: String) -> Bench {
    var hub = bench.hub
    _ = hub.directory.script("mosquitto_pub", script)
    hub.environment["PATH"] = "\(hub.directory.path):/usr/bin:/bin"
    return hub
  }

  /// Keeps each message as a file of its topic.
  private var keeper: String {
    let path = bench.hub.directory.path
    return """
      #!/bin/sh
      echo "$*" >> \(path)/published
      while [ $# -gt 0 ]; do
        if [ "$1" = -t ]; then topic=$2; fi
        if [ "$1" = -l ]; then exec sleep 60; fi
        shift
      done
      mkdir -p "\(path)/topics/$(dirname "$topic")"
      cat > "\(path)/topics/$topic.$$" && mv "\(path)/topics/$topic.$$" "\(path)/topics/$topic"
      """
  }

  @Test("the state of each host and its entities are retained at a broker, and no samples")
  func broker() throws {
    _ = try bench.roundOfOne(recordings: 1)
    bench.hosts("pump-1 = one\npump.2 = two\n")
    let hub = hub(publishingBy: keeper)
    let words = ["hub", "fleet", "--hosts", "hosts", "--mqtt"]
    let outcome = hub.run(words + ["broker.lan:1884"]).expect(69)
    #expect(!outcome.talk.contains("broker"), "\(outcome.talk)")
    let state = try JSON(bench.hub.directory.bytes(of: "topics/imulog/pump-1/state"))
    state.expect(["host": "pump-1", "recordings": 1])
    let entities = text("topics/homeassistant/device/imulog_pumpP2/config")
    #expect(!entities.isEmpty && !entities.contains("availability"))
    let calls = text("published").split(separator: "\n")
    #expect(calls.count == 4)
    #expect(
      calls.allSatisfy { $0.hasPrefix("-h broker.lan -p 1884 -t ") && $0.hasSuffix(" -r -q 1 -s") })
    _ = hub.run(words + ["[fd00::7]:1884"])
    #expect(text("published").contains("\n-h fd00::7 -p 1884 -t "))
  }

  @Test("what cannot be written is reported after the summary, and the rest is")
  func unwritable() throws {
    _ = try bench.roundOfOne(recordings: 1)
    let outcome = bench.round("--metrics", "none/m.prom", "--page", "fleet.html", "--json").expect(
      73)
    #expect(try outcome.json()["hosts"][0]["here"] == .integer(1))
    #expect(text("fleet.html").hasPrefix("<!DOCTYPE html>"))
    expectSentence(bench.round("--metrics", "hosts"), 64, ["hosts is the host file"])
    #expect(text("hosts") == "pump-1 = one\n")
    for period in ["9223372036s", "5x", "0s", "", "400d"] {
      expectSentence(bench.round("--every", period), 64, ["1h30m"])
    }
  }

  @Test("a hub that stays makes no second hub where its disk was")
  func goneDisk() throws {
    _ = try bench.roundOfOne(recordings: 1)
    let path = bench.hub.directory.path
    let running = bench.hub.start([
      "hub", "fleet", "--hosts", "hosts", "--every", "1s", "--metrics", "m.prom",
    ])
    try waitUntil { access("\(path)/m.prom", F_OK) == 0 }
    #expect(rename("\(path)/fleet", "\(path)/away") == 0)
    let isSaid = running.waits(toSay: "there is no hub at fleet")
    #expect(isSaid)
    running.signal(SIGTERM)
    _ = running.outcome()
    #expect(access("\(path)/fleet", F_OK) != 0)
  }

  @Test("a broker that does not answer is reported, and the round is done")
  func noBroker() throws {
    _ = try bench.roundOfOne(recordings: 1)
    let hub = hub(publishingBy: "#!/bin/sh\necho 'Error: Connection refused' >&2\nexit 1\n")
    let outcome = hub.run(["hub", "fleet", "--hosts", "hosts", "--mqtt", "broker.lan"]).expect(0)
    #expect(
      outcome.talk.contains("the state of the hosts is not at the broker: ")
        && outcome.talk.contains("ended with status 1: Error: Connection refused"),
      "\(outcome.talk)")
    for word in [
      "", ":1883", "broker:", "broker:0", "broker:99999", "a:b:c", "-x", "[::1", "[::1]18", "[]:1",
      "::1",
    ] {
      #expect(
        hub.run(["hub", "fleet", "--hosts", "hosts", "--mqtt=\(word)"]).status == 64, "\(word)")
    }
  }

  @Test(
    "a hub that stays begins a round each period, with the hosts of that moment, and tells that it is there"
  )
  func staying() throws {
    _ = try bench.roundOfOne(recordings: 1)
    try bench.machine("two").record("--for", "1s")
    let hub = hub(publishingBy: keeper)
    let running = hub.start(
      ["hub", "fleet", "--hosts", "hosts", "--every", "1s", "--mqtt", "broker"])
    bench.hosts("pump-1 = one\npump-2 = two\n")
    try waitUntil { !bench.recordings(in: "fleet/logs/pump-2").isEmpty }
    try waitUntil { text("published").contains(" -l ") }
    let presence = try #require(
      text("published").split(separator: "\n").first { $0.contains(" -l ") })
    #expect(presence.contains("-t imulog/hub/availability "))
    #expect(
      presence.hasSuffix(
        "--will-topic imulog/hub/availability --will-payload offline --will-retain --will-qos 1"))
    let config = "topics/homeassistant/device/imulog_pump-1/config"
    try waitUntil { access("\(bench.hub.directory.path)/\(config)", F_OK) == 0 }
    let entities = try JSON(bench.hub.directory.bytes(of: config))
    #expect(entities["availability_topic"] == .string("imulog/hub/availability"))
    running.signal(SIGTERM)
    running.outcome().expect(-SIGTERM, "pump-2: recording 1 is here as 1")
  }

  @Test(
    "prune prints what would go, removes it with what is derived from it, and it is not fetched again"
  )
  func prune() throws {
    let one = try bench.roundOfOne(recordings: 2)
    func prune(_ options: String...) -> Outcome {
      bench.hub.run(["hub", "prune", "fleet"] + options)
    }
    #expect(prune().status == 64)
    #expect(prune("--older", "1d").talk.contains("nothing to remove"))
    let plan = prune("--most-bytes", "1kB", "--print").expect(0)
    #expect(plan.lines.count == 2)
    #expect(plan.lines.allSatisfy { $0.hasPrefix("pump-1 ") })
    #expect(bench.contents(of: "samples").count == 2)
    #expect(prune("--most-bytes", "1kB", "--host", "pump-9").status == 66)
    prune("--most-bytes", "1kB", "--host", "pump-1").expect(0, "2 recordings in the trash")
    #expect(bench.contents(of: "samples").isEmpty)
    try one.record("--for", "1s")
    #expect(try bench.round("--json").json()["hosts"][0]["fetched"] == .integer(1))
    // What is brought back is derived again, and stays.
    #expect(bench.logs(of: "pump-1").run("restore", "1").status == 0)
    #expect(try bench.round("--json").json()["hosts"][0]["derived"] == .integer(1))
    #expect(bench.hub.run(["hub", "verify", "fleet"]).status == 0)
  }
}
