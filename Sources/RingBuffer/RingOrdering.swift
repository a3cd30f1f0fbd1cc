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
/// This is the only place where they are written: ``RingStorage`` makes its atomic accesses with them, and
/// the model checker in the tests reads them from here, runs the same ``RingProducerSteps`` and
/// ``RingConsumerSteps``, and weakens one after the other to see each missed.
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
    self.storeTail = storeTail
    self.loadTail = loadTail
    self.storeHead = storeHead
    self.loadHead = loadHead
    self.leave = leave
  }

  /// The orderings in use. Folded into constants by the optimiser.
  @inlinable @inline(__always)
  package static var inUse: RingOrderings {
    RingOrderings(
      storeTail: .releasing, loadTail: .acquiring, storeHead: .releasing, loadHead: .acquiring,
      leave: .acquiringAndReleasing)
  }
}
