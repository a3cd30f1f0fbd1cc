// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Samples between their read and their proof, and the buffer to the ring after them.
///
///     read ─► held until proved ─► outbox ─► ring
///
/// Everything leaves in the order of ticks. Gaps and readings among samples wait with them.
@usableFromInline
package struct ProofQueue<Sink: TickSink & ~Copyable>: ~Copyable {
  @usableFromInline package var held: HeldRecords
  @usableFromInline var outbox: TickOutbox<Sink>

  /// A queue for `capacity` samples in front of `sink`: two allocations.
  @inlinable
  package init(capacity: Int, sink: consuming Sink) {
    held = HeldRecords(capacity: capacity)
    outbox = TickOutbox(sink: sink)
  }
}

extension ProofQueue where Sink: ~Copyable {
  /// Adds a sample, or a reading.
  ///
  /// When there is no room, the oldest one has waited for more than a second: it is released as a sample if its
  /// configuration was proved, because suspicion alone costs no sample.
  @inlinable
  package mutating func append(_ record: TickRecord, at now: MonotonicTime) {
    if held.queue.isFull { handOnFirst(unlessProved: .ringFull, code: 0, at: now) }
    held.queue.append(record)
  }

  /// Adds ticks without a sample, after the records that are held.
  @inlinable
  package mutating func skip(_ gap: Gap, at now: MonotonicTime) {
    release(at: now)
    guard gap.count > 0 else { return }
    while !held.isEmpty {
      if held.append(gap) { return }
      handOnFirst(unlessProved: .ringFull, code: 0, at: now)
    }
    outbox.skip(gap, at: now)
  }

  /// Passes proved records to the outbox, at most `limit`.
  @inlinable
  package mutating func release(at now: MonotonicTime, limit: Int = .max) {
    var count = 0
    while count < limit, held.isFirstReady {
      handOn(held.removeFirst(), at: now)
      count &+= 1
    }
  }

  /// The chip is stuck: samples since its outputs last changed become gaps.
  @inlinable
  mutating func condemnRun(at now: MonotonicTime) {
    while !held.isEmpty {
      if held.alive > 0 {
        handOnFirst(unlessProved: .reinitialising, code: 0, at: now)
      } else {
        handOn(held.removeFirst(), as: .frozen, code: 0, at: now)
      }
    }
  }

  /// Nothing will prove the latest reads: samples after the last proof of the configuration become gaps.
  @inlinable
  mutating func condemnUnproved(_ cause: GapCause, code: Int32 = 0, at now: MonotonicTime) {
    while !held.isEmpty { handOnFirst(unlessProved: cause, code: code, at: now) }
  }

  @inlinable
  mutating func handOnFirst(unlessProved cause: GapCause, code: Int32, at now: MonotonicTime) {
    let (isConfigured, isAnnounced) = (held.configured > 0, held.announced > 0)
    let record = held.removeFirst()
    if !isConfigured {
      handOn(record, as: cause, code: code, at: now)
    } else if !isAnnounced {
      handOn(record, as: .stale, code: 0, at: now)
    } else {
      handOn(record, at: now)
    }
  }

  /// Passes a record to the outbox. Many may come at once, so gaps leave as soon as they are complete.
  @inlinable
  mutating func handOn(_ record: TickRecord, at now: MonotonicTime) {
    switch record.kind {
    case .gap:
      guard let gap = record.gap else { return }
      outbox.skip(gap, at: now)
      outbox.resolve(at: now)
    case .reading: outbox.report(record)
    case .busClock, .field: outbox.offer(record)
    case .sample, .sensorEvent: outbox.deliver(record, at: now)
    }
  }

  /// Releases a rejected sample as a gap; other records stay as they are.
  @inlinable
  mutating func handOn(
    _ record: TickRecord, as cause: GapCause, code: Int32, at now: MonotonicTime
  ) {
    guard record.kind == .sample else { return handOn(record, at: now) }
    handOn(
      TickRecord(Gap(firstTick: record.tick, count: 1, cause: cause, code: code)), at: now)
  }
}

