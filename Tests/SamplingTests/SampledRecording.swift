// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Sampling
import Testing

/// A sink that keeps records and can be full.
struct ArraySink: TickSink {
  final class Box {
    var records: [TickRecord] = []
    /// Records that still find room; the test adds more as a consumer would.
    var room = Int.max
  }

  let box: Box

  mutating func push(_ record: TickRecord) -> Bool {
    guard box.room > 0 else { return false }
    box.room -= 1
    box.records.append(record)
    return true
  }
}

/// A sampler with everything that a test inspects.
final class SampledRecording {
  let clock: HandClock
  let script = ScriptedSensor.Script()
  let box = ArraySink.Box()
  let stop = StopFlag()
  let rate: SampleRate
  var sampler: Sampler<ScriptedSensor, HandClock, ArraySink>

  static let start: Int64 = 1_000_000_007

  init(
    _ rate: SampleRate, ticks: UInt64?, timeUnit: Int64 = 1,
    prepare: (ScriptedSensor.Script) -> Void = { _ in }
  ) {
    prepare(script)
    self.rate = rate
    clock = HandClock(at: SampledRecording.start)
    sampler = Sampler(
      sensor: ScriptedSensor(script, clock: clock), clock: clock, sink: ArraySink(box: box),
      rate: rate, start: clock.now(), plannedTicks: ticks, timeUnit: timeUnit, stop: stop)
  }

  /// Nanoseconds since tick 0's deadline.
  var elapsed: Int64 { clock.now().nanoseconds - SampledRecording.start }

  /// All records, those that the sink had no room for at the end.
  var allRecords: [TickRecord] { box.records + sampler.undelivered }

  /// Sensor events in order.
  var events: [SensorEvent] { allRecords.compactMap(\.sensorEvent) }

  /// Gaps in order.
  var gaps: [Gap] { allRecords.compactMap(\.gap) }

  /// Runs to the end, and expects these ticks in order and in balance.
  func run(ticks: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
    sampler.run()
    #expect(imbalance(ticks: ticks) == nil, sourceLocation: sourceLocation)
  }

  /// The error in the records, or `nil`; see ``audit(_:tally:ticks:schedule:timeUnit:)``.
  func imbalance(ticks: UInt64) -> String? {
    audit(
      allRecords, tally: sampler.tally, ticks: ticks, schedule: sampler.schedule,
      timeUnit: sampler.timeUnit)
  }
}

extension SampleRate {
  /// A rate that a test knows to be one.
  static func hz(_ numerator: UInt32, per denominator: UInt32 = 1) -> SampleRate {
    guard let rate = SampleRate(numerator, per: denominator) else { preconditionFailure("no rate") }
    return rate
  }
}
