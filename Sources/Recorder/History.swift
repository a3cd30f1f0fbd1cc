public import IMUModel
public import RingBuffer

/// The reading end of the ring as a service uses it: while no take runs, the ring keeps the newest ticks,
/// and a take begins with as many of them as it asks for.
///
///     ring    │ t-589 … t-50 │ t-49 … t │        idle: trimmed to the newest
///              dropped        a take's first ticks, when it begins 49 ticks before t
///
/// When records have to wait for longer than the ring can hold them, they are moved into memory, and come
/// out of there before those of the ring:
///
///     held ◄── memory ◄── ring ◄── sampler
///
/// The ring cannot be looked into, so that one record is out of it at times: the one that is held.
public struct History: ~Copyable {
  private var consumer: RingConsumer<TickRecord>
  private var held: TickRecord?
  /// Oldest first; those before `first` are used up.
  private var memory: [TickRecord] = []
  private var first = 0
  private var taken: UInt64 = 0
  /// Records that were looked at, of all that ever arrived.
  private var lookedAt: UInt64 = 0

  /// The history in the ring that `consumer` empties.
  public init(_ consumer: consuming RingConsumer<TickRecord>) {
    self.consumer = consumer
  }

  /// Records that are waiting.
  public var count: Int { rememberedCount + consumer.count }

  /// Those of them that are out of the ring.
  private var rememberedCount: Int { memory.count - first + (held == nil ? 0 : 1) }

  /// Whether at least half of the ring is filled.
  public var isRingHalfFull: Bool { consumer.count >= consumer.capacity / 2 }

  /// Whether the ring has no slot left.
  public var isRingFull: Bool { consumer.count == consumer.capacity }

  /// Adds the last records of a sampler that has ended, which follow those of the ring; the tick after the last one, 0
  /// when there is none.
  public mutating func end(with rest: [TickRecord]) -> UInt64 {
    remember(upTo: .max)
    memory += rest
    return (memory.last ?? held).map { $0.tick + $0.count } ?? 0
  }

  /// Leaves at most `limit` records in the ring, and of those before them the newest `extra` in memory; older ones are
  /// dropped.
  public mutating func trim(to limit: Int, remembering extra: Int) {
    while consumer.count > limit, let record = consumer.pop() {
      taken += 1
      memory.append(record)
    }
    while rememberedCount > extra { _ = forget() }
    // Else the used up ones would pile up.
    if first > memory.count / 2 {
      memory.removeFirst(first)
      first = 0
    }
  }

  /// Makes room in the ring: moves records into memory until `limit` wait there.
  public mutating func remember(upTo limit: Int) {
    while rememberedCount < limit, let record = consumer.pop() {
      taken += 1
      memory.append(record)
    }
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

  /// Takes the oldest record out, if it is of a tick before `limit`; of a gap that continues after it, the
  /// part before.
  public mutating func next(before limit: UInt64) -> TickRecord? {
    guard var record = pop() else { return nil }
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
    if let record = forget() { return record }
    guard let record = consumer.pop() else { return nil }
    taken += 1
    return record
  }

  /// Takes the oldest record out that is out of the ring.
  private mutating func forget() -> TickRecord? {
    if let record = held {
      held = nil
      return record
    }
    guard first < memory.count else { return nil }
    first += 1
    defer { if first == memory.count { (memory, first) = ([], 0) } }
    return memory[first - 1]
  }
}
