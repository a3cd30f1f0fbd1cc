// SPDX-License-Identifier: Apache-2.0

import RingBuffer

/// One access of an end to the memory that it shares with the other.
enum ModelAccess: Hashable {
  case loadHead, loadTail, leave, free
  case storeHead(Int), storeTail(Int)
  case fill(slot: Int, element: Int)
  case read(slot: Int)
}

/// A memory that answers the first accesses of an operation from a list and stops at the one after.
///
/// So the code of the real ring can run an operation up to its next access, again and again; anything that it
/// does after that access was noted in ``next`` is discarded with its copy of the steps.
final class ReplayingMemory: RingMemory {
  private let answers: [Int]
  private var used = 0
  private(set) var next: ModelAccess?

  init(answers: [Int]) {
    self.answers = answers
  }

  private func answer(_ access: ModelAccess) -> Int {
    guard next == nil else { return 0 }
    guard used < answers.count else {
      next = access
      return 0
    }
    used += 1
    return answers[used - 1]
  }

  func loadHead() -> Int { answer(.loadHead) }
  func loadTail() -> Int { answer(.loadTail) }
  func storeHead(_ index: Int) { _ = answer(.storeHead(index)) }
  func storeTail(_ index: Int) { _ = answer(.storeTail(index)) }
  func fill(_ slot: Int, with element: Int) { _ = answer(.fill(slot: slot, element: element)) }
  func read(_ slot: Int) -> Int { answer(.read(slot: slot)) }
  func leave() -> Bool { answer(.leave) == 0 }
  func free() { _ = answer(.free) }
}
