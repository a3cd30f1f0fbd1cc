public import IMUModel
public import RingBuffer
public import Sampling

/// The sampler's end of the ring.
public struct RingSink: TickSink, ~Copyable {
  @usableFromInline var producer: RingProducer<TickRecord>

  /// A sink into the ring that `producer` fills.
  public init(_ producer: consuming RingProducer<TickRecord>) {
    self.producer = producer
  }

  /// Puts a record into the ring; `false` when it is full.
  ///
  /// - Complexity: O(1); neither allocates nor waits.
  @inlinable
  public mutating func push(_ record: TickRecord) -> Bool { producer.push(record) }
}
