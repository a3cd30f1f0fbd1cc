// SPDX-License-Identifier: Apache-2.0

/// How far an atomic access orders the plain accesses around it: the C11 memory orders that the ring uses.
@usableFromInline
package enum RingOrdering: CaseIterable, Sendable {
  /// Orders nothing.
  case relaxed
  /// A load, or the load half of a read-modify-write: nothing after it moves before it.
  case acquiring
  /// A store, or the store half of a read-modify-write: nothing before it moves after it.
  case releasing
  /// A read-modify-write that does both.
  case acquiringAndReleasing
}

/// Which ordering each shared access of the ring has, and what it pairs with.
///
/// The only place where they are written: ``RingStorage`` makes its atomic accesses with them, and the tests' model checker
/// runs the same ``RingProducerSteps`` and ``RingConsumerSteps`` with them, and weakens each in turn to show that it is
/// needed.
///
/// | access | made by | ordering | pairs with | without it |
/// |---|---|---|---|---|
/// | `storeTail` | producer | releasing | `loadTail` | the consumer sees the new tail before the slot is filled |
/// | `loadTail` | consumer | acquiring | `storeTail` | the consumer reads the slot before it looked at the tail |
/// | `storeHead` | consumer | releasing | `loadHead` | the slot is free to the producer while it is still being read |
/// | `loadHead` | producer | acquiring | `storeHead` | the producer fills the slot before it looked at the head |
/// | `leave` | both | acquiring and releasing | the other end's `leave` | storage is freed under the other end's last access |
@usableFromInline
package struct RingOrderings: Equatable, Sendable {
  /// The producer's store of the tail, after it filled a slot.
  @usableFromInline package var storeTail: RingOrdering
  /// The consumer's load of the tail, before it reads a slot.
  @usableFromInline package var loadTail: RingOrdering
  /// The consumer's store of the head, after it read a slot.
  @usableFromInline package var storeHead: RingOrdering
  /// The producer's load of the head, before it fills a slot.
  @usableFromInline package var loadHead: RingOrdering
  /// Each end's decrement of the count of ends, after its last access.
  @usableFromInline package var leave: RingOrdering

  @usableFromInline
  package init(
    storeTail: RingOrdering, loadTail: RingOrdering, storeHead: RingOrdering,
    loadHead: RingOrdering, leave: RingOrdering
  ) {
    (self.storeTail, self.loadTail, self.storeHead) = (storeTail, loadTail, storeHead)
    (self.loadHead, self.leave) = (loadHead, leave)
  }

  /// The orderings in use. Folded into constants by the optimiser.
  @inlinable @inline(__always)
  package static var inUse: RingOrderings {
    RingOrderings(
      storeTail: .releasing, loadTail: .acquiring, storeHead: .releasing, loadHead: .acquiring,
      leave: .acquiringAndReleasing)
  }
}

/// The accesses to the memory that the two ends of a ring share: ``RingStorage``, or the tests' model of a weakly ordered
/// memory, on which the same steps run through every interleaving.
@usableFromInline
package protocol RingMemory: ~Copyable {
  associatedtype Element: BitwiseCopyable

  /// The producer reads the consumer's position.
  func loadHead() -> Int
  /// The consumer reads the producer's position.
  func loadTail() -> Int
  /// The consumer publishes how far it has read.
  func storeHead(_ index: Int)
  /// The producer publishes how far it has filled.
  func storeTail(_ index: Int)
  /// A plain write to slot `slot`.
  func fill(_ slot: Int, with element: Element)
  /// A plain read of slot `slot`.
  func read(_ slot: Int) -> Element
  /// Counts one end out; true for the second, which then must call ``free()``.
  func leave() -> Bool
  /// Frees the storage.
  func free()
}

/// The arithmetic of positions.
///
/// A position runs through `0..<2 * capacity` and then starts again; its slot is the position modulo the capacity. So head
/// and tail are equal when the ring is empty and `capacity` apart when it is full, for any capacity. Counters that wrap at
/// a power of two would be right only for capacities that divide it.
@usableFromInline
package struct RingPositions: Hashable, Sendable {
  /// Number of slots, at least 1.
  @usableFromInline package let capacity: Int

  @inlinable
  package init(capacity: Int) {
    self.capacity = capacity
  }

  /// Slots in use between `head` and `tail`.
  @inlinable @inline(__always)
  package func count(from head: Int, to tail: Int) -> Int {
    // Safe: both are in 0..<2 * capacity, and 2 * capacity was checked not to overflow.
    let distance = tail &- head
    return distance < 0 ? distance &+ 2 &* capacity : distance
  }

  /// The position `distance` (at most `capacity`) after `position`.
  @inlinable @inline(__always)
  package func position(_ position: Int, advancedBy distance: Int = 1) -> Int {
    let next = position &+ distance
    return next >= 2 &* capacity ? next &- 2 &* capacity : next
  }

  /// The slot of a position.
  @inlinable @inline(__always)
  package func slot(of position: Int) -> Int {
    position >= capacity ? position &- capacity : position
  }
}

/// The producer's operations, on any memory.
@usableFromInline
package struct RingProducerSteps: Hashable, Sendable {
  @usableFromInline package let positions: RingPositions
  /// The next position to fill. Only the producer writes it, so this copy is as good as the shared one.
  @usableFromInline package var tail: Int

  @inlinable
  package init(capacity: Int, tail: Int) {
    positions = RingPositions(capacity: capacity)
    self.tail = tail
  }

  /// Fills one slot, then publishes it; returns false and does nothing when none is free.
  @inlinable @inline(__always)
  package mutating func push<Memory: RingMemory & ~Copyable>(
    _ element: Memory.Element, to memory: borrowing Memory
  ) -> Bool {
    let head = memory.loadHead()
    guard positions.count(from: head, to: tail) < positions.capacity else { return false }
    memory.fill(positions.slot(of: tail), with: element)
    tail = positions.position(tail)
    memory.storeTail(tail)
    return true
  }
}

/// The consumer's operations, on any memory.
@usableFromInline
package struct RingConsumerSteps: Hashable, Sendable {
  @usableFromInline package let positions: RingPositions
  /// The next position to read. Only the consumer writes it, so this copy is as good as the shared one.
  @usableFromInline package var head: Int

  @inlinable
  package init(capacity: Int, head: Int) {
    positions = RingPositions(capacity: capacity)
    self.head = head
  }

  /// Reads one slot, then gives it back; `nil` when none is filled.
  @inlinable @inline(__always)
  package mutating func pop<Memory: RingMemory & ~Copyable>(
    from memory: borrowing Memory
  ) -> Memory.Element? {
    let tail = memory.loadTail()
    guard head != tail else { return nil }
    let element = memory.read(positions.slot(of: head))
    head = positions.position(head)
    memory.storeHead(head)
    return element
  }

  /// Reads the slot `index` after the oldest without giving it back; `nil` when it is not filled.
  @inlinable @inline(__always)
  package func peek<Memory: RingMemory & ~Copyable>(
    _ index: Int, in memory: borrowing Memory
  ) -> Memory.Element? {
    // Safe: the tail is loaded as for `pop`, so what the producer filled before it is seen; a slot from head to tail is
    // not filled again before this side, which alone moves the head, has given it back.
    guard index >= 0, index < positions.count(from: head, to: memory.loadTail()) else { return nil }
    return memory.read(positions.slot(of: positions.position(head, advancedBy: index)))
  }
}
