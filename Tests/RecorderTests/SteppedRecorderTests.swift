// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import LogStoreTesting
import Recorder
import Sampling
import TestSupport
import Testing

@Suite(
  "The service with a button, stepped in simulated time",
  .excludesProgramStarts)
struct SteppedRecorderTests {
  @Test(
    "a recording has the history before its press, and every tick up to the press that ends it")
  func twoPresses() throws {
    let service = SteppedRecorder()
    let start = MonotonicTime(nanoseconds: 7_002_000_123)
    let (first, last) = (start + 3_005_000_000, start + 6_000_000_000)
    let button = ScriptedButton.presses([first, last], of: 100_000_000)
    _ = try service.run(button)
    let entries = try service.catalogue().list().entries
    let entry = try #require(entries.first)
    #expect(entries.count == 1)
    let recording = try service.expectWhole(entry)
    let (ticks, end) = (recording.ticks, recording.end)
    // The first tick from the press on is number 301, and the last that was due at the other press is 600.
    #expect(ticks == 301 - SteppedRecorder.ticksBefore..<601)
    #expect(end.reason == .button)
  }

  @Test("each recording of a service ends with its length")
  func lengths() throws {
    let service = SteppedRecorder()
    let start = MonotonicTime(nanoseconds: 7_002_000_123)
    _ = try service.run(
      .presses([3, 12, 21].map { start + $0 * 1_000_000_000 }, of: 100_000_000))
    let ends = try service.catalogue().list().entries.map {
      ($0.number, try service.expectWhole($0).end.reason)
    }
    #expect(ends.filter { $0.0 < 3 }.map(\.1) == [.completed, .completed])
  }

  @Test(
    "a press whose release is lost ends neither a recording nor the service, and loses no sample",
    arguments: [false, true])
  func pressWithoutRelease(afterAnother isSecond: Bool) throws {
    let service = SteppedRecorder()
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
    let entry = try #require(try service.catalogue().list().entries.first)
    let recording = try service.expectWhole(entry)
    let (ticks, end) = (recording.ticks, recording.end)
    #expect(end.reason == .completed)
    #expect(ticks == 300 - SteppedRecorder.ticksBefore..<900)
    buttonAgain = nil
  }
}

extension ScriptedButton {
  /// Presses that go down at these instants and are released after `length`.
  static func edges(_ instants: [MonotonicTime], of length: Int64) -> [LineEdge] {
    instants.flatMap {
      [LineEdge(isActive: true, time: $0), LineEdge(isActive: false, time: $0 + length)]
    }
  }

  /// A button that is pressed at these instants; the service ends 5 s after the last one.
  static func presses(_ instants: [MonotonicTime], of length: Int64) -> ScriptedButton {
    var edges: [LineEdge]? = edges(instants, of: length)
    let end = (instants.last ?? MonotonicTime(nanoseconds: 0)) + 5_000_000_000
    return ScriptedButton { now in
      defer { edges = [] }
      return now > end ? nil : edges
    }
  }
}
