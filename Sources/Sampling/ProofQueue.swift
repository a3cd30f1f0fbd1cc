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

  /// A queue for `capacity` samples in front of `sink`.
  ///
  /// - Complexity: two allocations.
  @inlinable
  package init(capacity: Int, sink: consuming Sink) {
    held = HeldRecords(capacity: capacity)
    outbox = TickOutbox(sink: sink)
  }
}

extension ProofQueue where Sink: ~Copyable {
  /// Adds a sample, or a reading.
  ///
  /// When there is no room, the oldest one has waited for more than a second: it is released as a sample when its
  /// configuration was proved, because suspicion alone costs no sample.
  @inlinable
  package mutating func append(_ record: TickRecord, at now: MonotonicTime) {
    if held.isFull { handOnFirst(unlessProved: .ringFull, code: 0, at: now) }
    held.append(record)
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

  /// The chip is proved to be stuck: samples since its outputs last changed become gaps.
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

  /// Passes a record to the outbox. Many may come at once, so a gap leaves as soon as it is complete.
  @inlinable
  mutating func handOn(_ record: TickRecord, at now: MonotonicTime) {
    switch record.kind {
    case .gap:
      guard let gap = record.gap else { return }
      outbox.skip(gap, at: now)
      outbox.resolve(at: now)
    case .reading: outbox.report(record)
    case .sample, .sensorEvent: outbox.deliver(record, at: now)
    }
  }

  /// Releases a rejected sample as a gap; gaps and readings stay as they are.
  @inlinable
  mutating func handOn(
    _ record: TickRecord, as cause: GapCause, code: Int32, at now: MonotonicTime
  ) {
    guard record.kind == .sample else { return handOn(record, at: now) }
    handOn(
      TickRecord(Gap(firstTick: record.tick, count: 1, cause: cause, code: code)), at: now)
  }
}
