// SPDX-License-Identifier: Apache-2.0

/// Why the count of a FIFO's samples began anew; raw values are part of the log format.
public enum EpochCause: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// Sampling began.
  case start = 1
  /// The FIFO was reset.
  case reset = 2
  /// The FIFO was full, and samples were lost.
  case overflow = 3
  /// A burst failed: how many bytes it took out is not known.
  case burstFailed = 4
  /// The chip was set to another rate.
  case rateChanged = 5
  /// The chip was reset.
  case chipReset = 6
  /// The FIFO was full, and the counter in the words' tags shows how many samples were lost, modulo
  /// ``overflowModulus``: the ticks of the gap agree with it.
  case countedOverflow = 7

  /// Slots after which the counter in the tags comes round (LSM6DSO data sheet, 9.78: TAG_CNT).
  public static let overflowModulus: Int64 = 4

  /// Whether the chip's oscillator ran on, so that the missing samples are a whole number of periods.
  public var runsOn: Bool {
    self != .start && self != .rateChanged && self != .chipReset
  }
}

/// A reading of the fill of a chip's FIFO, from which the instants of the samples are computed later.
///
///     epoch 3          tick 5000                   5080
///     slot             1      2      3      …      81 ┆ 82
///     reading                                         └ 80 + 1 slots were whole between `before` and `before + length`
///
/// A slot is all that the chip puts into the FIFO for one sample; slots are counted from 1 in each epoch, within which the
/// host's count is whole. Each slot of an epoch has its tick: a sample or a gap.
///
/// An edge of the line from the chip's interrupt output is an observation of the same kind, without a read: ``isEdge``. So
/// is a reading of the chip's own counter: ``stamp``.
public struct FIFOReading: Equatable, Sendable, BitwiseCopyable {
  /// The number of the epoch since the sensor was opened.
  public var epoch: UInt32
  /// Why the epoch began.
  public var cause: EpochCause
  /// The tick of the epoch's slot 1. Negative where a recording begins later than the epoch.
  public var firstTick: Int64
  /// Slots of the epoch before that have their ticks, below 2⁴⁸.
  public var countBefore: Int64
  /// Slots that were whole when the chip latched the count, below 2⁴⁸.
  public var count: Int64
  /// The instant before the read, or for an edge the latest at which `count` slots were whole: the reading of
  /// `CLOCK_MONOTONIC_RAW` less tick 0's deadline on `CLOCK_MONOTONIC`, in ns. Add ``offset`` for the samples' clock.
  public var before: Int64
  /// Nanoseconds of the read; 0 for an edge, and for the beginning of an epoch, whose count of 0 was not read.
  public var length: UInt32
  /// `CLOCK_MONOTONIC` minus `CLOCK_MONOTONIC_RAW` after the read, in microseconds, within ±2⁴⁷.
  public var offset: Int64
  /// Whether a burst followed that took out all that was counted.
  public var isDrained: Bool
  /// The chip's counter, compared with the stamp of slot `count`; `nil` where the fill was read.
  public var stamp: SlotStamp?
  /// Counted slots that are still in the FIFO, so that their samples come after this reading. A log does not keep it.
  public var waiting: Int16 = 0

  /// A reading.
  public init(
    epoch: UInt32, cause: EpochCause, firstTick: Int64, countBefore: Int64, count: Int64,
    before: Int64, length: UInt32, offset: Int64, isDrained: Bool, stamp: SlotStamp? = nil,
    waiting: Int16 = 0
  ) {
    (self.epoch, self.cause, self.firstTick) = (epoch, cause, firstTick)
    (self.countBefore, self.count) = (countBefore, count)
    (self.before, self.length, self.offset) = (before, length, offset)
    (self.isDrained, self.stamp, self.waiting) = (isDrained, stamp, waiting)
  }
}

/// The chip's counter at the latch, relative to the stamp in the FIFO of a slot.
public struct SlotStamp: Equatable, Sendable, BitwiseCopyable {
  /// Its ticks since the slot.
  public var ticks: UInt16
  /// Its ticks in a slot; not 0.
  public var ticksPerSlot: UInt16

  /// A stamp; traps when a slot has no ticks.
  public init(ticks: UInt16, ticksPerSlot: UInt16) {
    precondition(ticksPerSlot > 0, "a slot has ticks")
    (self.ticks, self.ticksPerSlot) = (ticks, ticksPerSlot)
  }
}

extension FIFOReading {
  /// Whether this is an edge: nothing was read.
  @inlinable public var isEdge: Bool { length == 0 && count > 0 && stamp == nil }
}

extension TickRecord {
  /// A reading, which stands before the tick of the next sample.
  ///
  ///     tick     of that sample        code      length
  ///     time     before                lateness  epoch
  ///     count    count, ticks in the   detail    cause, and 0x80 when drained, 0x40 with a stamp
  ///              top 16 bits
  ///     sample   offset in ax ay az, countBefore in gx gy gz, low 16 bits first; as the temperature waiting, with a stamp
  ///              ticksPerSlot, as nothing waits then
  @inlinable
  public init(_ reading: FIFOReading) {
    func word(_ value: Int64, _ place: Int64) -> Int16 {
      Int16(truncatingIfNeeded: value &>> (16 &* place))
    }
    self.init(
      tick: UInt64(bitPattern: reading.firstTick &+ reading.count &- Int64(reading.waiting)),
      time: reading.before,
      sample: RawSample())
    sample.ax = word(reading.offset, 0)
    sample.ay = word(reading.offset, 1)
    sample.az = word(reading.offset, 2)
    sample.gx = word(reading.countBefore, 0)
    sample.gy = word(reading.countBefore, 1)
    sample.gz = word(reading.countBefore, 2)
    sample.temperature = reading.waiting
    count = UInt64(bitPattern: reading.count)
    detail = reading.cause.rawValue | (reading.isDrained ? 0x80 : 0)
    if let stamp = reading.stamp {
      sample.temperature = Int16(bitPattern: stamp.ticksPerSlot)
      count |= UInt64(stamp.ticks) << 48
      detail |= 0x40
    }
    code = Int32(bitPattern: reading.length)
    lateness = reading.epoch
    kind = .reading
  }

  /// The reading, if this record is one.
  public var reading: FIFOReading? {
    guard kind == .reading, let cause = EpochCause(rawValue: detail & 0x3F) else { return nil }
    /// The upper word is signed.
    func value(_ low: Int16, _ middle: Int16, _ high: Int16) -> Int64 {
      Int64(UInt16(bitPattern: low)) | Int64(UInt16(bitPattern: middle)) << 16 | Int64(high) << 32
    }
    var (count, waiting) = (Int64(bitPattern: self.count), sample.temperature)
    var stamp: SlotStamp?
    if detail & 0x40 != 0, waiting != 0 {
      stamp = SlotStamp(
        ticks: UInt16(truncatingIfNeeded: self.count >> 48),
        ticksPerSlot: UInt16(bitPattern: waiting))
      (count, waiting) = (count & 0xFFFF_FFFF_FFFF, 0)
    }
    return FIFOReading(
      epoch: lateness, cause: cause,
      firstTick: Int64(bitPattern: tick) &- count &+ Int64(waiting),
      countBefore: value(sample.gx, sample.gy, sample.gz) & 0xFFFF_FFFF_FFFF, count: count,
      before: time,
      length: UInt32(bitPattern: code), offset: value(sample.ax, sample.ay, sample.az),
      isDrained: detail & 0x80 != 0, stamp: stamp, waiting: waiting)
  }
}
