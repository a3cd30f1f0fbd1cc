// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

/// The program's use of /dev/cpu_dma_latency; in a container without it, the program's report.
@Suite(
  "The limit on processors' sleep during a recording", .waitsForPrograms, .timeLimit(.minutes(60)))
struct LatencyTests {
  private let isThere = access("/dev/cpu_dma_latency", W_OK) == 0

  /// Whether the process has the file open.
  private func holds(_ pid: pid_t) -> Bool {
    (0..<64).contains { number in
      var target = [CChar](repeating: 0, count: 64)
      guard readlink("/proc/\(pid)/fd/\(number)", &target, 63) > 0 else { return false }
      return String(decoding: target.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        == "/dev/cpu_dma_latency"
    }
  }

  @Test(
    "is set by record from 50 Hz on or by the options, and is in the log",
    arguments: [
      ("100", "auto", "held at 5 µs"), ("10", "auto", "not held"), ("10", "7", "held at 7 µs"),
      ("100", "off", "not held"),
    ])
  func record(rate: String, choice: String, words: String) throws {
    let bench = Bench()
    let child = try bench.startRecording([
      "record", "--board", "simulator", "--until-stopped", "--rate", rate, "--sync-every", "50ms",
      "--cpu-latency", choice,
    ])
    let isAsked = words != "not held"
    #expect(holds(child.pid) == (isAsked && isThere))
    child.signal(SIGTERM)
    let outcome = child.outcome().expect(0)
    #expect(outcome.talk.contains("holding wake-ups") == (isAsked && !isThere))
    let said = try bench.run("info", "1", "--json").json()["cpuLatency"].text
    #expect(said == (isAsked && !isThere ? "refused" : words))
    // Simulated time does not wait.
    try bench.record("--for", "1s", "--rate", "1000", "--cpu-latency", "0")
    #expect(try bench.run("info", "2", "--json").json()["cpuLatency"].text == "not held")
  }

  @Test("is set by the service during a recording, and not between two")
  func service() throws {
    let service = DaemonBench()
    let child = try service.startArmed()
    for number in 1...3 {
      #expect(!holds(child.pid))
      try service.startRecording()
      #expect(holds(child.pid) == isThere)
      try service.tell("stop")
      try service.wait(for: "armed")
      #expect(!holds(child.pid))
      let said = try service.bench.run("info", "\(number)", "--json").json()["cpuLatency"].text
      #expect(said == (isThere ? "held at 5 µs" : "refused"))
    }
    service.end(child)
  }
}
