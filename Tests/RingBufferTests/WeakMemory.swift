// SPDX-License-Identifier: Apache-2.0

import RingBuffer

/// The two ends, as threads of the model.
enum ModelThread: Int, CaseIterable {
  case producer, consumer

  var other: ModelThread { self == .producer ? .consumer : .producer }
}

/// An error in an execution.
enum Violation: Error, Hashable {
  /// A slot was filled or read, and nothing orders that access after the other end's last one.
  case race(slot: Int)
  /// Storage was freed, and nothing orders that after the other end's last access.
  case freedTooEarly
  /// Storage was used after it was freed.
  case usedAfterFree
  /// Both ends are gone and the storage is not.
  case neverFreed
  /// An element came out that is not the next one that went in.
  case wrongElement(got: Int, expected: Int?)
}

/// A memory as weak as the C11 memory model allows for the accesses that the ring makes.
///
/// An index is the list of all stores to it, and a load may return any of them whose successor its thread has not
/// yet seen. A releasing store carries its thread's knowledge, and an acquiring load of it
/// takes that over; a relaxed one does not. Two accesses to a slot of which neither is known to come after
/// the other are a data race: hardware and compiler may do them in either order, or tear them. That
/// covers store buffers, reordered accesses and speculation alike.
struct WeakMemory: Hashable {
  /// How many accesses of each thread certainly came before.
  typealias Clock = [Int]

  struct Message: Hashable {
    var value: Int
    var clock: Clock
  }

  struct Slot: Hashable {
    var element = -1
    var filledAt = 0
    var readAt = 0
  }

  private var clocks: [Clock] = [[0, 0], [0, 0]]
  private var head: [Message]
  private var tail: [Message]
  private var ends = Message(value: 2, clock: [0, 0])
  private var slots: [Slot]
  /// Position in `head` of the newest store that the producer has seen, and in `tail` for the consumer.
  private var seen = [0, 0]
  private(set) var isFreed = false

  init(capacity: Int, position: Int) {
    head = [Message(value: position, clock: [0, 0])]
    tail = head
    slots = Array(repeating: Slot(), count: capacity)
  }

  /// How many different answers `access` can get now.
  func answers(to access: ModelAccess, by thread: ModelThread) -> Int {
    switch access {
    case .loadHead: return head.count - seen[thread.rawValue]
    case .loadTail: return tail.count - seen[thread.rawValue]
    default: return 1
    }
  }

  /// Makes an access, giving the answer of that number.
  mutating func perform(
    _ access: ModelAccess, by thread: ModelThread, choice: Int, orderings: RingOrderings
  ) throws(Violation) -> Int {
    if isFreed { throw .usedAfterFree }
    clocks[thread.rawValue][thread.rawValue] += 1
    switch access {
    case .loadHead: return load(head, by: thread, choice: choice, orderings.loadHead)
    case .loadTail: return load(tail, by: thread, choice: choice, orderings.loadTail)
    case .storeHead(let value): head.append(message(value, by: thread, orderings.storeHead))
    case .storeTail(let value): tail.append(message(value, by: thread, orderings.storeTail))
    case .fill(let slot, let element): try fill(slot, with: element)
    case .read(let slot): return try read(slot)
    case .leave: return leave(thread, orderings.leave)
    case .free: try free(by: thread)
    }
    return 0
  }

  private mutating func load(
    _ history: [Message], by thread: ModelThread, choice: Int, _ ordering: RingOrdering
  ) -> Int {
    seen[thread.rawValue] += choice
    let message = history[seen[thread.rawValue]]
    if ordering.acquires { learn(message.clock, thread) }
    return message.value
  }

  private func message(_ value: Int, by thread: ModelThread, _ ordering: RingOrdering) -> Message {
    Message(value: value, clock: ordering.releases ? clocks[thread.rawValue] : [0, 0])
  }

  private mutating func learn(_ clock: Clock, _ thread: ModelThread) {
    for index in 0..<2 {
      clocks[thread.rawValue][index] = max(clocks[thread.rawValue][index], clock[index])
    }
  }

  private mutating func fill(_ slot: Int, with element: Int) throws(Violation) {
    let clock = clocks[ModelThread.producer.rawValue]
    guard slots[slot].readAt <= clock[ModelThread.consumer.rawValue] else {
      throw .race(slot: slot)
    }
    slots[slot].element = element
    slots[slot].filledAt = clock[ModelThread.producer.rawValue]
  }

  private mutating func read(_ slot: Int) throws(Violation) -> Int {
    let clock = clocks[ModelThread.consumer.rawValue]
    guard slots[slot].filledAt <= clock[ModelThread.producer.rawValue] else {
      throw .race(slot: slot)
    }
    slots[slot].readAt = clock[ModelThread.consumer.rawValue]
    return slots[slot].element
  }

  /// A read-modify-write always acts on the newest value, and carries on what the one before released.
  private mutating func leave(_ thread: ModelThread, _ ordering: RingOrdering) -> Int {
    if ordering.acquires { learn(ends.clock, thread) }
    let released = ordering.releases ? clocks[thread.rawValue] : [0, 0]
    ends = Message(
      value: ends.value - 1,
      clock: [max(ends.clock[0], released[0]), max(ends.clock[1], released[1])])
    return ends.value
  }

  private mutating func free(by thread: ModelThread) throws(Violation) {
    let other = thread.other.rawValue
    guard clocks[thread.rawValue][other] == clocks[other][other] else { throw .freedTooEarly }
    isFreed = true
  }
}

extension RingOrdering {
  fileprivate var acquires: Bool { self == .acquiring || self == .acquiringAndReleasing }
  fileprivate var releases: Bool { self == .releasing || self == .acquiringAndReleasing }
}
