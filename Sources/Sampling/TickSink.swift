public import IMUModel

/// Where the sampler puts its records: the seam to the ring.
///
/// Called on the sampler thread, so a conforming type neither waits, allocates nor locks.
public protocol TickSink: ~Copyable {
  /// Takes a record; false when there is no room, and then the record was not taken.
  mutating func push(_ record: TickRecord) -> Bool
}
