// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import Sampling
import Text

/// Sees in the sampler's records where motion begins and ends. Pure; used on the writer's thread.
///
///     counts ─► high pass, an axis ─► |y|² ─┬─────────────► peak ─┐
///                                           └─► mean of window ─► rms ─┴─► threshold² ─► began, quiet
///
/// The filter is of first order: y = a (y′ + x − x′), a = τ / (τ + period), τ = 1 / 2πf. It starts anew at the first
/// sample and after each sensor event, where x may step without a motion, and is then deaf for 3 τ, until y has decayed to
/// 5 % of its start, and until a window is full.
///
/// Over a gap both go on. The filter assumes that x changed in a straight line, the slowest motion that explains the next
/// sample: over k periods y = aᵏ y′ + (a + a² + … + aᵏ) (x − x′) / k. The window has a place for each tick; its mean is that
/// of its samples while they are half of its ticks or more.
///
/// An event begins with the first sample above the threshold, and ends when all samples of ``TriggerSetting/postTrigger``
/// were at most 0.7 times the threshold. A tick of unknown level puts the end off by one, together by ``patience`` at most,
/// so that a dead sensor ends the event too. So one event is reported once, however it swings and whatever is missing in it.
package struct TriggerWatch: Sendable {
  package enum Event: Equatable, Sendable {
    /// `tick` is the first one above the threshold, sampled at `at` or up to half a period later; `level` is in g.
    case began(at: MonotonicTime, tick: UInt64, level: Double)
    /// The event is over with `tick`, and `at` lies between that and the one after it.
    case quiet(at: MonotonicTime, tick: UInt64)
  }

  /// What the threshold is multiplied by for the samples that belong to an event.
  private static var release: Double { 0.7 }
  /// How long ticks of unknown level put the end of an event off, in nanoseconds, beside the start of filter and window.
  package static var patience: Int64 { 10_000_000_000 }

  private let schedule: Schedule
  private let isGrid: Bool
  /// g² a count².
  private let squareG: Double
  /// Squares of counts.
  private let limits: (threshold: Double, release: Double)
  /// τ in periods, and a.
  private let (constant, factor): (Double, Double)
  private let deafTicks: UInt64
  private let (afterTicks, pauseTicks, patienceTicks): (UInt64, UInt64, UInt64)

  /// The axes' counts of the last sample, and what passes the filter.
  private var counts = SIMD3<Double>(repeating: 0)
  private var passed = SIMD3<Double>(repeating: 0)
  /// Ticks since the filter started.
  private var heard: UInt64 = 0
  private var window: SquareWindow?
  /// The last tick of the present event that is above the release.
  private var loudest: UInt64?
  /// Ticks since then of which the level is not known.
  private var unknown: UInt64 = 0
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
    constant = rate.hertz / (2 * Double.pi * setting.cutOffHertz)
    factor = constant / (constant + 1)
    deafTicks = UInt64((3 * constant).rounded(.up))
    afterTicks = rate.ticks(inNanoseconds: setting.postTrigger)
    pauseTicks = rate.ticks(inNanoseconds: setting.pause)
    let windowTicks =
      threshold.measure == .rms ? rate.ticks(inNanoseconds: setting.window) : 0
    patienceTicks =
      rate.ticks(inNanoseconds: TriggerWatch.patience) + deafTicks + windowTicks
    window = windowTicks > 0 ? SquareWindow(count: Int(windowTicks)) : nil
  }

  /// The words of an event's mark, for its level in g.
  package static func label(_ level: Double) -> String {
    "trigger \(Plain.number(level, per: 1000)) g"
  }

  /// Whether motion would begin an event now.
  package var isArmed: Bool {
    loudest == nil && heard > deafTicks && (window.map { $0.mean != nil } ?? true)
      && newest.tick >= armedFrom
  }

  /// Looks at a record; each tick must be covered, in order.
  package mutating func note(_ record: TickRecord) -> Event? {
    switch record.kind {
    case .sample: return note(sample: record)
    case .gap:
      unknown += record.count
      return end(by: record.endTick - min(1, record.endTick))
    case .sensorEvent: heard = 0
    case .reading, .busClock, .field: break
    }
    return nil
  }

  private mutating func note(sample record: TickRecord) -> Event? {
    let periods = record.tick - min(record.tick, newest.tick)
    newest = (record.tick, record.time)
    guard let level = level(of: record.sample, after: periods) else {
      unknown += 1
      return end(by: record.tick)
    }
    guard loudest != nil else {
      guard level > limits.threshold, record.tick >= armedFrom else { return nil }
      (loudest, unknown) = (record.tick, 0)
      return .began(
        at: beginning(of: record), tick: record.tick, level: (level * squareG).squareRoot())
    }
    if level > limits.release { (loudest, unknown) = (record.tick, 0) }
    return end(by: record.tick)
  }

  /// The square of what is compared, in counts, so many periods after the last sample; `nil` while deaf.
  private mutating func level(of sample: RawSample, after periods: UInt64) -> Double? {
    let next = SIMD3(Double(sample.ax), Double(sample.ay), Double(sample.az))
    let wasDeaf = heard <= deafTicks
    if heard == 0 {
      (passed, heard) = (SIMD3(repeating: 0), 1)
      window?.empty()
    } else {
      filter(next - counts, over: max(1, periods))
      heard += max(1, periods)
    }
    counts = next
    guard heard > deafTicks else { return nil }
    let square = (passed * passed).sum()
    guard window != nil else { return square }
    // What the filter did not hear is before the window.
    window?.skip(wasDeaf ? 0 : periods - min(1, periods))
    window?.add(square)
    return window?.mean
  }

  /// Passes a change of the counts on that came in a straight line over so many periods.
  private mutating func filter(_ change: SIMD3<Double>, over periods: UInt64) {
    guard periods > 1 else {
      passed = factor * (passed + change)
      return
    }
    var (decay, square, rest) = (1.0, factor, periods)
    while rest > 0 {
      if rest % 2 == 1 { decay *= square }
      (square, rest) = (square * square, rest / 2)
    }
    // a + a² + … + aᵏ = (1 − aᵏ) a / (1 − a), and a / (1 − a) is τ in periods.
    passed = decay * passed + (1 - decay) * constant / Double(periods) * change
  }

  /// Ends the event, if it is over once `tick` is known.
  private mutating func end(by tick: UInt64) -> Event? {
    guard let loudest else { return nil }
    let last = loudest + afterTicks + min(unknown, patienceTicks)
    guard tick >= last else { return nil }
    self.loudest = nil
    armedFrom = last + 1 + pauseTicks
    return .quiet(at: end(of: last), tick: last)
  }

  /// The sample's instant, or half a period before a chip's: exports compute that anew, and a mark belongs to the first
  /// sample from its time on.
  private func beginning(of record: TickRecord) -> MonotonicTime {
    isGrid
      ? schedule.deadline(of: record.tick)
      : schedule.start + max(0, record.time - schedule.rate.periodNanoseconds / 2)
  }

  /// An instant of a tick and none of the next one; of a chip's, half a period after its sample.
  private func end(of tick: UInt64) -> MonotonicTime {
    guard !isGrid else { return schedule.deadline(of: tick) }
    let period = schedule.rate.periodNanoseconds
    let ahead = Int64(bitPattern: tick &- newest.tick)
    return schedule.start + (newest.time + ahead * period + period / 2)
  }
}

