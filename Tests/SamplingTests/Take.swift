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

/// A sampler with everything that a test wants to hold.
struct Take: ~Copyable {
  let clock: HandClock
  let script = ScriptedSensor.Script()
  let box = ArraySink.Box()
  let stop = StopFlag()
  let rate: SampleRate
  var sampler: Sampler<ScriptedSensor, HandClock, ArraySink>

  static let start: Int64 = 1_000_000_007

  init(_ rate: SampleRate, ticks: UInt64?, timeUnit: Int64 = 1) {
    self.rate = rate
    clock = HandClock(at: Take.start)
    sampler = Sampler(
      sensor: ScriptedSensor(script, clock: clock), clock: clock, sink: ArraySink(box: box),
      rate: rate, start: clock.now(), plannedTicks: ticks, timeUnit: timeUnit, stop: stop)
  }

  /// Nanoseconds since tick 0's deadline.
  var elapsed: Int64 { clock.now().nanoseconds - Take.start }

  /// All records, those that the sink had no room for at the end.
  var allRecords: [TickRecord] { box.records + sampler.undelivered }

  /// Sensor events in order.
  var events: [SensorEvent] { allRecords.compactMap(\.sensorEvent) }

  /// Gaps in order.
  var gaps: [Gap] { allRecords.compactMap(\.gap) }

  /// Checks that the records cover each of `ticks` ticks once and in order, that the ledger says the same,
  /// and that each sample was taken in its tick's period. Returns what is wrong, or `nil`.
  func imbalance(ticks: UInt64) -> String? {
    var ledger = TickLedger()
    var next: UInt64 = 0
    for record in allRecords {
      switch record.kind {
      case .sample:
        guard record.tick == next else { return "sample \(record.tick) where \(next) was due" }
        let time = record.time
        guard time > rate.nanoseconds(atTick: next) - sampler.timeUnit,
          time < rate.nanoseconds(atTick: next + 1), time % sampler.timeUnit == 0
        else { return "sample \(next) at \(time)" }
        ledger.sampled += 1
        next += 1
      case .gap:
        guard let gap = record.gap, gap.firstTick == next, gap.count > 0 else {
          return "gap \(record) where \(next) was due"
        }
        ledger.add(gap.count, gap.cause)
        next += gap.count
      case .sensorEvent:
        guard record.tick + 1 == next || record.tick == next else {
          return "event \(record) where \(next) was due"
        }
      }
    }
    if next != ticks { return "\(next) ticks recorded of \(ticks)" }
    if ledger != sampler.ledger { return "records say \(ledger), the ledger \(sampler.ledger)" }
    if ledger.scheduled != ticks { return "ledger \(ledger) does not add up to \(ticks)" }
    return nil
  }
}

extension SampleRate {
  /// A rate that a test knows to be one.
  static func hz(_ numerator: UInt32, per denominator: UInt32 = 1) -> SampleRate {
    guard let rate = SampleRate(numerator, per: denominator) else { preconditionFailure("no rate") }
    return rate
  }
}
