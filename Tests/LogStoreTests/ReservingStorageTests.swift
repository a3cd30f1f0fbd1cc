// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import Synchronization
import Testing

@Suite("A storage that leaves a reserve")
struct ReservingStorageTests {
  /// The free bytes by how often they were requested before, and how often that was.
  private final class Space: Sendable {
    private let count = Mutex(0)
    private let free: @Sendable (Int) throws(StorageError) -> UInt64

    init(_ free: @escaping @Sendable (Int) throws(StorageError) -> UInt64) { self.free = free }

    var questions: Int { count.withLock { $0 } }

    func ask() throws(StorageError) -> UInt64 {
      defer { count.withLock { $0 += 1 } }
      return try free(questions)
    }
  }

  private func append<Storage: LogStorage & ~Copyable>(
    _ count: Int, to storage: inout Storage
  ) -> StorageError? {
    do {
      try storage.append([UInt8](repeating: 7, count: count))
      return nil
    } catch {
      return error
    }
  }

  /// A storage that leaves `reserve` bytes of a space, and cannot make room.
  private func storage(
    _ disk: MemoryDisk, reserve: UInt64, _ space: Space
  ) -> ReservingStorage<MemoryStorage> {
    ReservingStorage(MemoryStorage(disk), reserve: reserve) { _ throws(StorageError) in
      try space.ask()
    } makeRoom: { _ in
      false
    }
  }

  @Test("checks before the first byte and after each 64 KiB, and not in between")
  func questions() {
    let space = Space { _ in 1_000_000 }
    let disk = MemoryDisk()
    var storage = storage(disk, reserve: 1000, space)
    #expect(space.questions == 0)
    for piece in 0..<64 {
      #expect(append(4096, to: &storage) == nil)
      #expect(space.questions == piece / 16 + 1)
    }
    #expect(disk.bytes.count == 64 * 4096)
    #expect(storage.name == "memory")
  }

