public import IMUModel
public import RingBuffer

/// The reading end of the ring as a service uses it: while no take runs, the ring keeps the newest ticks,
/// and a take begins with as many of them as it asks for.
///
///     ring    │ t-589 … t-50 │ t-49 … t │        idle: trimmed to the newest
///              dropped        a take's first ticks, when it begins 49 ticks before t
///
/// The ring cannot be looked into, so that one record is out of it at times and waits in here.
public struct History: ~Copyable {
  private var consumer: RingConsumer<TickRecord>
  private var held: TickRecord?
  private var taken: UInt64 = 0
  /// Records that were looked at, of all that ever arrived.
  private var lookedAt: UInt64 = 0

  /// The history in the ring that `consumer` empties.
  public init(_ consumer: consuming RingConsumer<TickRecord>) {
    self.consumer = consumer
  }

  /// Records that are waiting.
  public var count: Int { consumer.count + (held == nil ? 0 : 1) }

  /// Drops the oldest records until at most `limit` are left.
  public mutating func trim(to limit: Int) {
    if consumer.count >= limit { held = nil }
    taken += UInt64(consumer.trim(to: limit))
  }

  /// Records that ever arrived: when it stands still, the sampler does.
  public var arrivals: UInt64 { taken + UInt64(consumer.count) }

  /// Adds to `records` what arrived since the last look and is still in the ring, each record once, and leaves
  /// it there.
  public mutating func look(into records: inout [TickRecord]) {
    lookedAt = max(lookedAt, taken)
    while let record = consumer.peek(Int(lookedAt - taken)) {
      records.append(record)
      lookedAt += 1
    }
  }

  /// Drops everything before `tick`, and says which tick the history then begins with; `nil` while it has
  /// none from there on.
  public mutating func skip(to tick: UInt64) -> UInt64? {
    while next(before: tick) != nil {}
    return held?.tick
  }

  /// Takes the oldest record out, if it is of a tick before `limit`; of a gap that goes on behind it, the
  /// part before.
  public mutating func next(before limit: UInt64) -> TickRecord? {
    guard var record = held ?? pop() else { return nil }
    held = nil
    guard record.tick < limit else {
      held = record
      return nil
    }
    if record.kind == .gap, record.count > limit - record.tick {
      var rest = record
      rest.tick = limit
      rest.count = record.tick + record.count - limit
      held = rest
      record.count = limit - record.tick
    }
    return record
  }

  private mutating func pop() -> TickRecord? {
    guard let record = consumer.pop() else { return nil }
    taken += 1
    return record
  }
}
