// SPDX-License-Identifier: Apache-2.0

import RingBuffer
import Testing

@Suite struct RingModelCheckerTests {
  typealias Operation = RingModelChecker.ConsumerOperation

  /// Enough pushes to fill the ring, be refused, and fill a slot for the second time.
  private static func checker(
    _ orderings: RingOrderings, capacity: Int, operations: [Operation]? = nil
  ) -> RingModelChecker {
    RingModelChecker(
      orderings: orderings, pushes: capacity + 2,
      operations: operations ?? Array(repeating: .pop, count: capacity + 2))
  }

  @Test(
    "no interleaving loses, doubles or tears an element, or frees too early", arguments: [1, 2, 3])
  func correct(capacity: Int) {
    var checker = Self.checker(.inUse, capacity: capacity)
    // From these two positions, three slots pass both wraps: of the slots and of the positions.
    for position in capacity < 3 ? Array(0..<2 * capacity) : [2, 5] {
      let violation = checker.firstViolation(capacity: capacity, position: position)
      #expect(violation == nil, "from position \(position)")
    }
    #expect(checker.sawRefusal)
    #expect(checker.sawEmpty)
    #expect(checker.states > 500, "the exploration has shrunk to \(checker.states) states")
    // From nothing popped to everything pushed popped, each in order.
    #expect(checker.outcomes == Set((0...capacity + 2).map { Array(0..<$0) }))
  }

  @Test("a peek beside a producer is as safe as a pop", arguments: [1, 2])
  func looking(capacity: Int) {
    let operations: [Operation] = [.pop, .peek(0), .peek(1)]
    for first in operations {
      for second in operations {
        for third in operations {
          var checker = Self.checker(
            .inUse, capacity: capacity, operations: [first, second, third, .pop])
          let violation = checker.firstViolation(capacity: capacity, position: 2 * capacity - 1)
          #expect(violation == nil, "\(first), \(second), \(third)")
        }
      }
    }
  }

  /// One ordering of the table made weaker, and the violation that must follow.
  struct Weakening: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let orderings: RingOrderings
    let isCaughtAs: @Sendable (Violation) -> Bool

    init(
      _ name: String, isCaughtAs: @escaping @Sendable (Violation) -> Bool,
      _ weaken: (inout RingOrderings) -> Void
    ) {
      testDescription = name
      var orderings = RingOrderings.inUse
      weaken(&orderings)
      self.orderings = orderings
      self.isCaughtAs = isCaughtAs
    }
  }

  private static let isRace: @Sendable (Violation) -> Bool = {
    if case .race = $0 { true } else { false }
  }
  private static let isEarlyFree: @Sendable (Violation) -> Bool = { $0 == .freedTooEarly }

  static let weakenings = [
    Weakening("the producer stores the tail relaxed", isCaughtAs: isRace) {
      $0.storeTail = .relaxed
    },
    Weakening("the consumer loads the tail relaxed", isCaughtAs: isRace) { $0.loadTail = .relaxed },
    Weakening("the consumer stores the head relaxed", isCaughtAs: isRace) {
      $0.storeHead = .relaxed
    },
    Weakening("the producer loads the head relaxed", isCaughtAs: isRace) { $0.loadHead = .relaxed },
    Weakening("leaving releases nothing", isCaughtAs: isEarlyFree) { $0.leave = .acquiring },
    Weakening("leaving acquires nothing", isCaughtAs: isEarlyFree) { $0.leave = .releasing },
    Weakening("leaving orders nothing", isCaughtAs: isEarlyFree) { $0.leave = .relaxed },
  ]

  @Test(
    "each ordering is needed: weakened alone, an interleaving goes wrong", arguments: weakenings)
  func weakened(weakening: Weakening) {
    #expect(weakening.orderings != .inUse)
    for capacity in 1...3 {
      var checker = Self.checker(weakening.orderings, capacity: capacity)
      let violation = checker.firstViolation(capacity: capacity, position: 0)
      #expect(
        violation.map(weakening.isCaughtAs) == true, "capacity \(capacity): \(violation as Any)")
    }
  }
}
