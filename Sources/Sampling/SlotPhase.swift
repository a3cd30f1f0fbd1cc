// SPDX-License-Identifier: Apache-2.0

/// An estimate of when a chip makes its samples, from readings of its FIFO, in constant time: for the live times of
/// samples, the number of missing ones, and to detect an impossible count. The proved instants are computed from the log.
///
///     read        u───v            u───v
///     slots    …  │ │ │ │ │ │ │ │ │ │ │ │
///                   └ the last one counted was whole in (u − period, v): the estimate stays in there
@usableFromInline
package struct SlotPhase: Sendable, BitwiseCopyable {
  /// Nanoseconds a slot, by the chip's table.
  @usableFromInline let nominal: Double
  /// Nanoseconds a slot.
  @usableFromInline private(set) var period: Double
  /// Slots of the epoch at the last reading.
  @usableFromInline package private(set) var count: Int64 = 0
  /// When the last one of them was whole, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  @usableFromInline private(set) var time: Int64 = 0
  /// Both at the reading before.
  @usableFromInline private(set) var earlier: (count: Int64, time: Int64) = (0, 0)
  /// The last reading's extent.
  private var read: (before: Int64, after: Int64) = (0, 0)
  /// From where the period is measured now, and next.
  private var anchors: ((count: Int64, time: Int64), (count: Int64, time: Int64)) = (
    (0, 0), (0, 0)
  )

  /// The phase of a chip that makes nominally `hertz` samples a second.
  @usableFromInline
  package init(hertz: Double) {
    nominal = 1e9 / hertz
    period = nominal
  }

  /// The share by which a chip's rate may differ from its table, and from the measured one.
  private static var tolerance: (nominal: Double, measured: Double) { (0.15, 0.03) }
  /// Nanoseconds after which the period is measured from a later anchor.
  private static var anchorSpan: Int64 { 5_000_000_000 }
  /// Nanoseconds after which the period is measured at all.
  private static var shortestSpan: Int64 { 1_000_000_000 }

  private var isMeasured: Bool { time - anchors.0.time >= SlotPhase.shortestSpan }

  /// The share by which the period may be wrong.
  private var doubt: Double {
    isMeasured ? SlotPhase.tolerance.measured : SlotPhase.tolerance.nominal
  }

  /// The most slots that can become whole in so many nanoseconds.
  @usableFromInline
  package func most(in nanoseconds: Int64) -> Int64 {
    Int64(max(0, Double(nanoseconds) / (period * (1 - doubt)))) + 1
  }

  /// An epoch begins between two instants: its slots are counted anew.
  @usableFromInline
  package mutating func begin(before: Int64, after: Int64) {
    begin(0, at: before - Int64(period / 2), read: (before, after))
  }

  /// An epoch begins with `count` slots that were counted between two instants.
  @usableFromInline
  package mutating func resume(_ count: Int64, before: Int64, after: Int64) {
    begin(count, at: before + (after - before) / 2 - Int64(period / 2), read: (before, after))
  }

  private mutating func begin(_ count: Int64, at time: Int64, read: (Int64, Int64)) {
    (self.count, self.time, self.read) = (count, time, read)
    earlier = (count, time)
    anchors = (earlier, earlier)
  }

  /// Whether a count read between two instants is possible after the last one.
  @usableFromInline
  package func isPossible(_ next: Int64, before: Int64, after: Int64) -> Bool {
    let most = Double(after - read.before) / (period * (1 - doubt)) + 1
    let least = Double(before - read.after) / (period * (1 + doubt)) - 1
    let gained = Double(next - count)
    return gained >= 0 && gained <= most && gained >= least
  }

  /// Notes that `next` slots were whole at an instant between two.
  @usableFromInline
  package mutating func note(_ next: Int64, before: Int64, after: Int64) {
    earlier = (count, time)
    let expected = time + Int64(Double(next - count) * period)
    time = max(time, min(max(expected, before - Int64(period)), after))
    count = next
    read = (before, after)
    if time - anchors.1.time >= SlotPhase.anchorSpan { anchors = (anchors.1, (count, time)) }
    if isMeasured, count > anchors.0.count {
      let measured = Double(time - anchors.0.time) / Double(count - anchors.0.count)
      let share = SlotPhase.tolerance.nominal
      period = min(max(measured, nominal * (1 - share)), nominal * (1 + share))
    }
  }

  /// When a slot near the last two readings was whole.
  @usableFromInline
  package func time(of slot: Int64) -> Int64 {
    let slots = count - earlier.count
    guard slots > 0 else { return time + Int64(Double(slot - count) * period) }
    return earlier.time
      + Int64(Double(time - earlier.time) * Double(slot - earlier.count) / Double(slots))
  }

  /// How many slots the chip has made by an instant after the last reading, if it runs on.
  @usableFromInline
  package func slots(at instant: Int64) -> Int64 {
    count + Int64(max(0, Double(instant - time) / period))
  }
}
