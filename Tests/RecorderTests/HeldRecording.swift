// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogStore
import LogStoreTesting
import Recorder

/// A recording at 1 kHz whose card blocks the flusher in one of its syncs, without threads: while the flusher is in a
/// sync, sampler and writer run on the test's clock.
final class HeldRecording: StorageWitness {
  /// How often the writer looks at the ring.
  static let writerPeriod: Int64 = 50_000_000
  static let rate = SampleRate(1000, per: 1) ?? ExampleLog.tenHertz

  let finishes = true
  let stepped: SteppedRecording<DozyClock>
  /// Ticks during the hold.
  private(set) var heldTicks: Range<UInt64> = 0..<0
  /// The log.
  private(set) var bytes: [UInt8] = []

  private let clock = DozyClock()
  private let hold: (sync: Int, nanoseconds: Int64)
  private var nextTurn: MonotonicTime
  private var syncCount = 0
  /// Bytes in the queue above which it may have no room for more.
  private let roomLeft: Int

  /// Makes the recording.
  ///
  /// - Parameters:
  ///   - ticks: Milliseconds.
  ///   - hold: The sync that takes time, and its duration; the others take no time.
  ///   - capacity: Bytes of the queue; room for several pieces, because only an append gives the others a turn.
  init(ticks: UInt64, hold: (sync: Int, nanoseconds: Int64), capacity: Int = 1 << 20) throws {
    var description = ExampleLog.description()
    description.rate = HeldRecording.rate
    self.hold = hold
    roomLeft = capacity - 4096
    stepped = SteppedRecording(
      clock, description, ticks: ticks, queue: FlushQueue(capacity: capacity))
    nextTurn = clock.now() + HeldRecording.writerPeriod
    let disk = MemoryDisk()
    var storage = WatchedStorage(MemoryStorage(disk), witness: self)
    passTime(until: clock.now())
    stepped.queue.flusherLoop(&storage, clock: clock)
    bytes = try stepped.log(disk.bytes)
  }

  func willOperate() { stepped.stepWriter() }

  func didFail(_ error: StorageError) {}

  func didSync() {
    syncCount += 1
    guard syncCount == hold.sync else { return passTime(until: clock.now()) }
    let first = stepped.tally.scheduled
    passTime(until: clock.now() + hold.nanoseconds)
    heldTicks = first..<stepped.tally.scheduled
  }

  /// Lets the others work until `instant` and until they have work for the flusher.
  private func passTime(until instant: MonotonicTime) {
    let asked = stepped.queue.byteCountToSync
    while stepped.end == nil {
      let hasWork = stepped.queue.byteCountToSync > asked || stepped.queue.byteCount > roomLeft
      guard clock.now() < instant || !hasWork else { return }
      stepped.stepSampler()
      if !stepped.isSampling { clock.sleep(until: nextTurn) }
      guard clock.now() >= nextTurn else { continue }
      stepped.stepWriter()
      nextTurn = nextTurn + HeldRecording.writerPeriod
    }
  }
}
