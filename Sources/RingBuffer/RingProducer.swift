/// The end of a ring that fills it. Belongs to one thread at a time.
///
/// Safe to send: the storage is shared with the consumer alone, through the accesses of ``RingOrderings``;
/// a value that cannot be copied is on one thread at a time, and its way there orders what it did before.
public struct RingProducer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let storage: RingStorage<Element>
  @usableFromInline var steps: RingProducerSteps

  init(storage: RingStorage<Element>, steps: RingProducerSteps) {
    self.storage = storage
    self.steps = steps
  }

  @inlinable
  deinit {
    if storage.leave() { storage.free() }
  }

  /// Number of slots.
  @inlinable
  public var capacity: Int { steps.positions.capacity }

  /// Slots that can be filled now. The consumer may make it more at any time, no one can make it less.
  @inlinable
  public var free: Int {
    capacity - steps.positions.count(from: storage.loadHead(), to: steps.tail)
  }

  /// Appends `element`; false when the ring is full, which then is unchanged.
  ///
  /// - Complexity: O(1), without waiting, whatever the consumer does: some 35 instructions together with ``RingConsumer/pop()``.
  @inlinable
  public mutating func push(_ element: Element) -> Bool {
    steps.push(element, to: storage)
  }
}
