// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Measures the bus's clock by the drains of a FIFO: two transfers of different lengths, one after the other.
///
///     second   least count time c, and the burst with the least time a bit: (d − c) / (its bits − the count's)
///     reading  mean, slowest and fastest of the first second, and then of every ten
///
/// A second counts with three drains of one burst each whose bursts are long enough. Integers only: it runs on the
/// sampler's thread.
@usableFromInline
package struct BusWatch: Sendable, BitwiseCopyable {
  /// Of this second: nanoseconds and bits of the quickest count, and of the quickest burst by the bit.
  private var count = (time: Int64.max, bits: Int64(1))
  private var burst = (time: Int64.max, bits: Int64(1))
  private var drains = 0
  private var secondEnd: MonotonicTime?
  /// Of the seconds since the last reading, in picoseconds a bit.
  private var sum: Int64 = 0
  private var least = Int64.max
  private var most: Int64 = 0
  private var seconds: Int64 = 0
  private var isFirst = true

  /// Bits that a burst needs beyond the count's, or the kernel's share decides.
  private static let leastBits: Int64 = 90
  private static let leastDrains = 3
  /// Picoseconds a bit of a bus that is faster than any: a simulated one in real time.
  private static let shortestBit: Int64 = 200_000

  @usableFromInline
  package init() {}

  /// Adds a drain: what the count and the burst after it took, in nanoseconds, and their bytes.
  ///
  /// - Returns: A reading, whose time is the instant in nanoseconds of the monotonic clock, when one is due.
  @usableFromInline
  package mutating func note(
    count: (time: Int64, bytes: Int), burst: (time: Int64, bytes: Int), at now: MonotonicTime
  ) -> BusClockReading? {
    var reading: BusClockReading?
    if now >= secondEnd ?? now {
      if secondEnd != nil { reading = endSecond(at: now) }
      secondEnd = now + 1_000_000_000
    }
    // As BusTiming has it: 9 · (3 + N) + 3.
    let (countBits, burstBits) = (Int64(count.bytes + 3) * 9 + 3, Int64(burst.bytes + 3) * 9 + 3)
    guard burstBits - countBits >= BusWatch.leastBits, count.time > 0, burst.time < 1 << 40 else {
      return reading
    }
    drains += 1
    if count.time < self.count.time { self.count = (count.time, countBits) }
    if self.burst.time == .max
      || burst.time * self.burst.bits < self.burst.time * burstBits
    {
      self.burst = (burst.time, burstBits)
    }
    return reading
  }

  private mutating func endSecond(at now: MonotonicTime) -> BusClockReading? {
    defer { (count.time, burst.time, drains) = (.max, .max, 0) }
    guard drains >= BusWatch.leastDrains, burst.time > count.time else { return nil }
    let bit = (burst.time - count.time) * 1000 / (burst.bits - count.bits)
    guard bit >= BusWatch.shortestBit else { return nil }
    (sum, seconds) = (sum + bit, seconds + 1)
    (least, most) = (min(least, bit), max(most, bit))
    guard isFirst || seconds == 10 else { return nil }
    defer { (sum, seconds, least, most, isFirst) = (0, 0, .max, 0, false) }
    func hertz(_ bit: Int64) -> UInt32 { UInt32(clamping: 1_000_000_000_000 / bit) }
    return BusClockReading(
      time: now.nanoseconds, hertz: hertz(sum / seconds), least: hertz(most), most: hertz(least))
  }
}
