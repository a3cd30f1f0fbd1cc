// SPDX-License-Identifier: Apache-2.0

import Glibc
import RingBuffer
import Testing

@Suite struct TwoThreadTests {
  /// Two words, so that a torn or early read shows.
  struct Pair: BitwiseCopyable {
    var number: UInt64
    var complement: UInt64
  }

  @Test(
    "two thousand rings full pass from one thread to another, whole and in order",
    arguments: [1, 3, 600])
  func handovers(capacity: Int) {
    // On a busy machine the other thread runs once a ring, whatever fits into it.
    let total = UInt64(2000 * capacity)
    var ends = RingEnds<Pair>(capacity: capacity)
    let thread = ProducerThread(ends.takeProducer(), total: total)
    var consumer = ends.takeConsumer()
    var expected: UInt64 = 0
    var wrong = 0
    var patience = Patience()
    while expected < total {
      guard let pair = consumer.pop() else {
        guard patience.wait() else { break }
        continue
      }
      patience = Patience()
      if pair.number != expected || pair.complement != ~expected { wrong += 1 }
      expected += 1
    }
    thread.join()
    #expect(expected == total && wrong == 0)
    #expect(consumer.count == 0)
  }
}

/// How long a thread waits for the other: a ring that loses an element leaves one of them without a next one.
private struct Patience {
  private var end: ContinuousClock.Instant?

  /// Lets the other thread run; whether to try again.
  mutating func wait() -> Bool {
    let now = ContinuousClock.now
    let end = end ?? now + .seconds(30)
    self.end = end
    sched_yield()
    return now < end
  }
}

/// A thread that pushes 0, 1, 2 … and then drops its end.
private struct ProducerThread {
  private let thread: pthread_t

  init(_ producer: consuming RingProducer<TwoThreadTests.Pair>, total: UInt64) {
    let work = UnsafeMutablePointer<Work>.allocate(capacity: 1)
    work.initialize(to: Work(producer: producer, total: total))
    var thread = pthread_t()
    // Safe: the block is moved out of and freed by the thread alone, once.
    let result = pthread_create(&thread, nil, ProducerThread.run, work)
    precondition(result == 0, "no thread")
    self.thread = thread
  }

  private struct Work: ~Copyable {
    var producer: RingProducer<TwoThreadTests.Pair>
    let total: UInt64

    mutating func run() {
      for number in 0..<total {
        var patience = Patience()
        while !producer.push(TwoThreadTests.Pair(number: number, complement: ~number)) {
          guard patience.wait() else { return }
        }
      }
    }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    guard let work = $0?.assumingMemoryBound(to: Work.self) else { return nil }
    work.pointee.run()
    work.deinitialize(count: 1)
    work.deallocate()
    return nil
  }

  func join() {
    pthread_join(thread, nil)
  }
}
