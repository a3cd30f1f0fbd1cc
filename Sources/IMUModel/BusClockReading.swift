// SPDX-License-Identifier: Apache-2.0

/// The bus's clock in some seconds of a recording, estimated from the drains of the chip's FIFO.
///
///     count │ S addr reg Sr addr count P │ S addr reg Sr addr data … P │
///           └───────── 48 bits ──────────┘└──── 9 bits a byte more ────┘
///
/// The kernel's share of the longer transfer counts as the bus's, so the real clock is rather faster. Nothing is proved by
/// it: a bound would need the kernel's least share.
public struct BusClockReading: Equatable, Sendable, BitwiseCopyable {
  /// Nanoseconds from tick 0's deadline to the end of these seconds.
  public var time: Int64
  /// By the mean bit time, in hertz.
  public var hertz: UInt32
  /// Of the slowest second.
  public var least: UInt32
  /// Of the fastest second.
  public var most: UInt32

  /// A reading.
  public init(time: Int64, hertz: UInt32, least: UInt32, most: UInt32) {
    (self.time, self.hertz, self.least, self.most) = (time, hertz, least, most)
  }
}

extension TickRecord {
  /// A reading of the bus's clock, which stands before the tick of the next sample.
  ///
  ///     tick  of that sample      count     hertz
  ///     time  the reading's       code      least
  ///                               lateness  most
  @inlinable
  public init(_ reading: BusClockReading, before tick: UInt64) {
    self.init(tick: tick, time: reading.time, sample: RawSample())
    (count, code) = (UInt64(reading.hertz), Int32(bitPattern: reading.least))
    (lateness, kind) = (reading.most, .busClock)
  }

  /// The reading of the bus's clock, if this record is one.
  public var busClock: BusClockReading? {
    guard kind == .busClock else { return nil }
    return BusClockReading(
      time: time, hertz: UInt32(clamping: count), least: UInt32(bitPattern: code), most: lateness)
  }
}
