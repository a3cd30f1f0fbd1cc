import RingBuffer
import Testing

@Suite struct RingEndsTests {
  @Test("a ring has 600 slots unless told otherwise")
  func capacityByDefault() {
    let ends = RingEnds<Int>()
    let producer = ends.producer
    let consumer = ends.consumer
    #expect(producer.capacity == 600)
    #expect(consumer.capacity == 600)
  }

  @Test(
    "every sequence of pushes, pops and trims from every position of a small ring does what an array does",
    arguments: [1, 2, 3])
  func everySequence(capacity: Int) {
    // Each digit in base 4 is one operation; 7 of them walk a ring of 3 past its wrap both ways.
    let operations = 7
    for position in 0..<2 * capacity {
      for sequence in 0..<(1 << (2 * operations)) {
        var ends = RingEnds<Int>(capacity: capacity, position: position)
        var model = RingModel(capacity: capacity)
        for step in 0..<operations {
          let agrees = apply(sequence >> (2 * step) & 3, step: step, to: &ends, and: &model)
          guard agrees else {
            Issue.record(
              "capacity \(capacity), position \(position), sequence \(sequence), step \(step)")
            return
          }
        }
      }
    }
  }

  /// Whether the ring gave what the model gave, and both hold equally much afterwards.
  private func apply(
    _ operation: Int, step: Int, to ends: inout RingEnds<Int>, and model: inout RingModel
  ) -> Bool {
    let agrees: Bool
    switch operation {
    case 0: agrees = ends.producer.push(step) == model.push(step)
    case 1: agrees = ends.consumer.pop() == model.pop()
    case 2: agrees = ends.consumer.trim(to: 1) == model.trim(to: 1)
    default: agrees = ends.consumer.trim(to: 0) == model.trim(to: 0)
    }
    return agrees && ends.consumer.count == model.elements.count
      && ends.producer.free == model.capacity - model.elements.count
  }

  @Test(
    "every pair of head and tail can be filled up, refuses one more, and empties in order",
    arguments: [1, 2, 3, 4, 5, 600])
  func everyLayout(capacity: Int) {
    for head in 0..<2 * capacity {
      // For 600 the layouts that differ: about empty, about full, and everything about the wrap.
      let fillings =
        capacity <= 5 ? Array(0...capacity) : [0, 1, 2, capacity / 2, capacity - 1, capacity]
      for filling in fillings {
        var ends = RingEnds<Int>(capacity: capacity, position: head)
        var refused = 0
        for element in 0..<filling where !ends.producer.push(element) { refused += 1 }
        #expect(ends.consumer.count == filling)
        #expect(ends.producer.free == capacity - filling)
        for element in filling..<capacity where !ends.producer.push(element) { refused += 1 }
        #expect(refused == 0)
        let overfull = ends.producer.push(-1)
        #expect(!overfull)
        var popped = 0
        while let element = ends.consumer.pop() {
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

  @Test("trimming keeps the newest and says how many went", arguments: [0, 1, 3, 599, 600, 601])
  func trim(limit: Int) {
    for position in [0, 1, 599, 600, 601, 1199] {
      var ends = RingEnds<Int>(capacity: 600, position: position)
      for element in 0..<600 { _ = ends.producer.push(element) }
      let gone = ends.consumer.trim(to: limit)
      #expect(gone == 600 - min(limit, 600))
      #expect(ends.consumer.count == min(limit, 600))
      let oldest = ends.consumer.pop()
      #expect(oldest == (limit == 0 ? nil : gone))
      let room = ends.producer.free
      #expect(room == gone + (limit == 0 ? 0 : 1))
    }
  }

  @Test("an end outlives the other, and what was pushed is still there")
  func oneEndGoes() {
    var consumer = filledRing(with: [7, 8, 9])
    let elements = [consumer.pop(), consumer.pop(), consumer.pop(), consumer.pop()]
    #expect(elements == [7, 8, 9, nil])
  }

  /// The consumer of a ring whose producer is gone when this returns.
  private func filledRing(with elements: [Int]) -> RingConsumer<Int> {
    let ends = RingEnds<Int>(capacity: elements.count)
    var producer = ends.producer
    for element in elements { _ = producer.push(element) }
    return ends.consumer
  }

  #if compiler(>=6.2)
    @Test("a ring without slots is refused")
    func noSlots() async {
      await #expect(processExitsWith: .failure) { _ = RingEnds<Int>(capacity: 0) }
    }

    @Test("a negative trim is refused")
    func negativeTrim() async {
      await #expect(processExitsWith: .failure) {
        var ends = RingEnds<Int>(capacity: 1)
        _ = ends.consumer.trim(to: -1)
      }
    }
  #endif
}
