// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// When a FIFO is read: at intervals that are dithered by a period of the chip.
///
///     beginning: readings 5 ms apart for 2 s, every fourth drains    then all drain
///     │  r  r  r  D  r  r  r  D  r  r  r  D  …                       D        D        D
///
/// A reading is the sharper, the closer it is to a sample. Without dither a chip whose period divides the interval would
/// always be read in the same phase. Deadline k is moved by the fraction of k² times the golden ratio, a sequence without
/// a pattern that a chip could follow.
///
/// A missed deadline is skipped, never caught up. Two drains come at once instead: one that would be due after most of the
/// FIFO has filled, and one after a drain longer than the interval: it would skip each second deadline for good, because
/// the samples that come meanwhile make the next drain as long.
@usableFromInline
package struct DrainPace: Sendable, BitwiseCopyable {
  /// Nanoseconds from one drain to the next.
  @usableFromInline package let interval: Int64
  /// Nanoseconds a slot.
  private let period: Int64
  private var origin = MonotonicTime(nanoseconds: 0)
  private var number: UInt64 = 0
  private var beginningEnd = MonotonicTime(nanoseconds: 0)
  private var lastDrain = MonotonicTime(nanoseconds: 0)
  /// When the last reading began to drain the FIFO; `nil` if it did not.
  private var drainBegin: MonotonicTime?
  /// Whether the next deadline is at once, because the last drain outlasted one.
  @usableFromInline private(set) var isCatchingUp = false
  /// From one drain to the next at most, in nanoseconds: most of the FIFO's capacity.
  private let longest: Int64
  /// When that ends; `nil` after a drain was tried then.
  private var due: MonotonicTime?
  /// The next deadline, when it is ``due`` or at once.
  private var urgent: MonotonicTime?

  /// Nanoseconds between readings in the beginning, and of all of it.
  private static var beginning: (interval: Int64, length: Int64) { (5_000_000, 2_000_000_000) }

  /// Drains every 20 ms, or every 16 slots where those take longer: a reading costs the log 6 bytes, a tenth of 16
  /// samples. But before half of the FIFO is full, and at least four times a second, because live views wait for a drain.
  @usableFromInline
  package init(hertz: Double, capacity: Int) {
    let slot = 1e9 / hertz
    period = Int64(slot)
    let filling = min(Double(capacity) * slot, 1e15)
    interval = Int64(min(max(20e6, min(16 * slot, 250e6)), filling / 2))
    longest = Int64(filling * 0.6)
  }

  /// Begins at an instant.
  @usableFromInline
  package mutating func begin(at instant: MonotonicTime) {
    (origin, lastDrain, number) = (instant, instant, 1)
    (due, urgent, drainBegin, isCatchingUp) = (nil, nil, nil, false)
    beginningEnd = instant + DrainPace.beginning.length
  }

  private var isBeginning: Bool { origin < beginningEnd }

  private var step: Int64 {
    isBeginning ? min(interval, DrainPace.beginning.interval) : interval
  }

  /// The next deadline.
  @usableFromInline
  package var deadline: MonotonicTime { urgent ?? dithered }

  private var dithered: MonotonicTime {
    let part = Double(number &* number &* 11_400_714_819_323_198_485) * 0x1p-64 - 0.5
    return origin + (Int64(number) * step + Int64(part * Double(min(period, step))))
  }

  /// Whether to drain the FIFO now, and not only to read its fill.
  @usableFromInline
  package func isDrain(at now: MonotonicTime) -> Bool {
    !isBeginning || now - lastDrain >= interval - step / 2
  }

  /// When the FIFO is nearly full, unless it is drained before.
  @usableFromInline
  package var full: MonotonicTime { lastDrain + longest * 3 / 2 }

  /// Notes a drain.
  @usableFromInline
  package mutating func drained(at now: MonotonicTime) {
    (lastDrain, drainBegin) = (now, now)
    due = now + longest
  }

  /// Moves to the first deadline after `now`.
  @usableFromInline
  package mutating func advance(past now: MonotonicTime) {
    // After an urgent drain the dithered deadline is still to come.
    let next = urgent == nil ? number + 1 : number
    number = max(next, UInt64(max(0, now - origin) / step))
    if isBeginning, origin + Int64(number) * step >= beginningEnd {
      (origin, number) = (origin + Int64(number - 1) * step, 1)
      beginningEnd = origin
    }
    while dithered <= now { number += 1 }
    urgent = nil
    isCatchingUp = number > next && drainBegin.map { now - $0 > interval } ?? false
    drainBegin = nil
    if isCatchingUp {
      urgent = now
    } else if let due, due < dithered {
      (urgent, self.due) = (max(due, now), nil)
    }
  }
}
