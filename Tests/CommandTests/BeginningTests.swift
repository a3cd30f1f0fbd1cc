// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import TestSupport
import Testing

@Suite("Recordings that begin without a person", .waitsForPrograms, .timeLimit(.minutes(60)))
struct BeginningTests {
  @Test("a duty cycle records at each of its cycles, and the sensor sleeps between")
  func duty() throws {
    let service = DaemonBench(["while-idle": "sleep", "every": "1500ms", "length": "300ms"])
    let child = service.start()
    for number in 1...3 {
      let asleep = try service.wait(for: "asleep") { ($0["number"].double ?? 0) >= Double(number) }
      asleep.expect(["sensor": .null, "begunBy": "duty"])
      #expect((0...2).contains(asleep["nextTurn_s"].double ?? -1))
    }
    service.end(child)
    for number in ["1", "2", "3"] {
      let info = try service.bench.run("info", number, "--json").json()
      #expect(info["begunBy"].text == "duty" && info["timetable"].text == "every 1.5s")
      #expect(info["stopReason"].text == "completed" && info["ticks"]["scheduled"].double == 30)
    }
  }

  @Test("a calendar's timer is named in the recording that it begins")
  func calendar() throws {
    let service = DaemonBench(["calendar": "Mon..Fri 08:00", "length": "10m"])
    let child = try service.startArmed()
    try service.tell("start", "--calendar")
    let status = try service.wait(for: "recording")
    status.expect(["begunBy": "calendar", "calendar": "Mon..Fri 08:00"])
    expectSentence(service.bench.run("start", "--calendar"), 75, ["running already"])
    try service.tell("stop")
    try service.wait(for: "armed")
    service.end(child)
    let info = service.bench.run("info", "1")
    #expect(info.output.contains("begun by    calendar\n"))
    #expect(info.output.contains("timetable   Mon..Fri 08:00\n"))
    let facts = service.bench.run("export", "1", "--format", "csv", "--preamble").output
    #expect(facts.contains("begunBy") && facts.contains("calendar"))
  }

  @Test("the service says how motion begins recordings, and its recordings keep it")
  func trigger() throws {
    let service = DaemonBench(["trigger": "peak 2g", "pre-trigger": "500ms", "post-trigger": "3s"])
    let child = try service.startArmed()
    let status = try service.wait(for: "armed") { $0["trigger"]["armed"].isTrue }
    status.expect([
      "trigger.threshold_g": 2, "trigger.last24h": 0, "trigger.most": 1000,
      "trigger.sinceLast_s": .null, "trigger.window_s": .null, "trigger.preTrigger_s": .number(0.5),
      "trigger.postTrigger_s": 3, "trigger.pause_s": 0, "trigger.above_hz": 1,
    ])
    #expect(
      service.bench.run("status").output.contains(
        "trigger      peak 2 g above 1 Hz, 0.5 s before, 3 s after, 0 s pause, armed, 0 of 1000 recordings in 24 h\n"
      ))
    try service.makeRecording()
    service.end(child)
    let info = try service.bench.run("info", "1", "--json").json()
    #expect(info["begunBy"].text == "request")
    #expect(
      info["trigger"].text
        == "peak 2 g above 1 Hz, 0.5 s before, 3 s after, 0 s pause, 1000 in 24 h at most")
    let single = try service.bench.run(Bench.simulated + ["--json", "--for", "1s"]).json()
    #expect(single["number"].double == 2)
    #expect(try service.bench.run("info", "2", "--json").json()["begunBy"] == .null)
  }

  @Test(
    "motion begins a recording with the pre-trigger before the event's mark, in a service with its threads"
  )
  func triggered() throws {
    // The simulator's motion is above 0.01 g some time after a second, and goes on.
    let service = DaemonBench([
      "trigger": "peak 0.01g", "pre-trigger": "400ms", "length": "2s",
    ])
    let child = service.start()
    let status = try service.wait(for: "armed") { $0["number"].double == 1 }
    #expect(status["begunBy"].text == "trigger")
    #expect(status["trigger"]["last24h"].double == 1 && !status["trigger"]["armed"].isTrue)
    service.end(child)
    let log = try service.bench.run("export", "1").json()
    log.expect(["begunBy": "trigger", "stopReason": "completed", "ticks.scheduled": 240])
    #expect(log["marks"][0]["t_ns"].integer == 400_000_000)
    #expect(log["marks"][0]["label"].text?.hasPrefix("trigger 0.0") == true)
  }
}
