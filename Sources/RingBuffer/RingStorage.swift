// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The shared indices of a ring, at an address that does not move.
@usableFromInline
package struct RingHeader: ~Copyable {
  /// Next position to read; stored by the consumer alone.
  @usableFromInline package let head: Atomic<Int>
  /// Next position to fill; stored by the producer alone.
  @usableFromInline package let tail: Atomic<Int>
  /// Ends that still exist: 2, 1 or 0.
  @usableFromInline package let ends: Atomic<Int>

  @inlinable
  package init(position: Int) {
    head = Atomic(position)
    tail = Atomic(position)
    ends = Atomic(2)
  }
}

/// The heap memory of a ring: two pointers, copied into both ends.
///
/// Safe: both blocks live from ``allocate(capacity:position:)`` until ``free()``, which only the second end to leave calls,
/// after its own last access and, by the ordering of `leave`, after the other's. Slots hold `BitwiseCopyable` values, which
/// need no deinitialisation. Every slot index comes from ``RingPositions/slot(of:)`` and so is in `0..<capacity`.
@usableFromInline
package struct RingStorage<Element: BitwiseCopyable>: RingMemory, BitwiseCopyable {
  @usableFromInline let header: UnsafeMutablePointer<RingHeader>
  @usableFromInline let slots: UnsafeMutablePointer<Element>

  @inlinable
  init(header: UnsafeMutablePointer<RingHeader>, slots: UnsafeMutablePointer<Element>) {
    self.header = header
    self.slots = slots
  }

  /// New storage, empty, with both indices at `position`.
  @inlinable
  package static func allocate(capacity: Int, position: Int) -> RingStorage {
    let header = UnsafeMutablePointer<RingHeader>.allocate(capacity: 1)
    header.initialize(to: RingHeader(position: position))
    return RingStorage(header: header, slots: .allocate(capacity: capacity))
  }

  @inlinable @inline(__always)
  package func loadHead() -> Int { header.pointee.head.load(RingOrderings.inUse.loadHead) }

  @inlinable @inline(__always)
  package func loadTail() -> Int { header.pointee.tail.load(RingOrderings.inUse.loadTail) }

  @inlinable @inline(__always)
  package func storeHead(_ index: Int) {
    header.pointee.head.store(index, RingOrderings.inUse.storeHead)
  }

  @inlinable @inline(__always)
  package func storeTail(_ index: Int) {
    header.pointee.tail.store(index, RingOrderings.inUse.storeTail)
  }

  @inlinable @inline(__always)
  package func fill(_ slot: Int, with element: Element) {
    (slots + slot).initialize(to: element)
  }

  @inlinable @inline(__always)
  package func read(_ slot: Int) -> Element {
    slots[slot]
  }

  @inlinable
  package func leave() -> Bool {
    header.pointee.ends.decrement(RingOrderings.inUse.leave) == 0
  }

  @inlinable
  package func free() {
    header.deinitialize(count: 1)
    header.deallocate()
    slots.deallocate()
  }
}

// The library accepts only literal orderings. These switches take one from the table, a constant, so the optimiser leaves
// the one access.
extension Atomic where Value == Int {
  @inlinable @inline(__always)
  func load(_ ordering: RingOrdering) -> Int {
    switch ordering {
    case .relaxed: return load(ordering: .relaxed)
    case .acquiring: return load(ordering: .acquiring)
    case .releasing, .acquiringAndReleasing: preconditionFailure("no ordering of a load")
    }
  }

  @inlinable @inline(__always)
  func store(_ value: Int, _ ordering: RingOrdering) {
    switch ordering {
    case .relaxed: store(value, ordering: .relaxed)
    case .releasing: store(value, ordering: .releasing)
    case .acquiring, .acquiringAndReleasing: preconditionFailure("no ordering of a store")
    }
  }

  /// The new value.
  @inlinable @inline(__always)
  func decrement(_ ordering: RingOrdering) -> Int {
    precondition(ordering == .acquiringAndReleasing, "no ordering of a decrement")
    return subtract(1, ordering: .acquiringAndReleasing).newValue
  }
}
