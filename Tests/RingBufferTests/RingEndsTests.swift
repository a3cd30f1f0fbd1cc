// SPDX-License-Identifier: Apache-2.0

import RingBuffer
import Testing
import TestSupport

@Suite struct RingEndsTests {
  @Test("a ring has 600 slots by default")
  func capacityByDefault() {
    var ends = RingEnds<Int>()
    let producer = ends.takeProducer()
    let consumer = ends.takeConsumer()
    #expect(producer.capacity == 600)
    #expect(consumer.capacity == 600)
  }

  @Test(
    "every sequence of pushes, pops and peeks from every position of a small ring behaves as an array",
    arguments: [1, 2, 3])
  func everySequence(capacity: Int) {
    // Each digit in base 4 is one operation; 7 of them walk a ring of 3 past its wrap both ways.
    let operations = 7
    for position in 0..<2 * capacity {
      for sequence in 0..<(1 << (2 * operations)) {
        var ring = Ring(capacity: capacity, position: position)
        var model: [Int] = []
        for step in 0..<operations {
          let agrees = apply(sequence >> (2 * step) & 3, step: step, to: &ring, and: &model)
          guard agrees else {
            Issue.record(
              "capacity \(capacity), position \(position), sequence \(sequence), step \(step)")
            return
          }
        }
      }
    }
  }

  /// Whether a ring and an array return the same, and hold equally much afterwards.
  private func apply(
    _ operation: Int, step: Int, to ring: inout Ring, and model: inout [Int]
  ) -> Bool {
    let agrees: Bool
    switch operation {
    case 0:
      let fits = model.count < ring.producer.capacity
      if fits { model.append(step) }
      agrees = ring.producer.push(step) == fits
    case 1: agrees = ring.consumer.pop() == (model.isEmpty ? nil : model.removeFirst())
    case 2: agrees = ring.consumer.peek(0) == model.first
    default: agrees = ring.consumer.peek(1) == model.dropFirst().first
    }
    return agrees && ring.consumer.count == model.count
      && ring.producer.free == ring.producer.capacity - model.count
  }

  @Test("a peek returns the same elements as pops, from every position, and changes nothing")
  func peek() {
    for capacity in 1...4 {
      for position in 0..<2 * capacity {
        for filling in 0...capacity {
          var ring = Ring(capacity: capacity, position: position)
          for element in 0..<filling { _ = ring.producer.push(element) }
          for _ in 0..<2 {
            #expect(
              (0...capacity).map { ring.consumer.peek($0) }
                == (0...capacity).map { $0 < filling ? $0 : nil })
          }
          #expect(ring.consumer.peek(-1) == nil)
          #expect((0..<filling).map { _ in ring.consumer.pop() } == (0..<filling).map { $0 })
          #expect(ring.consumer.peek(0) == nil)
        }
      }
    }
  }

  @Test(
    "every pair of head and tail can be filled up, refuses one more, and empties in order",
    arguments: [1, 2, 3, 4, 5, 600])
  func everyLayout(capacity: Int) {
    for head in 0..<2 * capacity {
      // For 600 the layouts that differ: near empty, near full, and everything around the wrap.
      let fillings =
        capacity <= 5 ? Array(0...capacity) : [0, 1, 2, capacity / 2, capacity - 1, capacity]
      for filling in fillings {
        var ring = Ring(capacity: capacity, position: head)
        var refused = 0
        for element in 0..<filling where !ring.producer.push(element) { refused += 1 }
        #expect(ring.consumer.count == filling)
        #expect(ring.producer.free == capacity - filling)
        for element in filling..<capacity where !ring.producer.push(element) { refused += 1 }
        #expect(refused == 0)
        let overfull = ring.producer.push(-1)
        #expect(!overfull)
        var popped = 0
        while let element = ring.consumer.pop() {
          guard element == popped else {
            Issue.record("capacity \(capacity), head \(head), filling \(filling): \(element)")
            return
          }
          popped += 1
        }
        #expect(popped == capacity)
      }
    }
  }

  @Test("each end may outlive the other, and the pushed elements are still there")
  func oneEndGoes() {
    var consumer = filledRing(with: [7, 8, 9])
    let elements = [consumer.pop(), consumer.pop(), consumer.pop(), consumer.pop()]
    #expect(elements == [7, 8, 9, nil])
  }

  /// The consumer of a ring whose producer is gone when this returns.
  private func filledRing(with elements: [Int]) -> RingConsumer<Int> {
    var ends = RingEnds<Int>(capacity: elements.count)
    var producer = ends.takeProducer()
    for element in elements { _ = producer.push(element) }
    return ends.takeConsumer()
  }

  #if compiler(>=6.2)
    @Test("a ring without slots is refused", .waitsForPrograms)
    func trapsWithoutSlots() async {
      await #expect(processExitsWith: .failure) { _ = RingEnds<Int>(capacity: 0) }
    }

    @Test("each end can be taken once", .waitsForPrograms)
    func trapsAtSecondEnd() async {
      await #expect(processExitsWith: .failure) {
        var ends = RingEnds<Int>()
        _ = ends.takeProducer()
        _ = ends.takeProducer()
      }
      await #expect(processExitsWith: .failure) {
        var ends = RingEnds<Int>()
        _ = ends.takeConsumer()
        _ = ends.takeConsumer()
      }
    }
  #endif
}

/// Both ends on one thread.
private struct Ring: ~Copyable {
  var producer: RingProducer<Int>
  var consumer: RingConsumer<Int>

  /// An empty ring whose next slot to fill is that of `position`.
  init(capacity: Int, position: Int) {
    var ends = RingEnds<Int>(capacity: capacity, position: position)
    producer = ends.takeProducer()
    consumer = ends.takeConsumer()
  }
}
