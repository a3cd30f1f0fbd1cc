// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import RingBuffer

/// The reading end of the ring, which keeps the newest ticks for the next recording:
///
///     ring    │ t-589 … t-50 │ t-49 … t │        idle: trimmed to the newest
///              dropped        a recording's first ticks, if it begins 49 ticks before t
///
/// Records that wait for longer than the ring can hold them move into memory:
///
///     log ◄── memory ◄── ring ◄── sampler
package struct History: ~Copyable {
  private var consumer: RingConsumer<TickRecord>
  /// Oldest first; those before `first` are used.
  private var memory: [TickRecord] = []
  private var first = 0
  private var taken: UInt64 = 0
  /// Records that were looked at, of all that arrived.
  private var lookedAt: UInt64 = 0

  package init(_ consumer: consuming RingConsumer<TickRecord>) {
    self.consumer = consumer
  }

  private var rememberedCount: Int { memory.count - first }

  package var isRingHalfFull: Bool { consumer.count >= consumer.capacity / 2 }

  package var isRingFull: Bool { consumer.count == consumer.capacity }

  /// Adds the last records of a sampler that has ended. Returns the tick after the last one; 0 when there is none.
  package mutating func end(with rest: [TickRecord]) -> UInt64 {
    remember(upTo: .max)
    memory += rest
    return memory.last?.endTick ?? 0
  }

  /// Leaves at most `limit` records in the ring and the newest `extra` before them in memory; drops older ones.
  package mutating func trim(to limit: Int, remembering extra: Int) {
    while consumer.count > limit, let record = consumer.pop() {
      taken += 1
      memory.append(record)
    }
    while rememberedCount > extra { _ = forget() }
    // Otherwise used records would accumulate.
    if first > memory.count / 2 {
      memory.removeFirst(first)
      first = 0
    }
  }

  /// Makes room in the ring: moves records into memory until `limit` wait there.
  package mutating func remember(upTo limit: Int) {
    while rememberedCount < limit, let record = consumer.pop() {
      taken += 1
      memory.append(record)
    }
  }

  /// Records that ever arrived.
  package var arrivals: UInt64 { taken + UInt64(consumer.count) }

  /// Adds the ring's records to `records` that arrived since the last look, each once, and leaves them there.
  package mutating func look(into records: inout [TickRecord]) {
    lookedAt = max(lookedAt, taken)
    while let record = consumer.peek(Int(lookedAt - taken)) {
      records.append(record)
      lookedAt += 1
    }
  }

  /// The first tick from `tick` on that has a record; `nil` while there is none.
  package func firstTick(from tick: UInt64) -> UInt64? {
    var index = 0
    while let record = record(index) {
      if record.kind != .reading, record.kind != .busClock, record.kind != .field,
        record.tick >= tick || record.endTick > tick
      {
        return max(record.tick, tick)
      }
      index += 1
    }
    return nil
  }

  /// The record at a place from the oldest on.
  private func record(_ index: Int) -> TickRecord? {
    index < rememberedCount ? memory[first + index] : consumer.peek(index - rememberedCount)
  }

  package mutating func drop(before tick: UInt64) {
    while next(before: tick) != nil {}
  }

  /// Removes the oldest record, if its tick is before `limit`; of a gap that continues after the limit, the part before.
  package mutating func next(before limit: UInt64) -> TickRecord? {
    guard var record = pop() else { return nil }
    guard record.tick < limit else {
      putBack(record)
      return nil
    }
    if record.kind == .gap, record.count > limit - record.tick {
      var rest = record
      rest.tick = limit
      rest.count = record.tick + record.count - limit
      putBack(rest)
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

  /// Removes the oldest record outside the ring.
  private mutating func forget() -> TickRecord? {
    guard first < memory.count else { return nil }
    first += 1
    defer { if first == memory.count { (memory, first) = ([], 0) } }
    return memory[first - 1]
  }

  /// Makes a record the oldest that was just removed.
  private mutating func putBack(_ record: TickRecord) {
    guard first > 0 else { return memory.insert(record, at: 0) }
    first -= 1
    memory[first] = record
  }
}

/// The most records of a history.
struct HistoryLimits {
  /// In the ring, which needs room for what comes between two rounds: half of it for a chip, whose samples come in bursts,
  /// and beside a magnetometer.
  let ring: Int
  /// In memory: of the time from a press until it is understood, and what has no room in the ring.
  let memory: Int

  /// Half of the ring of 600.
  private static var chipRing: Int { 300 }
  /// Readings in a history, 400 of them from the first 2 s of an epoch, and what a fast chip makes beyond its table.
  private static var chipExtra: Int { 600 }

  /// - Parameter hasField: Whether the values of a magnetometer are among the samples, at most as many.
  init(ticks: Int, _ clock: TickClock, hasField: Bool) {
    let pressTicks = Int(clock.rate.tick(atNanoseconds: RecordingWriter.longestPress)) + 1
    let isGrid = clock.source == .grid
    ring = isGrid && !hasField ? ticks : min(ticks, HistoryLimits.chipRing)
    // Clocks differ by some percent.
    let values = hasField ? (ticks + pressTicks) * 11 / 10 + 10 : 0
    memory = pressTicks + ticks - ring + (isGrid ? 0 : HistoryLimits.chipExtra) + values
  }
}

/// How long a writer waits, and how much waits for it.
extension RecordingWriter {
  /// Records that wait in memory at most: 20 s at 1 kHz, 1.2 MB.
  package static let patience = 20_000
  /// How long before its order a recording may begin, in nanoseconds: a press is understood at its release, within 1.5 s.
  static var longestPress: Int64 { 1_800_000_000 }
  /// How long an end waits for ticks that are being read, in nanoseconds: longer than the sampler withholds one.
  static func endPatience(_ rate: SampleRate) -> Int64 {
    max(1_500_000_000, min(2 * rate.periodNanoseconds + 1_000_000_000, 30_000_000_000))
  }
  /// The same when the recorder ends, which waits for 20 s at most: the card needs its share.
  static func undatedEndPatience(_ rate: SampleRate) -> Int64 {
    min(endPatience(rate), 10_000_000_000)
  }
}
