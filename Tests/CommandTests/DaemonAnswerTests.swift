// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("The service's answers are true", .waitsForPrograms, .timeLimit(.minutes(60)))
struct DaemonAnswerTests {
  @Test(
    "after start the recording has samples, after stop it is whole, and after keep the kept one is")
  func atOnce() throws {
    let service = DaemonBench(["length": "until-stopped"])
    let child = try service.startArmed()
    for number in 1...5 {
      try service.tell("start")
      let status = try #require(try service.status())
      status.expect(["state": "recording", "number": .integer(Int64(number))])
      let running = try service.bench.run("info", "latest", "--json").json()
      #expect(running["number"] == .integer(Int64(number)))
      running.expect(["state": "running", "stopReason": "running"])
      let early = try service.bench.run("export", "latest").json()
      #expect(early["stopReason"] == .string("running"))
      try service.tell("stop")
      let json = try service.bench.run("export", "latest").json()
      json.expect(["number": .integer(Int64(number)), "complete": true, "stopReason": "button"])
      #expect(!json["samples"].items.isEmpty)
    }
    service.end(child)
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
}
