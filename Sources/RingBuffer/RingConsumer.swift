/// The end of a ring that empties it. Belongs to one thread at a time.
///
/// Safe to send: as ``RingProducer``, with the sides exchanged.
public struct RingConsumer<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let storage: RingStorage<Element>
  @usableFromInline var steps: RingConsumerSteps

  init(storage: RingStorage<Element>, steps: RingConsumerSteps) {
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

  /// Elements that can be popped now. The producer may make it more at any time, no one can make it less.
  @inlinable
  public var count: Int {
    steps.positions.count(from: steps.head, to: storage.loadTail())
  }

  /// Takes the oldest element out; `nil` when the ring is empty.
  ///
  /// - Complexity: O(1), without waiting, whatever the producer does.
  @inlinable
  public mutating func pop() -> Element? {
    steps.pop(from: storage)
  }

  /// The element `index` after the oldest one, which stays; `nil` when there are no more than that.
  ///
  /// - Complexity: O(1), without waiting, whatever the producer does.
  @inlinable
  public func peek(_ index: Int) -> Element? {
    steps.peek(index, in: storage)
  }
}