/// The mean of the newest ticks' values, each at least 0; some have none.
private struct SquareWindow: Sendable {
  /// In place of a value.
  private static var none: Double { -1 }

  private var values: [Double]
  private var next = 0
  private var sum = 0.0
  /// Ticks that have a value.
  private var known = 0
  private var isFull = false

  /// - Parameter count: Ticks, at least 1.
  init(count: Int) { values = Array(repeating: SquareWindow.none, count: count) }

  mutating func empty() { self = SquareWindow(count: values.count) }

  /// `nil` until there are as many ticks as fit, and while fewer than half of them have a value.
  var mean: Double? {
    isFull && 2 * known >= values.count ? max(0, sum) / Double(known) : nil
  }

  mutating func add(_ value: Double) {
    sum += value
    known += 1
    put(value)
  }

  /// Adds ticks without a value.
  mutating func skip(_ ticks: UInt64) {
    for _ in 0..<min(ticks, UInt64(values.count)) { put(SquareWindow.none) }
  }

  private mutating func put(_ value: Double) {
    if values[next] >= 0 {
      sum -= values[next]
      known -= 1
    }
    values[next] = value
    next += 1
    guard next == values.count else { return }
    // Summed anew, so that no rounding adds up.
    (next, isFull, sum) = (0, true, values.reduce(0) { $0 + max(0, $1) })
  }
}
