public import IMUModel

/// Records in the order in which they came, in memory that never grows.
@usableFromInline
struct RecordQueue: ~Copyable {
  @usableFromInline let records: UnsafeMutablePointer<TickRecord>
  @usableFromInline let capacity: Int
  @usableFromInline var first = 0
  @usableFromInline var count = 0

  /// An empty queue of `capacity` places, at least 1.
  ///
  /// - Complexity: one allocation.
  @inlinable
  init(capacity: Int) {
    // Safe: owned by this value alone, which cannot be copied, and freed when it goes. Elements are
    // `BitwiseCopyable`, all are initialised here, and every index comes from `place(_:)`.
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
