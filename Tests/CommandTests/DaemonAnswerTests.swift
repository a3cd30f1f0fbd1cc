// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStoreTesting
import Testing
import TestSupport

@Suite("The service's answers are true", .waitsForPrograms, .timeLimit(.minutes(60)))
struct DaemonAnswerTests {
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
