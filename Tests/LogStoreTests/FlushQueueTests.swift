// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import Synchronization
import Testing

@Suite("Flush queue")
struct FlushQueueTests {
  /// Lets the flusher's loop run on a thread of its own and waits for it after `body`.
  private func withFlusher(_ queue: FlushQueue, _ disk: MemoryDisk, _ body: () -> Void) {
    let work = FlusherWork(queue, disk)
    var thread = pthread_t()
    let created = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let work = Unmanaged<FlusherWork>.fromOpaque(pointer).takeRetainedValue()
        var storage = MemoryStorage(work.disk)
        work.queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    precondition(created == 0)
    body()
    pthread_join(thread, nil)
  }

  private final class FlusherWork: Sendable {
    let queue: FlushQueue
    let disk: MemoryDisk
    init(_ queue: FlushQueue, _ disk: MemoryDisk) { (self.queue, self.disk) = (queue, disk) }
  }

  @Test("a full queue refuses bytes without a trace", arguments: 1...9)
  func bounded(capacity: Int) {
    let queue = FlushQueue(capacity: capacity)
    var expected: [UInt8] = []
    for value in UInt8(1)...20 {
      let piece = [UInt8](repeating: value, count: Int(value) % 4 + 1)
      let fits = expected.count + piece.count <= capacity
      #expect(queue.put(piece) == fits)
      if fits { expected += piece }
    }
    #expect(queue.byteCount == expected.count)
    queue.close()
    let disk = MemoryDisk()
    var storage = MemoryStorage(disk)
    #expect(queue.flusherLoop(&storage, clock: SteppingClock(step: 1)) == nil)
    #expect(disk.bytes == expected)
    #expect(disk.snapshot.isFinished)
  }

  @Test(
    "order is kept between two threads, around the end of the buffer", arguments: [5, 64, 1 << 16])
  func order(capacity: Int) {
    let queue = FlushQueue(capacity: capacity)
    let disk = MemoryDisk()
    var sent: [UInt8] = []
    withFlusher(queue, disk) {
      for round in 0..<2000 {
        let piece = (0..<(round % 5 + 1)).map { UInt8(truncatingIfNeeded: round &* 7 &+ $0) }
        while !queue.put(piece) { sched_yield() }
        sent += piece
        if round % 100 == 99 { queue.requestSync() }
      }
      queue.close()
    }
    #expect(disk.bytes == sent)
    #expect(queue.durableByteCount == UInt64(sent.count))
    #expect(queue.failure == nil)
  }

  @Test("a sync follows everything put before its request, and happens once")
  func sync() {
    let queue = FlushQueue(capacity: 100)
    #expect(queue.put([1, 2]))
    queue.requestSync()
    queue.requestSync()
    #expect(queue.put([3]))
    queue.close()
    let disk = MemoryDisk()
    var storage = MemoryStorage(disk)
    queue.flusherLoop(&storage, clock: SteppingClock(step: 5))
    #expect(disk.snapshot.operations == [.write, .sync, .truncate])
    #expect(queue.durableByteCount == 3)
  }

  @Test("bytes put after the request of a sync do not count as durable with it")
  func durable() {
    let queue = FlushQueue(capacity: 10_000)
    let witness = DurableCounts(queue)
    #expect(queue.put([UInt8](repeating: 1, count: 4096)))
    queue.requestSync()
    #expect(queue.put([2, 3, 4]))
    queue.close()
    var storage = WatchedStorage(MemoryStorage(MemoryDisk()), witness: witness)
    queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
    // Before the first piece, the sync, the second piece, the end; and after all.
    #expect(witness.counts + [queue.durableByteCount] == [0, 0, 4096, 4096, 4099])
  }

  @Test("after a failed sync nothing more counts as durable, whatever later syncs return")
  func failedSync() {
    for errno in [EIO, ENOSPC] {
      let queue = FlushQueue(capacity: 100)
      #expect(queue.put([1]))
      queue.requestSync()
      queue.close()
      let disk = MemoryDisk { $0.failure = (index: 1, errno: errno) }
      var storage = MemoryStorage(disk)
      let result = queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
      #expect(result == StorageError(.sync, path: "memory", errno: errno))
      #expect(disk.snapshot.operations == [.write, .sync, .truncate])
      #expect(queue.durableByteCount == 0)
    }
  }

  final class DurableCounts: StorageWitness {
    let queue: FlushQueue
    var counts: [UInt64] = []
    let finishes = true

    init(_ queue: FlushQueue) { self.queue = queue }

    func willOperate() { counts.append(queue.durableByteCount) }
    func didSync() {}
    func didFail(_ error: StorageError) {}
  }

  @Test("the longest sync is measured by the given clock")
  func longestSync() {
    let queue = FlushQueue(capacity: 100)
    #expect(queue.longestSync == 0)
    #expect(queue.put([1]))
    queue.requestSync()
    queue.close()
    var storage = MemoryStorage(MemoryDisk())
    queue.flusherLoop(&storage, clock: SteppingClock(step: 700))
    #expect(queue.longestSync == 700)
  }

  @Test("after a full disk the end of the log goes into the spare")
  func fullDisk() {
    let queue = FlushQueue(capacity: 1000)
    let disk = MemoryDisk {
      $0.capacity = 110
      $0.spare = 60
    }
    var expected: [UInt8] = []
    withFlusher(queue, disk) {
      while queue.failure == nil {
        // One at a time: each is on the disk, or refused there, before the next.
        #expect(queue.put([7, 8, 9, 10, 11, 12, 13]))
        expected += [7, 8, 9, 10, 11, 12, 13]
        while queue.byteCount > 0, queue.failure == nil { sched_yield() }
      }
      #expect(queue.failure?.isFull == true)
      #expect(queue.put([1, 2, 3, 4]))
      expected += [1, 2, 3, 4]
      queue.close()
    }
    #expect(disk.bytes == expected)
    #expect(disk.snapshot.isFinished)
    #expect(queue.byteCount == 0)
    #expect(queue.durableByteCount == UInt64(expected.count))
  }

  @Test("after any other error nothing more is written, the file is cut, and the error is kept")
  func otherError() {
    let queue = FlushQueue(capacity: 100)
    let disk = MemoryDisk { $0.failure = (index: 1, errno: EIO) }
    withFlusher(queue, disk) {
      #expect(queue.put([1, 2]))
      while queue.byteCount > 0 { sched_yield() }
      #expect(queue.put([3]))
      while queue.failure == nil { sched_yield() }
      #expect(queue.put([4]))
      queue.requestSync()
      queue.close()
    }
    #expect(disk.bytes == [1, 2])
    #expect(disk.snapshot.operations == [.write, .write, .truncate])
    #expect(queue.failure == StorageError(.write, path: "memory", errno: EIO))
  }

  @Test("whichever operation fails, the error is kept and the loop returns", arguments: 0..<5)
  func failAtEvery(index: Int) {
    let queue = FlushQueue(capacity: 100)
    #expect(queue.put([1, 2]))
    queue.requestSync()
    queue.close()
    let disk = MemoryDisk { $0.failure = (index: index, errno: EIO) }
    var storage = MemoryStorage(disk)
    let result = queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
    #expect((result != nil) == (index < 3))
    #expect(result == queue.failure)
  }
}
