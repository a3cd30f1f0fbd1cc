// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import LogStoreTesting
import Testing

/// A recording of a stepped service as a reader sees it: every tick from the first to the last, each with its sample.
struct WholeRecording {
  let description: RecordingDescription
  /// The sampler's ticks.
  let ticks: Range<UInt64>
  /// Times by the recording's ticks.
  let times: [Int64]
  let marks: [Mark]
  let end: RecordingEnd

  /// The sampler's ticks of the rows at which marks are: the first ones that are not before them.
  var markedTicks: [UInt64] {
    marks.compactMap { mark in
      times.firstIndex { $0 >= mark.time }.map { ticks.lowerBound + UInt64($0) }
    }
  }

  /// Expects a whole recording.
  ///
  /// - Parameter tick: The sampler's tick of a sample, which its counts tell.
  init<Storage: LogStorage & ~Copyable>(
    _ reader: consuming LogReader<Storage>, tick: (RawSample) -> UInt64 = ExampleLog.tick
  ) throws {
    var (numbers, times, marks): ([UInt64], [Int64], [Mark]) = ([], [], [])
    for event in try reader.readAll() {
      switch event {
      case .sample(_, let time, let sample):
        numbers.append(tick(sample))
        times.append(time)
      case .other(.mark(let mark)): marks.append(mark)
      default: break
      }
    }
    let report = try reader.account()
    description = report.description
    let first = try #require(numbers.first)
    ticks = first..<first + UInt64(numbers.count)
    (self.times, self.marks) = (times, marks)
    end = try #require(report.end)
    let isWhole = numbers == Array(ticks)
    #expect(isWhole, "recording \(description.number): \(numbers.count) samples from \(first)")
    #expect(report.isIntact, "recording \(description.number): \(report)")
    #expect(end.tally.scheduled == UInt64(numbers.count))
    #expect(description.plannedTicks.map { UInt64(numbers.count) <= $0 } ?? true)
  }
}
