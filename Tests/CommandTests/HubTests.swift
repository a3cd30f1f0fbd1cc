// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Testing
import TestSupport

@Suite("A hub's rounds", .waitsForPrograms, .timeLimit(.minutes(60)))
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
    let first = bench.round("--json").expect(0)
    let hosts = try first.json()["hosts"]
    hosts[0].expect(["host": "pump-1", "fetched": 2, "derived": 2])
    #expect(hosts[1]["derived"] == .integer(1))
    #expect(bench.recordings(in: "fleet/logs/pump-1") == bench.recordings(in: "one"))
    for name in bench.recordings(in: "one") {
      #expect(
        bench.hub.directory.bytes(of: "fleet/logs/pump-1/" + name)
          == bench.hub.directory.bytes(of: "one/" + name))
    }
    // The program that stands for ssh shows no key.
    #expect(bench.text(of: "ledger/pump-1").hasSuffix("Z pi@one -\n"))
    let samples = bench.contents(of: "samples").keys
    #expect(samples.count == 3)
    for id in try one.list().map({ try #require($0["id"].text) }) {
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
    let second = bench.round("--json").expect(0)
    #expect(second.talk.isEmpty)
    #expect(try second.json()["hosts"][0]["here"] == .integer(2))
    #expect(try second.json()["hosts"][0]["derived"] == .integer(0))
    #expect(bench.inventory() == before)
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
    let outcome = bench.round("--json").expect(0)
    #expect(try outcome.json()["hosts"].items.map { $0["host"].text } == ["pump-1", "pump-2"])
  }

  @Test(
    "a calibration that is put here for a host makes its features and rows anew, and leaves samples and other hosts"
  )
  func recalibrated() throws {
    for name in ["one", "two"] { try bench.machine(name).record("--for", "3s") }
    bench.hosts("pump-1 = one\npump-2 = two\n")
    #expect(bench.round().status == 0)
    let before = bench.tables()
    let calibration = SensorCalibration(
      id: RecordingID(high: 1, low: 2), name: "left shoe", sensor: "MPU-6050",
      made: 1_795_687_200_000_000_000,
      accelerometer: SensorCalibration.Accelerometer(
        offset: Vector3(0.05, -0.02, 0.01), matrix: SensorMatrix(diagonal: Vector3(1, 1.01, 0.99)),
        points: 9, residual: (0.05, 0.001)))
    bench.hub.directory.write(Array(calibration.fileText.utf8), to: "fleet/calibrations/pump-1")
    #expect(try bench.round("--json").json()["hosts"][0]["derived"] == .integer(1))
    let after = bench.tables()
    #expect(after[0] == before[0])
    for part in 1...2 {
      let changed = after[part].keys.filter { after[part][$0] != before[part][$0] }
      #expect(changed.count == 1)
      #expect(changed.first?.contains("host=pump-1/") == true)
    }
    #expect(bench.hub.run("hub", "verify", "fleet").status == 0)
    bench.expectNoNews()
    // Nonsense changes nothing, and keeps no other host back.
    bench.hub.directory.write([1, 2, 3], to: "fleet/calibrations/pump-1")
    try bench.machine("two").record("--for", "1s")
    bench.round().expect(65, "fleet/calibrations/pump-1 is not a calibration")
    #expect(bench.contents(of: "samples").count == 3)
  }

  @Test("what is derived can be deleted, and comes back byte for byte")
  func deleted() throws {
    _ = try bench.roundOfOne(recordings: 2)
    let right = bench.tables()
    for part in [
      "samples", "features", "recordings rows", "rows", "samples/*/*/*.parquet",
      ".work samples features rows recordings",
    ] {
      bench.hub.shell("cd fleet && rm -rf \(part)").expect(0)
      bench.round().expect(0)
      #expect(bench.tables() == right, "\(part)")
    }
  }

  @Test(
    "what is removed here takes its files with it, and is fetched again where a host still has it")
  func removed() throws {
    let one = try bench.roundOfOne(recordings: 1)
    let samples = bench.contents(of: "samples")
    #expect(bench.logs(of: "pump-1").run("rm", "1").status == 0)
    #expect(one.run("rm", "1").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "samples").isEmpty)
    #expect(one.run("restore", "1").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "samples") == samples)
    func expectFetched() throws {
      #expect(bench.logs(of: "pump-1").run("rm", "latest").status == 0)
      let host = try bench.round("--json").json()["hosts"][0]
      #expect(host["here"] == .integer(0) && host["fetched"] == .integer(1))
      #expect(bench.contents(of: "samples") == samples)
    }
    try expectFetched()
    // Also after it was pruned and restored.
    #expect(bench.hub.run("hub", "prune", "fleet", "--most-bytes", "1B").status == 0)
    #expect(bench.round().status == 0)
    #expect(bench.contents(of: "samples").isEmpty)
    #expect(bench.logs(of: "pump-1").run("restore", "latest").status == 0)
    #expect(bench.round().status == 0)
    try expectFetched()
  }

  @Test("a directory with nothing but a host file becomes a hub")
  func hostFileAlone() throws {
    try bench.machine("one").record("--for", "1s")
    bench.hub.directory.makeDirectory("fleet")
    bench.hub.directory.write(Array("one\n".utf8), to: "fleet/hosts")
    bench.hub.run("hub", "fleet").expect(0)
    #expect(bench.contents(of: "samples").count == 1)
  }

  @Test("hosts free what is proved to be here, by a key that may")
  func freeing() throws {
    let bench = FleetBench(serveOptions: "--allow-delete")
    let one = bench.machine("one")
    for _ in 1...2 { try one.record("--for", "1s") }
    bench.hosts("pump-1 = one\n")
    let outcome = bench.round("--then-free", "--json").expect(0)
    #expect(try outcome.json()["hosts"][0]["freed"] == .integer(2))
    #expect(bench.recordings(in: "one").isEmpty)
    let before = bench.inventory()
    #expect(bench.round("--then-free").status == 0)
    #expect(bench.inventory() == before)
    #expect(bench.contents(of: "samples").count == 2)
  }
}