/// Samples not yet proved, and the gaps after them, oldest first.
///
/// A sample is released when later looks at the chip have shown three facts: the chip still had its configuration after
/// the read, it was not stuck, and, for an unannounced sample, it keeps making samples.
///
///     0        alive          configured     count
///     │ proved   │ may be stuck   │ may be of a chip that was reset
///     └─► outbox
///
/// The marks may come in any order. The memory is fixed: for more than a second, longer than any proof takes.
@usableFromInline
package struct HeldRecords: ~Copyable {
  @usableFromInline var queue: RecordQueue
  /// How many of the oldest were read from a chip that had its configuration.
  @usableFromInline var configured = 0
  /// How many of the oldest came before the last change of the chip's outputs.
  @usableFromInline var alive = 0
  /// How many of the oldest the chip announced, or followed by an announced one.
  @usableFromInline var announced = 0

  /// Nothing held, and room for `capacity` records: one allocation of 48 bytes a record.
  @inlinable
  package init(capacity: Int) {
    queue = RecordQueue(capacity: capacity)
  }

  /// Records that are held.
  @inlinable var count: Int { queue.count }
  @inlinable package var isEmpty: Bool { count == 0 }

  /// Whether the oldest may be released: it is proved, or it is a gap.
  @inlinable var isFirstReady: Bool {
    guard count > 0 else { return false }
    return queue[0].kind != .sample || (configured > 0 && alive > 0 && announced > 0)
  }

  /// All records held were read from a chip that has its configuration.
  @inlinable
  package mutating func proveConfiguration() { configured = count }

  /// The chip's outputs changed since all records held were read.
  @inlinable
  package mutating func proveLife() { alive = count }

  /// The chip announced the newest record held, or a sample since.
  @inlinable
  package mutating func proveAnnouncement() { announced = count }

  /// Adds a gap, or lets the newest one grow; false when there is no room.
  @inlinable
  package mutating func append(_ gap: Gap) -> Bool {
    if count > 0, let last = queue[count - 1].gap, last.cause == gap.cause,
      last.code == gap.code
    {
      queue[count - 1].count += gap.count
      return true
    }
    guard !queue.isFull else { return false }
    queue.append(TickRecord(gap))
    return true
  }

  /// Removes the oldest; traps when there is none.
  @inlinable
  package mutating func removeFirst() -> TickRecord {
    let record = queue.removeFirst()
    configured = max(0, configured - 1)
    alive = max(0, alive - 1)
    announced = max(0, announced - 1)
    return record
  }
}

/// A queue of records in memory that never grows.
@usableFromInline
struct RecordQueue: ~Copyable {
  @usableFromInline let records: UnsafeMutablePointer<TickRecord>
  @usableFromInline let capacity: Int
  @usableFromInline var first = 0
  @usableFromInline var count = 0

  /// An empty queue of `capacity` places, at least 1: one allocation.
  @inlinable
  init(capacity: Int) {
    // Safe: owned by this value alone, which cannot be copied, and freed with it. Elements are `BitwiseCopyable`, all are
    // initialised here, and every index comes from `place(_:)`.
    self.capacity = capacity
    records = .allocate(capacity: capacity)
    records.initialize(
      repeating: TickRecord(tick: 0, time: 0, sample: RawSample()), count: capacity)
  }

  @inlinable
  deinit {
    records.deallocate()
  }

  @inlinable var isFull: Bool { count == capacity }

  @inlinable
  func place(_ number: Int) -> Int { (first &+ number) % capacity }

  /// The record `number` places after the oldest; traps when there is none.
  @inlinable
  subscript(number: Int) -> TickRecord {
    get {
      precondition(number >= 0 && number < count, "no such record")
      return records[place(number)]
    }
    nonmutating set {
      precondition(number >= 0 && number < count, "no such record")
      records[place(number)] = newValue
    }
  }

  /// Adds a record; traps when there is no room.
  @inlinable
  mutating func append(_ record: TickRecord) {
    precondition(!isFull, "no room for a record")
    count += 1
    self[count - 1] = record
  }

  /// Removes the oldest; traps when there is none.
  @inlinable
  mutating func removeFirst() -> TickRecord {
    let record = self[0]
    first = place(1)
    count -= 1
    return record
  }
}
