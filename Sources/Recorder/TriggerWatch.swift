// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import Sampling

/// Sees in the sampler's records where motion begins and ends. Pure; used on the writer's thread.
///
///     counts ─► high pass, an axis ─► |y|² ─┬─────────────► peak ─┐
///                                           └─► mean of window ─► rms ─┴─► threshold² ─► began, quiet
///
/// The filter is of first order: y = a (y′ + x − x′), a = τ / (τ + period), τ = 1 / 2πf. It starts anew at the first
/// sample and after each gap or sensor event, where x may step without a motion, and is deaf then for 3 τ: y has decayed to
/// 5 % of whatever x′ it started with. With a window, that has to be full, too.
///
/// An event begins with the first sample above the threshold, and is over with the last one above 0.7 times the threshold
/// that none follows within ``TriggerSetting/postTrigger``. So one event is reported once, however it swings.
package struct TriggerWatch: Sendable {
  package enum Event: Equatable, Sendable {
    /// The sample of `tick` is the first one above the threshold. It was measured at `at` or a little later, and the sample
    /// before it earlier; `level` is in g.
    case began(at: MonotonicTime, tick: UInt64, level: Double)
    /// The event is over with `tick`, and `at` lies between that and the one after it.
    case quiet(at: MonotonicTime, tick: UInt64)
  }

  /// What the threshold is multiplied by for the samples that belong to an event.
  private static var release: Double { 0.7 }

  private let schedule: Schedule
  private let isGrid: Bool
  /// g² a count².
  private let squareG: Double
  /// Squares of counts.
  private let limits: (threshold: Double, release: Double)
  private let factor: Double
  private let deafTicks: UInt64
  private let (afterTicks, pauseTicks): (UInt64, UInt64)

  /// The axes' counts of the last sample, and what passes the filter.
  private var counts = SIMD3<Double>(repeating: 0)
  private var passed = SIMD3<Double>(repeating: 0)
  /// Samples since the filter started.
  private var heard: UInt64 = 0
  private var window: SquareWindow?
  /// The last tick of the present event that is above the release.
  private var loudest: UInt64?
  /// The first tick at which an event can begin.
  private var armedFrom: UInt64 = 0
  /// The newest sample's tick, and nanoseconds from tick 0 to it.
  private var newest: (tick: UInt64, time: Int64) = (0, 0)

  /// `nil` without a threshold, and for a sensor whose scale is not known.
  package init?(
    _ setting: TriggerSetting, _ schedule: Schedule, _ clock: ClockSource,
    _ sensor: SensorDescription
  ) {
    let scale = sensor.accelerometerScale.value
    guard let threshold = setting.threshold, scale > 0 else { return nil }
    let rate = schedule.rate
    (self.schedule, isGrid, squareG) = (schedule, clock == .grid, scale * scale)
    let square = threshold.limit * threshold.limit / squareG
    limits = (square, square * TriggerWatch.release * TriggerWatch.release)
    let constant = rate.hertz / (2 * Double.pi * setting.cutOffHertz)
    factor = constant / (constant + 1)
    deafTicks = UInt64((3 * constant).rounded(.up))
    afterTicks = rate.ticks(inNanoseconds: setting.postTrigger)
    pauseTicks = rate.ticks(inNanoseconds: setting.pause)
    if threshold.measure == .rms {
      window = SquareWindow(count: Int(rate.ticks(inNanoseconds: setting.window)))
    }
  }

  /// The words of an event's mark, for its level in g.
  package static func label(_ level: Double) -> String {
    "trigger \(Plain.number(level, per: 1000)) g"
  }

  /// Whether motion would begin an event now.
  package var isArmed: Bool {
    loudest == nil && heard > deafTicks && window?.isFull != false && newest.tick >= armedFrom
  }

  /// Looks at a record; each tick must be covered, in order.
  package mutating func note(_ record: TickRecord) -> Event? {
    switch record.kind {
    case .sample: return note(sample: record)
    case .gap:
      heard = 0
      return end(by: record.endTick - min(1, record.endTick))
    case .sensorEvent: heard = 0
    case .reading: break
    }
    return nil
  }

  private mutating func note(sample record: TickRecord) -> Event? {
    newest = (record.tick, record.time)
    guard let level = level(of: record.sample) else { return end(by: record.tick) }
    guard loudest != nil else {
      guard level > limits.threshold, record.tick >= armedFrom else { return nil }
      loudest = record.tick
      return .began(
        at: beginning(of: record), tick: record.tick, level: (level * squareG).squareRoot())
    }
    if level > limits.release { loudest = record.tick }
    return end(by: record.tick)
  }

  /// The square of what is compared, in counts; `nil` while deaf.
  private mutating func level(of sample: RawSample) -> Double? {
    let next = SIMD3(Double(sample.ax), Double(sample.ay), Double(sample.az))
    passed = heard == 0 ? SIMD3(repeating: 0) : factor * (passed + next - counts)
    counts = next
    heard += 1
    if heard == 1 { window?.empty() }
    guard heard > deafTicks else { return nil }
    let square = (passed * passed).sum()
    return window == nil ? square : window?.mean(with: square)
  }

  /// Ends the event, if it is over once `tick` is known.
  private mutating func end(by tick: UInt64) -> Event? {
    guard let loudest, tick >= loudest + afterTicks else { return nil }
    let last = loudest + afterTicks
    self.loudest = nil
    armedFrom = last + 1 + pauseTicks
    return .quiet(at: end(of: last), tick: last)
  }

  /// The sample's instant, or a little before it: not after the time that its log gives it, which is rounded down.
  private func beginning(of record: TickRecord) -> MonotonicTime {
    isGrid
      ? schedule.deadline(of: record.tick)
      : schedule.start + max(0, record.time - RecorderSetup.timeUnit)
  }

  /// An instant of a tick and none of the next one; of a chip's, half a period after its sample.
  private func end(of tick: UInt64) -> MonotonicTime {
    guard !isGrid else { return schedule.deadline(of: tick) }
    let period = schedule.rate.periodNanoseconds
    let ahead = Int64(bitPattern: tick &- newest.tick)
    return schedule.start + (newest.time + ahead * period + period / 2)
  }
}

/// The mean of the newest values, each at least 0.
private struct SquareWindow: Sendable {
  private var values: [Double]
  private var next = 0
  private var sum = 0.0
  private(set) var isFull = false

  init(count: Int) { values = Array(repeating: 0, count: max(1, count)) }

  mutating func empty() { (next, sum, isFull) = (0, 0, false) }

  /// Adds a value; `nil` until there are as many as fit.
  mutating func mean(with value: Double) -> Double? {
    sum += value - (isFull ? values[next] : 0)
    values[next] = value
    next += 1
    if next == values.count {
      // Summed anew, so that no rounding adds up.
      (next, isFull, sum) = (0, true, values.reduce(0, +))
    }
    return isFull ? max(0, sum) / Double(values.count) : nil
  }
}
