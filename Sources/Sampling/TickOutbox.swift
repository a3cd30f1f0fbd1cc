// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Takes the sampler's records: the interface to the ring. Called on the sampler thread, so a conforming type neither
/// waits, allocates nor locks.
public protocol TickSink: ~Copyable {
  /// Takes a record; false when there is no room, and then the record was not taken.
  mutating func push(_ record: TickRecord) -> Bool
}

/// The buffer between the loop and the ring: merges gaps, and keeps records for which the ring had no room.
///
/// Records leave in the order of ticks, each tick once. A run of ticks lost to one cause is one record, which leaves when
/// something else follows or after a second. When the ring is full, the newest samples become a gap, which waits here:
///
///     loop ─► [ gap, event, gap ] ─► ring
///               waiting, oldest first; the last one may still grow
///
/// The memory is fixed. When more than 64 records wait, because the chip fails while the card is stuck, all further ticks
/// count as dropped for lack of room, which is true of each, and only the last further event is kept.
@usableFromInline
struct TickOutbox<Sink: TickSink & ~Copyable>: ~Copyable {
  @usableFromInline var sink: Sink
  /// What happened to every tick so far.
  @usableFromInline var tally = TickTally()
  /// The tick after the last one that is accounted for.
  @usableFromInline var nextTick: UInt64 = 0

  @usableFromInline var waiting = RecordQueue(capacity: 64)
  /// Whether the newest waiting record is a gap that the next tick may extend.
  @usableFromInline var isOpen = false
  /// When the open gap began.
  @usableFromInline var openedAt = MonotonicTime(nanoseconds: 0)
  /// A reading that must come before the next sample: the first of its epoch, or a later one in its place.
  @usableFromInline var owed: TickRecord?
  /// The epoch of the last reading that left.
  @usableFromInline var epoch: UInt32?
  /// The last event that found no room here; it leaves after everything before it.
  @usableFromInline var heldEvent: SensorEvent?

  /// An outbox in front of `sink`: one allocation.
  @inlinable
  init(sink: consuming Sink) {
    self.sink = sink
  }
}

extension TickOutbox where Sink: ~Copyable {
  /// Pushes a sample. When there is no room for it, its tick becomes part of a gap instead.
  @inlinable
  mutating func deliver(_ record: TickRecord, at now: MonotonicTime) {
    flush()
    guard waiting.count == 0, payReading(), sink.push(record) else {
      skip(Gap(firstTick: record.tick, count: 1, cause: .ringFull), at: now)
      return
    }
    tally.sampled += 1
    nextTick = record.tick + 1
  }

  /// Pushes a reading of the chip's FIFO. One that finds no room is dropped, because later ones replace it; but no sample
  /// of an epoch leaves before one of its readings.
  @inlinable
  mutating func report(_ reading: TickRecord) {
    flush()
    if reading.lateness != epoch { owed = reading }
    guard waiting.count == 0 else { return }
    if owed != nil { _ = payReading() } else { _ = sink.push(reading) }
  }

  /// Pushes a record that is of no tick, and is dropped if it finds no room: later ones are as good.
  @inlinable
  mutating func offer(_ record: TickRecord) {
    flush()
    if waiting.count == 0 { _ = sink.push(record) }
  }

  /// Pushes the reading that is owed; false when there is no room.
  @inlinable
  mutating func payReading() -> Bool {
    guard let reading = owed else { return true }
    guard sink.push(reading) else { return false }
    (owed, epoch) = (nil, reading.lateness)
    return true
  }

  /// Counts ticks that have no sample.
  @inlinable
  mutating func skip(_ gap: Gap, at now: MonotonicTime) {
    guard gap.count > 0 else { return }
    nextTick = gap.firstTick + gap.count
    let newest = waiting.count - 1
    if isOpen, let open = waiting[newest].gap {
      let isSame = open.cause == gap.cause && open.code == gap.code
      // A full outbox ends with an open gap of cause `ringFull`.
      if isSame || waiting.isFull {
        waiting[newest].count += gap.count
        tally.add(gap.count, open.cause)
        return
      }
    }
    let isLastPlace = waiting.count == waiting.capacity - 1
    let cause = isLastPlace ? .ringFull : gap.cause
    let code = isLastPlace ? 0 : gap.code
    waiting.append(
      TickRecord(Gap(firstTick: gap.firstTick, count: gap.count, cause: cause, code: code)))
    tally.add(gap.count, cause)
    isOpen = true
    openedAt = now
  }

  /// Reports what happened to the chip, after everything before it.
  @inlinable
  mutating func announce(_ event: SensorEvent) {
    guard waiting.count < waiting.capacity - 1 else {
      heldEvent = event
      return
    }
    waiting.append(TickRecord(event))
    isOpen = false
    flush()
  }

  /// Pushes complete records; called once a tick.
  @inlinable
  mutating func resolve(at now: MonotonicTime) {
    guard waiting.count > 0 else { return }
    // A gap may grow for a second.
    flush(keeping: isOpen && now - openedAt < 1_000_000_000 ? 1 : 0)
  }

  /// Pushes as much as there is room for, oldest first, except the newest `kept` records.
  @inlinable
  mutating func flush(keeping kept: Int = 0) {
    while waiting.count > kept {
      guard sink.push(waiting[0]) else { return }
      _ = waiting.removeFirst()
    }
    guard waiting.count == 0 else { return }
    isOpen = false
    guard var event = heldEvent else { return }
    heldEvent = nil
    event.tick = nextTick
    announce(event)
  }

  /// The records that the sink had no room for, oldest first. Allocates.
  @inlinable
  var undelivered: [TickRecord] {
    var records = (0..<waiting.count).map { waiting[$0] }
    if var event = heldEvent {
      event.tick = nextTick
      records.append(TickRecord(event))
    }
    return records
  }
}
