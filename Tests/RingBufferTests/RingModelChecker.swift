// SPDX-License-Identifier: Apache-2.0

import RingBuffer

/// Runs both ends of a ring through every interleaving of their accesses and every answer that a weak
/// memory may give, and stops at the first execution that goes wrong.
struct RingModelChecker {
  enum ConsumerOperation: Hashable {
    case pop
    case peek(Int)
  }

  let orderings: RingOrderings
  let pushes: Int
  let operations: [ConsumerOperation]

  /// Different states that were reached.
  private(set) var states = 0
  /// The elements taken out, for each end of an execution that was reached.
  private(set) var outcomes: Set<[Int]> = []
  private(set) var sawRefusal = false
  private(set) var sawEmpty = false

  init(orderings: RingOrderings, pushes: Int, operations: [ConsumerOperation]) {
    self.orderings = orderings
    self.pushes = pushes
    self.operations = operations
  }

  /// Where one execution stands. Elements are numbered as they are accepted.
  private struct State: Hashable {
    var memory: WeakMemory
    var producer: RingProducerSteps
    var consumer: RingConsumerSteps
    /// Operations done, and the answers that the one under way has got, for each thread.
    var done = [0, 0]
    var answers: [[Int]] = [[], []]
    var accepted = 0
    var taken = 0
    var popped: [Int] = []
  }

  /// Explores everything; the first violation, or `nil`.
  mutating func firstViolation(capacity: Int, position: Int) -> Violation? {
    let start = State(
      memory: WeakMemory(capacity: capacity, position: position),
      producer: RingProducerSteps(capacity: capacity, tail: position),
      consumer: RingConsumerSteps(capacity: capacity, head: position))
    var visited: Set<State> = [start]
    var waiting = [start]
    do throws(Violation) {
      while let state = waiting.popLast() {
        let successors = try successors(of: state)
        if successors.isEmpty {
          guard state.memory.isFreed else { throw Violation.neverFreed }
          outcomes.insert(state.popped)
        }
        for successor in successors where visited.insert(successor).inserted {
          waiting.append(successor)
        }
      }
    } catch {
      return error
    }
    states += visited.count
    return nil
  }

  private mutating func successors(of state: State) throws(Violation) -> [State] {
    var successors: [State] = []
    for thread in ModelThread.allCases {
      let memory = ReplayingMemory(answers: state.answers[thread.rawValue])
      var trial = state
      _ = try advance(&trial, thread, on: memory)
      guard let access = memory.next else { continue }
      for choice in 0..<state.memory.answers(to: access, by: thread) {
        var successor = state
        let answer = try successor.memory.perform(
          access, by: thread, choice: choice, orderings: orderings)
        successor.answers[thread.rawValue].append(answer)
        try finishOperation(of: thread, in: &successor)
        successors.append(successor)
      }
    }
    return successors
  }

  /// Records the operation's result when it has made its last access.
  private mutating func finishOperation(
    of thread: ModelThread, in state: inout State
  ) throws(Violation) {
    let memory = ReplayingMemory(answers: state.answers[thread.rawValue])
    var trial = state
    try advance(&trial, thread, on: memory)
    guard memory.next == nil else { return }
    trial.done[thread.rawValue] += 1
    trial.answers[thread.rawValue] = []
    state = trial
  }

  /// Runs a thread's present operation as far as the memory has answers.
  private mutating func advance(
    _ state: inout State, _ thread: ModelThread, on memory: ReplayingMemory
  ) throws(Violation) {
    let number = state.done[thread.rawValue]
    switch thread {
    case .producer where number < pushes:
      let isAccepted = state.producer.push(state.accepted, to: memory)
      guard memory.next == nil else { return }
      if isAccepted { state.accepted += 1 } else { sawRefusal = true }
    case .consumer where number < operations.count:
      try consume(operations[number], &state, on: memory)
    case .producer, .consumer:
      let last = thread == .producer ? pushes : operations.count
      if number == last, memory.leave() { memory.free() }
    }
  }

  private mutating func consume(
    _ operation: ConsumerOperation, _ state: inout State, on memory: ReplayingMemory
  ) throws(Violation) {
    switch operation {
    case .pop:
      let element = state.consumer.pop(from: memory)
      guard memory.next == nil else { return }
      guard let element else {
        sawEmpty = true
        return
      }
      guard element == state.taken else {
        throw .wrongElement(got: element, expected: state.taken)
      }
      state.taken += 1
      state.popped.append(element)
    case .peek(let index):
      let element = state.consumer.peek(index, in: memory)
      guard memory.next == nil, let element else { return }
      guard element == state.taken + index else {
        throw .wrongElement(got: element, expected: state.taken + index)
      }
    }
  }
}
