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
/// So an operation can be run up to its next access, again and again, by the code that the real ring runs;
/// whatever it does after ``next`` was asked is thrown away with the copy of the steps it was done on.
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
