// SPDX-License-Identifier: Apache-2.0

/// A reading of a FIFO's fill: how many samples the chip had made at an instant that lies between two of the host's.
///
///     host   ──── before ───────────────────────────── after ────►  CLOCK_MONOTONIC_RAW
///     bus             S address register Sr address count P
///     chip                                  │
///                                           └ the count is latched here: `count` slots are whole, and no more
///
/// A slot is all words of one sample period; slots are counted from 1, from the beginning of an epoch. An epoch is a regime
/// with a whole count by the host: it ends with an overflow, a reset of the FIFO, or a burst that failed.
///
/// Counts are from 0 to below 2⁶⁰, and instants within ±2⁶⁰, 36 years: ``ClockTimeline`` leaves others out, and the rest of
/// this module traps.
public struct FillReading: Equatable, Sendable, BitwiseCopyable {
  /// Slots whole at the latch since the epoch began: those taken out before, and those in the FIFO.
  public var count: Int64
  /// The instant before the read, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  public var before: Int64
  /// The instant after the read; `nil` for the beginning of an epoch, which has no read.
  public var after: Int64?

  /// A reading.
  public init(count: Int64, before: Int64, after: Int64?) {
    (self.count, self.before, self.after) = (count, before, after)
  }

  /// Whether it is within the ranges, and its instants are in order.
  var isPossible: Bool {
    let limit: Int64 = 1 << 60
    return (0..<limit).contains(count) && (-limit...limit).contains(before)
      && (after.map { (before...limit).contains($0) } ?? true)
  }
}

/// A reading of the chip's own counter, beside the stamp that the counter left in the FIFO with a slot.
///
///     slots      slot │                  slot + 1 │
///     counter    ─────┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴┴──►
///                     └── ticks ───┘ of ticksPerSlot
///     host                     before ── latch ── after
///
/// Counter and stamp are rounded down, so the latch is up to a tick less or more after the slot. It is used as an edge is.
public struct FillStamp: Equatable, Sendable, BitwiseCopyable {
  /// The number of the slot in its epoch.
  public var slot: Int64
  /// The counter's value at the latch, less the slot's stamp.
  public var ticks: Int64
  /// Ticks of the counter in a slot, more than 0.
  public var ticksPerSlot: Int64
  /// The instant before the read of the counter, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  public var before: Int64
  /// The instant after it.
  public var after: Int64

  /// A reading of the counter.
  public init(slot: Int64, ticks: Int64, ticksPerSlot: Int64, before: Int64, after: Int64) {
    (self.slot, self.ticks, self.ticksPerSlot) = (slot, ticks, ticksPerSlot)
    (self.before, self.after) = (before, after)
  }

  /// Whether it is within the ranges of readings, and as near to its slot as a recorder reads it.
  var isPossible: Bool {
    FillReading(count: slot, before: before, after: after).isPossible
      && (0..<1 << 20).contains(ticks) && (1..<1 << 20).contains(ticksPerSlot)
  }

  /// What it proves.
  var bounds: [ClockBound] {
    func bound(_ ticks: Int64, _ time: Int64, isUpper: Bool) -> ClockBound {
      let whole = ticks < 0 ? -1 : ticks / ticksPerSlot
      return ClockBound(
        slot: slot + whole, time: time, isUpper: isUpper,
        part: Double(ticks - whole * ticksPerSlot) / Double(ticksPerSlot))
    }
    return [
      bound(ticks - 1, after, isUpper: true), bound(ticks + 1, before, isUpper: false),
    ]
  }
}

/// What the proof of the instants rests on, printed beside it.
///
/// Nothing is assumed of the bus. A read proves how long its bits take at most, and never how long at least: a quick bus
/// behind a slow kernel has the same stamps. So no bound is moved into the read by the bits before and after the latch.
public struct ClockAssumptions: Equatable, Sendable {
  /// The largest drift of the chip's rate against the host's clock, in parts per million a second. Recordings showed 3;
  /// warming up and wind may reach 30.
  public var drift = 50.0
  /// How far a sample may be from the smooth curve of the chip's clock, in microseconds.
  public var jitter = 5.0
  /// The bus clock in hertz, if it is known: it moves the likely instants alone.
  public var busHertz: Int?

  /// The assumptions, with a bus clock for the likely instants.
  public init(busHertz: Int? = nil) { self.busHertz = busHertz }

  /// The drift for distances by the nominal period, which all parts of a recording share: a chip that is a tenth slower
  /// drifts so much longer.
  var nominalDrift: Double { drift * 1.21 }

  /// Microseconds by which the likely latch follows the middle of a read: it comes between bits 19 and 39 of 48.
  var lean: Double { busHertz.map { 5e6 / Double($0) } ?? 0 }
}

/// One side of the interval in which a sample was made, or in which the chip's clock was between two.
struct ClockBound: Equatable, BitwiseCopyable {
  /// The number of the slot.
  var slot: Int64
  /// In nanoseconds of `CLOCK_MONOTONIC_RAW`.
  var time: Int64
  /// Whether the slot was whole at the latest at that time, or at the earliest.
  var isUpper: Bool
  /// How much of the next slot belongs to it, from 0 to less than 1.
  var part = 0.0

  /// The bounds that readings prove: slot `count` was whole at the latch, and the next one was not.
  static func bounds(of readings: some Sequence<FillReading>) -> [ClockBound] {
    readings.flatMap { reading in [upper(of: reading), lower(of: reading)].compactMap(\.self) }
  }

  /// The upper bound of a reading; the beginning of an epoch has none.
  static func upper(of reading: FillReading) -> ClockBound? {
    guard let after = reading.after, reading.count > 0 else { return nil }
    return ClockBound(slot: reading.count, time: after, isUpper: true)
  }

  static func lower(of reading: FillReading) -> ClockBound {
    ClockBound(slot: reading.count + 1, time: reading.before, isUpper: false)
  }
}
