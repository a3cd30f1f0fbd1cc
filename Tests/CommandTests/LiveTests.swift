// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite(
  "Recordings in real time end cleanly in every way", .waitsForPrograms, .timeLimit(.minutes(60)))
struct LiveTests {
  private let bench = Bench()
  private static let openEnded = [
    "record", "--board", "simulator", "--rate", "200", "--until-stopped", "--sync-every", "20ms",
  ]

  private func startRecording() throws -> Child { try bench.startRecording(LiveTests.openEnded) }

  private func liveSamples() throws -> Int64 {
    let row = try bench.list().first
    guard row?["state"] == .string("running") else { return 0 }
    return row?["sampleCount"].integer ?? 0
  }

  @Test(
    "SIGINT, SIGTERM and SIGHUP end a recording, which is kept whole",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func signals(_ signal: Int32) throws {
    let child = try startRecording()
    let before = try liveSamples()
    child.signal(signal)
    let outcome = child.outcome().expect(0)
    #expect(outcome.output == "1\n")
    #expect(bench.run("verify", "1").status == 0)
    let json = try bench.run("info", "1", "--json").json()
    json.expect(["state": "complete", "stopReason": "signal"])
    #expect(try #require(json["sampleCount"].integer) >= before)
    // Preallocated space is released.
    #expect(bench.directory.bytes(of: try bench.logName()).count < 64 * 1024)
  }

  @Test(
    "signals while the sensor is being set up leave a recording, though it has no sample",
    arguments: [[SIGINT], [SIGHUP, SIGTERM]])
  func early(_ signals: [Int32]) throws {
    let child = bench.start(LiveTests.openEnded)
    var blocked: UInt64 = 0
    while blocked & (1 << UInt64(SIGINT - 1)) == 0 {
      sched_yield()
      let status = try text(at: "/proc/\(child.pid)/status")
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") })
      blocked = try #require(UInt64(line.suffix(16), radix: 16))
    }
    for signal in signals { child.signal(signal) }
    let outcome = child.outcome().expect(0)
    #expect(outcome.output == "1\n")
    #expect(try bench.run("info", "1", "--json").json()["stopReason"] == .string("signal"))
  }

  @Test(
    "further signals, whenever they arrive, change nothing of the end that the first one requested")
  func furtherSignals() throws {
    let child = try startRecording()
    var ended = siginfo_t()
    repeat {
      child.signal(SIGTERM)
      sched_yield()
      waitid(P_PID, id_t(child.pid), &ended, WEXITED | WNOHANG | WNOWAIT)
    } while ended.si_signo == 0
    let outcome = child.outcome().expect(0)
    #expect(outcome.output == "1\n")
    #expect(try bench.run("info", "1", "--json").json()["stopReason"] == .string("signal"))
  }

  @Test("a signal ends a recording in simulated time too")
  func virtualSignal() throws {
    mkdir(bench.store, 0o755)
    let watch = DirectoryWatch(bench.store)
    let child = bench.start(Bench.simulated + ["--rate", "100", "--for", "100000h"])
    let hasSamples = try watch.wait { try liveSamples() > 0 }
    #expect(hasSamples)
    child.signal(SIGINT)
    let outcome = child.outcome().expect(0)
    #expect(outcome.output == "1\n")
    #expect(bench.run("verify", "1").status == 0)
    #expect(try bench.run("info", "1", "--json").json()["stopReason"] == .string("signal"))
  }

  @Test("a recording whose log reports locked memory has locked it")
  func lockedMemory() throws {
    let child = try startRecording()
    let status = try text(at: "/proc/\(child.pid)/status")
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmLck:") })
    let isLocked = line.filter(\.isNumber) != "0"
    let says = try #require(try bench.run("info", "1", "--json").json()["realTime"].text)
    #expect(says.contains("memory locked") == isLocked)
    #expect(says.contains("refused: ") || isLocked)
    child.end()
  }

  @Test("SIGKILL loses no logged data, and the next recording gets a new number")
  func kill() throws {
    let child = try startRecording()
    let before = try liveSamples()
    child.signal(SIGKILL)
    #expect(child.outcome().status == -SIGKILL)

    let row = try bench.list()[0]
    row.expect(["state": "recovered", "complete": false])
    #expect(try #require(row["sampleCount"].integer) >= before)
    let export = bench.run("export", "1").expect(0)
    #expect(try export.json()["samples"].items.count == Int(#require(row["sampleCount"].integer)))
    expectSentence(bench.run("verify", "1"), 65, ["no end"])
    #expect(
      bench.run("info", "1", "--check").expect(1).lines[0].hasPrefix("flawed: the end is missing"))

    #expect(try bench.record("--for", "1s") == "2")
    let adopted = try bench.list()[1]
    #expect(adopted["state"] == .string("recovered"))
    #expect(adopted["sampleCount"] == row["sampleCount"])
    #expect(bench.directory.names(in: "store").filter { $0.hasPrefix(".new-") }.isEmpty)
    let size = bench.directory.bytes(of: "store/" + (try #require(bench.recordings.first))).count
    #expect(size < 64 * 1024)
  }

  @Test("a live recording can be read, is not removed, and does not prevent another one")
  func live() throws {
    let child = try startRecording()
    let first = bench.run("export", "latest", "--format", "ndjson").expect(0)
    #expect(!first.lines.isEmpty)
    expectSentence(bench.run("rm", "1"), 75, ["is being written", "stop"])
    #expect(try bench.record("--for", "1s") == "2")
    child.end()
    let whole = bench.run("export", "1", "--format", "ndjson")
    #expect(whole.bytes.starts(with: first.bytes))
    #expect(bench.run("verify", "1").status == 0)
    // One that another program has locked stays, and has its own state.
    let log = open("\(bench.store)/\(try #require(bench.recordings.first))", O_RDONLY | O_CLOEXEC)
    #expect(flock(log, LOCK_EX | LOCK_NB) == 0)
    #expect(try bench.list()[1]["state"] == .string("complete"))
    expectSentence(bench.run("rm", "1"), 75, ["is being written, or locked by another program"])
    close(log)
  }

  @Test("a recording whose file another program has overwritten is a failure")
  func overwritten() throws {
    mkdir(bench.store, 0o755)
    let watch = DirectoryWatch(bench.store)
    let child = try startRecording()
    // So many that the header is not written again.
    try #require(try watch.wait { try liveSamples() > 200 })
    let file = open("\(bench.directory.path)/\(try bench.logName())", O_WRONLY | O_CLOEXEC)
    try #require(pwrite(file, [UInt8](repeating: 7, count: 512), 512, 0) == 512)
    close(file)
    child.signal(SIGINT)
    child.outcome().expect(65, "recording 1 cannot be looked through")
  }

  @Test("a reader that closes its pipe ends neither a recording nor an export by a signal")
  func brokenPipe() throws {
    let fifo = bench.directory.path + "/fifo"
    mkfifo(fifo, 0o600)
    let reader = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try bench.record("--for", "10s", "--rate", "1000")
    let child = bench.start(["export", "1"], stdout: fifo)
    close(reader)
    #expect(child.outcome().status == 0)
  }

  @Test("an export continues until the recording ends, and then equals a full export")
  func exports() throws {
    let recording = try startRecording()
    let watch = DirectoryWatch(bench.directory.path)
    let formats = ["ndjson", "csv", "raw"]
    let followers = bench.startShell(
      "for f in \(formats.joined(separator: " ")); do (\(Child.program) export 1 --follow --format $f"
        + " > out.$f || touch failed) & done; wait")
    // Each has written data while the recording runs.
    let hasBegun = watch.wait {
      formats.allSatisfy { bench.directory.bytes(of: "out.\($0)").count > 3000 }
    }
    #expect(hasBegun)
    recording.end()
    let talk = followers.outcome().talk
    #expect(!bench.directory.names().contains("failed"), "\(talk)")
    for format in formats {
      expectSame(
        bench.directory.bytes(of: "out.\(format)"),
        bench.run("export", "1", "--format", format).bytes)
    }
  }

  @Test("a format whose beginning needs the end of the log cannot be followed")
  func documents() throws {
    try bench.record("--for", "1s")
    bench.refuses("export 1 --follow", 64, "--follow does not go with --format json")
    #expect(bench.run("export", "1", "--follow", "--format", "csv").lines.count == 11)
  }
}
