// SPDX-License-Identifier: Apache-2.0

/// One report of the sampler, in one slot of the ring: fixed size, no references. Ticks come in order, and each scheduled
/// tick is covered once, by a sample or by a gap; events and readings stand between them.
public struct TickRecord: Equatable, Sendable, BitwiseCopyable {
  /// The kinds of record.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// ``TickRecord/sample`` was read at ``TickRecord/time``.
    case sample
    /// ``TickRecord/count`` ticks from ``TickRecord/tick`` on have no sample, for the cause in ``TickRecord/detail``.
    case gap
    /// A ``SensorEvent``: its kind in ``TickRecord/detail``, its fault in ``TickRecord/code``.
    case sensorEvent
    /// A ``FIFOReading``; the fields of a record have other meanings in it.
    case reading
    /// A ``BusClockReading``; the fields of a record have other meanings in it.
    case busClock
    /// A ``FieldReading``; some fields of a record have other meanings in it.
    case field
  }

  /// Number of the tick, of the first one for a gap.
  public var tick: UInt64
  /// Nanoseconds from tick 0's deadline to the beginning of the read; 0 for gaps and events.
  public var time: Int64
  /// Ticks covered by a gap, else 1 for a sample and 0 for an event.
  public var count: UInt64
  /// The errno of a bus-error gap, the raw fault of an event, else 0.
  public var code: Int32
  /// Nanoseconds from the tick's deadline to the sampler's waking for it, at most 2³²−1; 0 for gaps and events.
  public var lateness: UInt32
  /// The counts; zeros for gaps and events.
  public var sample: RawSample
  /// The kind of this record.
  public var kind: Kind
  /// Raw ``GapCause``, raw ``SensorEvent/Kind`` or raw ``FieldReading/Flags``, else 0.
  public var detail: UInt8

  /// The sample of one tick; `lateness` is clamped to the field's range.
  @inlinable
  public init(tick: UInt64, time: Int64, lateness: Int64 = 0, sample: RawSample) {
    (self.tick, self.time, self.sample) = (tick, time, sample)
    self.lateness = UInt32(clamping: lateness)
    (count, code, kind, detail) = (1, 0, .sample, 0)
  }

  /// A run of ticks without samples.
  public init(_ gap: Gap) {
    self.init(tick: gap.firstTick, time: 0, sample: RawSample())
    (count, code, kind, detail) = (gap.count, gap.code, .gap, gap.cause.rawValue)
  }

  /// Something that happened to the chip.
  public init(_ event: SensorEvent) {
    self.init(tick: event.tick, time: 0, sample: RawSample())
    (count, code) = (0, Int32(event.fault.rawValue))
    (kind, detail) = (.sensorEvent, event.kind.rawValue)
  }

  /// The tick after the last one that this record covers; for others the one that it stands before.
  @inlinable
  public var endTick: UInt64 {
    switch kind {
    case .sample, .gap: tick + count
    case .sensorEvent, .reading, .busClock, .field: tick
    }
  }

  /// The gap, if this record is one.
  public var gap: Gap? {
    guard kind == .gap, let cause = GapCause(rawValue: detail) else { return nil }
    return Gap(firstTick: tick, count: count, cause: cause, code: code)
  }

  /// The sensor event, if this record is one.
  public var sensorEvent: SensorEvent? {
    guard kind == .sensorEvent, let kind = SensorEvent.Kind(rawValue: detail),
      let fault = SensorEvent.Fault(rawValue: UInt8(truncatingIfNeeded: code))
    else { return nil }
    return SensorEvent(tick: tick, kind: kind, fault: fault)
  }
}
