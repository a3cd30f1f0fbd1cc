// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import LogStoreTesting
import Recorder
import TestSupport
import Testing

@Suite(
  "The service with a button, stepped in simulated time",
  .excludesProgramStarts)
struct SteppedRecorderTests {
  @Test("each recording of a service ends with its length; the status has the sensor")
  func lengths() throws {
    let service = SteppedRecorder(CountingSource())
    let start = MonotonicTime(nanoseconds: 7_002_000_123)
    var place: SensorPlace?
    let button = ScriptedButton.presses([3, 12, 21].map { start + $0 * 1_000_000_000 })
    try service.run(button, afterTick: { loop, _ in place = place ?? loop.status().sensor })
    #expect(place == ExampleLog.description().sensor.place)
    let takes = try service.recordings { reader in try WholeRecording(reader) }
    #expect(takes.prefix(2).map(\.end.reason) == [.completed, .completed])
  }

  @Test(
    "a press whose release is lost ends neither a recording nor the service, and loses no sample",
    arguments: [false, true])
  func pressWithoutRelease(afterAnother isSecond: Bool) throws {
    let service = SteppedRecorder(CountingSource())
    let start = MonotonicTime(nanoseconds: 7_002_000_123)
    let begun = start + 3_000_000_000
    var rounds = 0
    var buttonAgain: ScriptedButton?
    let button = ScriptedButton { now in
      rounds += 1
      guard rounds == 1 else { return now > begun + 12_000_000_000 ? nil : [] }
      var edges = ScriptedButton.edges([begun], of: 100_000_000)
      if isSecond { edges += ScriptedButton.edges([begun + 2_000_000_000], of: 100_000_000) }
      edges.append(LineEdge(isActive: true, time: begun + 2_200_000_000))
      buttonAgain?.forget(at: begun + 3_000_000_000)
      return edges
    }
    buttonAgain = button
    #expect(try service.run(button).machine.problem == nil)
    let take = try #require(try service.recordings { reader in try WholeRecording(reader) }.first)
    #expect(take.end.reason == .completed)
    #expect(take.ticks == 250..<900)
    buttonAgain = nil
  }
}
