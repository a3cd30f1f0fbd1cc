// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("The service from a user's view", .waitsForPrograms, .timeLimit(.minutes(60)))
struct DaemonTests {
  @Test("start, mark and stop make a recording with its mark; status reports the service's state")
  func addRecording() throws {
    let service = DaemonBench(["note": "left wrist"])
    let child = try service.startArmed()
    let state = try #require(try service.status())
    state.expect(["number": .null, "sensor.address": .integer(0x68)])
    #expect(try #require(state["free_bytes"].integer) > 0)
    let text = service.bench.run("status").output
    for line in ["state        armed", "sensor       MPU-6050 at 0x68", "note         left wrist"] {
      #expect(text.split(separator: "\n").contains { $0 == line }, "\(text)")
    }
    // A second service names the first, which continues, as after a request that does not fit its state.
    service.bench.refuses(
      "daemon --config \(service.configuration)", 75, "process \(child.pid)", "imulog daemon",
      "serving there already")
    for verb in ["stop", "mark", "discard"] {
      service.bench.refuses(verb, 75, "no recording is running", "imulog start")
    }
    #expect(try service.status()?["state"] == .string("armed"))
    try service.startRecording()
    try service.wait(for: "recording") { $0["lateness"]["p99_ns"].integer ?? 0 > 0 }
    service.bench.refuses("start", 75, "a recording is running already")
    try service.tell("mark", "top", "of the hill")
    let live = try #require(try service.status())
    live.expect(["number": 1, "problem": .null])
    #expect(try service.bench.list()[0]["state"] == .string("running"))
    try service.tell("stop")
    let idle = try service.wait(for: "armed")

    let json = try service.bench.run("export", "latest").json()
    // A busy machine may be too late for some.
    let missed = try #require(json["ticks"]["missed"].integer)
    let sampled = try #require(idle["ticks"]["sampled"].integer)
    #expect(idle["ticks"]["scheduled"] == .integer(sampled + missed))
    #expect(json["samples"].items.count == Int(sampled))
    #expect(json["gaps"].items.allSatisfy { $0["cause"] == .string("missed") })
    json.expect(["complete": true, "stopReason": "button", "note": "left wrist"])
    #expect(json["marks"].items.count == 1)
    #expect(json["marks"][0]["label"] == .string("top of the hill"))
    #expect(json["ticks"]["scheduled"] == idle["ticks"]["scheduled"])
    #expect(service.bench.run("verify", "1").status == 0)
    #expect(child.said.contains("recording 1: "))
    #expect(!child.said.split(separator: "\n").contains { $0.hasPrefix("<") }, "no journal")
    service.end(child)
    #expect(access(service.socket, F_OK) != 0)
  }

  @Test("keep makes a recording of the history, and no sample is in two recordings")
  func keep() throws {
    let service = DaemonBench()
    let child = try service.startArmed()
    try waitUntil {
      // A history of a fifth of a second; one that follows another at once has no sample yet.
      usleep(200_000)
      let outcome = service.bench.run("keep")
      #expect(outcome.status == 0 || outcome.status == 75, "\(outcome)")
      return try service.bench.list().contains { $0["sampleCount"].integer ?? 0 >= 10 }
    }
    try service.wait(for: "armed")
    #expect(
      try service.bench.run("info", "latest", "--json").json()["stopReason"] == .string("button"))
    try service.startRecording()
    service.bench.refuses("keep", 75, "a recording is running", "stop it")
    service.end(child)
    for row in try service.bench.list() {
      #expect(row["complete"].isTrue)
      // No sample of another recording is missing: at most ticks for which a busy machine was too late.
      #expect(row["gapCount"].integer ?? .max < 10)
    }
  }

  @Test(
    "a store that is gone is reported by stop, status and journal, and created again for the next recording"
  )
  func goneStore() throws {
    let service = DaemonBench()
    let child = try service.startArmed()
    try service.tell("start")
    rename(service.bench.store, service.bench.store + "-away")
    let status = try service.wait(for: "armed") { $0["problem"].text == "storage" }
    #expect(status["failure"].text?.contains("recording 1 is gone") == true)
    #expect(status["ticks"] == .null)
    #expect(!service.bench.run("status").output.contains("samples "))
    #expect(child.said.contains("recording 1 is gone"))
    #expect(!child.said.contains(" of "), "\(child.said)")
    expectSentence(service.bench.run("stop"), 74, ["no recording is running: recording 1 is gone"])
    try service.tell("start")
    try service.tell("stop")
    #expect(try service.bench.list()[0]["state"] == .string("complete"))
    #expect(try service.status()?["problem"] == .null)
    service.end(child)
  }

  @Test("a service that is ended during a recording keeps it whole", arguments: [SIGTERM, SIGINT])
  func terminate(_ signal: Int32) throws {
    let service = DaemonBench()
    let child = try service.startArmed()
    try service.startRecording()
    child.signal(signal)
    child.outcome().expect(0)
    let json = try service.bench.run("info", "1", "--json").json()
    json.expect(["state": "complete", "stopReason": "signal"])
    #expect(service.bench.run("verify", "1").status == 0)
  }

  @Test("a killed service does not block the next one, which recovers its recording")
  func killed() throws {
    let service = DaemonBench()
    let first = try service.startArmed()
    try service.startRecording()
    try service.wait(for: "recording") { $0["ticks"]["sampled"].integer ?? 0 > 20 }
    first.signal(SIGKILL)
    #expect(first.outcome().status == -SIGKILL)
    #expect(access(service.socket, F_OK) == 0)
    let second = try service.startArmed()
    try service.makeRecording()
    let rows = try service.bench.list()
    #expect(rows.map { $0["state"] } == [.string("complete"), .string("recovered")])
    #expect(rows.map { $0["number"] } == [.integer(2), .integer(1)])
    #expect(try #require(rows[1]["sampleCount"].integer) > 0)
    service.end(second)
  }

  @Test("many recordings leak no threads, files or memory")
  func leavings() throws {
    let service = DaemonBench(["rate": "1000"])
    let child = try service.startArmed()
    func addRecording() throws {
      try service.makeRecording()
    }
    for _ in 0..<5 { try addRecording() }
    let before = try Holdings(of: child.pid)
    for _ in 0..<20 { try addRecording() }
    var after = try Holdings(of: child.pid)
    // A connection, or a file that is being closed, may be there for a moment; what leaks stays.
    for _ in 0..<50
    where after.descriptors > before.descriptors || after.threads > before.threads {
      _ = try service.status()
      after = try Holdings(of: child.pid)
    }
    #expect(after.descriptors <= before.descriptors)
    #expect(after.threads <= before.threads)
    // The queue of one recording alone is 1 MB.
    #expect(after.kilobytes < before.kilobytes + 2000, "\(before) \(after)")
    service.end(child)
    #expect(try service.bench.list("--page", "3").last?["number"] == .integer(1))
  }

  /// The resources of a process.
  private struct Holdings {
    let descriptors: Int
    let threads: Int
    let kilobytes: Int

    init(of pid: pid_t) throws {
      descriptors = TemporaryDirectory.names(at: "/proc/\(pid)/fd").count
      threads = TemporaryDirectory.names(at: "/proc/\(pid)/task").count
      let status = try text(at: "/proc/\(pid)/status")
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
      kilobytes = Int(line.filter(\.isNumber)) ?? 0
    }
  }
}
