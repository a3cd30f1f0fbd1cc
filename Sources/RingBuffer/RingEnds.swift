// SPDX-License-Identifier: Apache-2.0

/// Both ends of a ring with a fixed number of slots, for one thread that fills and one that empties it.
///
///     slot      0     1     2     3     4     5        capacity 6
///             ┌─────┬─────┬─────┬─────┬─────┬─────┐
///             │     │  a  │  b  │  c  │     │     │
///             └─────┴─────┴─────┴─────┴─────┴─────┘
///                      ▲                 ▲
///                      head              tail
///                      consumer pops     producer pushes
///
///     position    0 ... 5  6 ... 11  0 ...             slot = position modulo 6
///     head == tail: empty        6 apart: full
///
/// ``RingProducer/push(_:)`` and ``RingConsumer/pop()`` never wait, allocate or lock. A full ring refuses the newest element;
/// it never overwrites.
///
///     var ends = RingEnds<TickRecord>()
///     let producer = ends.takeProducer()
///     let consumer = ends.takeConsumer()
///
/// Each end may move to another thread, and neither can be copied, so a second producer does not compile. The end that is
/// dropped second frees the storage.
public struct RingEnds<Element: BitwiseCopyable>: ~Copyable {
  // Private, and taken out by functions: Swift 6.0 cannot move a part out of a value that another module defines.
  private var producer: RingProducer<Element>?
  private var consumer: RingConsumer<Element>?

  /// A ring with `capacity` slots, by default a minute at 10 Hz: two allocations. Traps unless `capacity` is at least 1.
  public init(capacity: Int = 600) {
    self.init(capacity: capacity, position: 0)
  }

  /// A ring whose next position to fill is `position`, so that tests can begin anywhere near the wrap.
  package init(capacity: Int, position: Int) {
    precondition(capacity > 0, "a ring needs at least one slot")
    precondition(capacity <= Int.max / 2, "positions up to twice the capacity must fit")
    precondition((0..<2 * capacity).contains(position), "no such position")
    let storage = RingStorage<Element>.allocate(capacity: capacity, position: position)
    producer = RingProducer(
      storage: storage, steps: RingProducerSteps(capacity: capacity, tail: position))
    consumer = RingConsumer(
      storage: storage, steps: RingConsumerSteps(capacity: capacity, head: position))
  }

  /// The end that fills. Traps when it was taken before.
  public mutating func takeProducer() -> RingProducer<Element> {
    guard let end = producer.take() else { preconditionFailure("a ring has one producer") }
    return end
  }

  /// The end that empties. Traps when it was taken before.
  public mutating func takeConsumer() -> RingConsumer<Element> {
    guard let end = consumer.take() else { preconditionFailure("a ring has one consumer") }
    return end
  }
}

/// The end of a ring that fills it. Belongs to one thread at a time.
///
/// Safe to send: the storage is shared with the consumer alone, through the accesses of ``RingOrderings``; a value that
/// cannot be copied is on one thread at a time, and moving it there orders what it did before.
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

  /// Slots that can be filled now. The consumer may increase it at any time.
  @inlinable
  public var free: Int {
    capacity - steps.positions.count(from: storage.loadHead(), to: steps.tail)
  }

  /// Appends `element`; false when the ring is full, which then is unchanged.
  ///
  /// - Complexity: O(1), without waiting, whatever the consumer does: some 35 instructions with ``RingConsumer/pop()``.
  @inlinable
  public mutating func push(_ element: Element) -> Bool {
    steps.push(element, to: storage)
  }
}

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

  /// Elements that can be popped now. The producer may increase it at any time.
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