  @Test("refuses at the reserve and not above it, once and as a full disk; then it accepts the end")
  func limit() {
    for (free, isRefused) in [(1001, false), (1000, true), (999, true), (0, true)]
      as [(UInt64, Bool)]
    {
      let space = Space { _ in free }
      let disk = MemoryDisk()
      var storage = storage(disk, reserve: 1000, space)
      let error = append(10, to: &storage)
      #expect((error != nil) == isRefused)
      #expect(error?.isFull ?? true)
      #expect(disk.bytes.count == (isRefused ? 0 : 10))
      // The same bytes, and those that end the log.
      if isRefused { #expect(append(10, to: &storage) == nil) }
      #expect(append(70_000, to: &storage) == nil)
      #expect(disk.bytes.count == 70_010)
    }
  }

  @Test("before it refuses it checks once more, and may wait for others to free space")
  func patience() {
    let questions = Mutex<[Bool]>([])
    let disk = MemoryDisk()
    // Another program is at the store at the first question, and not any more when it is waited for.
    var storage = ReservingStorage(MemoryStorage(disk), reserve: 1000) { isLast in
      questions.withLock { $0.append(isLast) }
      return isLast ? 1001 : 1000
    } makeRoom: { _ in
      false
    }
    #expect(append(65536, to: &storage) == nil)
    #expect(append(10, to: &storage) == nil)
    #expect(questions.withLock { $0 } == [false, true, false, true])
    #expect(disk.bytes.count == 65546)
  }

  @Test("a disk whose free space cannot be read fails with that error")
  func unknown() {
    let space = Space { _ throws(StorageError) in
      throw StorageError(.open, path: "/store", errno: EIO)
    }
    let disk = MemoryDisk()
    var storage = storage(disk, reserve: 0, space)
    let error = append(10, to: &storage)
    #expect(error?.errno == EIO)
    #expect(error?.isFull == false)
    #expect(disk.bytes.isEmpty)
  }

  @Test("a recording that reaches the reserve has its end, and everything written before")
  func recordingThatReachesTheReserve() throws {
    // Above the reserve for three questions, at 0, 64 and 128 KiB; the fourth is asked twice.
    let space = Space { $0 < 3 ? 10_000 : 5000 }
    let disk = MemoryDisk()
    var storage = storage(disk, reserve: 5000, space)
    let log = (0..<250_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    let queue = FlushQueue(capacity: 300_000)
    #expect(queue.put(log))
    queue.close()
    // Bytes that the writer put before it knew of the refusal follow it.
    let result = queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
    #expect(space.questions == 5)
    #expect(queue.failure == StorageError(.reserve, path: "memory", errno: ENOSPC))
    #expect(result == nil)
    #expect(disk.bytes == log)
    #expect(disk.snapshot.isFinished)
  }

  /// A file whose quota is used up from one of its writes on, until room was made often enough.
  private func storage(
    _ directory: TemporaryDirectory, _ quota: Quota
  ) throws -> ReservingStorage<FileStorage> {
    let gate = FaultGate { call in
      call.operation == .write && !quota.allows(call) ? .refuse(EDQUOT) : .pass
    }
    let file = try FileStorage(creating: directory.path + "/log", gate: gate)
    return ReservingStorage(file, reserve: 0) { _ throws(StorageError) in
      1
    } makeRoom: { _ in
      quota.makeRoom()
    }
  }

  @Test("a quota that is used up at any write costs nothing when room can be made")
  func quota() throws {
    var write = 0
    while true {
      let directory = TemporaryDirectory(inMemory: true)
      let quota = Quota(usedUpAt: write, roomsNeeded: 1)
      var storage = try storage(directory, quota)
      for piece in 0..<40 { #expect(append(4096, to: &storage) == nil, "\(write), \(piece)") }
      // A spare is kept as before.
      quota.useUp()
      var refusals = 0
      var count = 40
      while refusals == 0, count < 1000 {
        if append(4096, to: &storage) == nil { count += 1 } else { refusals += 1 }
      }
      #expect(refusals == 1, "\(write)")
      #expect(append(FileStorage.spareByteCount, to: &storage) == nil, "\(write)")
      try storage.finish()
      let length = count * 4096 + FileStorage.spareByteCount
      #expect(directory.bytes(of: "log") == [UInt8](repeating: 7, count: length), "\(write)")
      guard quota.wasMet else { break }
      write += 1
    }
    #expect(write > 5)
  }

  @Test("room that does not help is made once, and the log has its end in the spare")
  func quotaForGood() throws {
    for write in 30..<60 {
      let directory = TemporaryDirectory(inMemory: true)
      let quota = Quota(usedUpAt: write, roomsNeeded: .max)
      var storage = try storage(directory, quota)
      var count = 0
      var refusal: StorageError?
      while refusal == nil {
        refusal = append(4096, to: &storage)
        if refusal == nil { count += 1 }
      }
      #expect(refusal?.errno == EDQUOT && quota.rooms == 1, "\(write)")
      #expect(append(FileStorage.spareByteCount, to: &storage) == nil, "\(write)")
      #expect(quota.rooms == 1, "\(write)")
      try storage.finish()
      #expect(directory.bytes(of: "log").count == count * 4096 + FileStorage.spareByteCount)
    }
  }
}

/// A user's quota: overwriting costs nothing, growing the file does.
private final class Quota: Sendable {
  private struct State {
    var writesLeft: Int
    var roomsNeeded: Int
    var rooms = 0
    var length: UInt64 = 0
    var isUsedUp = false
    var wasMet = false
  }
  private let state: Mutex<State>

  init(usedUpAt write: Int, roomsNeeded: Int) {
    state = Mutex(State(writesLeft: write, roomsNeeded: roomsNeeded))
  }

  var rooms: Int { state.withLock { $0.rooms } }

  /// Whether it was used up at a write, and not by ``useUp()``.
  var wasMet: Bool { state.withLock { $0.wasMet } }

  func allows(_ call: FaultGate.Call) -> Bool {
    state.withLock { state in
      let end = call.offset + UInt64(call.bytes.count)
      guard end > state.length else { return true }
      if !state.isUsedUp, !state.wasMet, state.writesLeft == 0 {
        (state.isUsedUp, state.wasMet) = (true, true)
      }
      state.writesLeft -= 1
      if !state.isUsedUp { state.length = end }
      return !state.isUsedUp
    }
  }

  func useUp() {
    state.withLock { ($0.isUsedUp, $0.roomsNeeded) = (true, .max) }
  }

  func makeRoom() -> Bool {
    state.withLock { state in
      state.rooms += 1
      if state.rooms >= state.roomsNeeded { state.isUsedUp = false }
      return true
    }
  }
}
