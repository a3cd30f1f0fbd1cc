import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import Synchronization
import Testing

@Suite("A storage that leaves a reserve")
struct ReservingStorageTests {
  /// What is free, and how often that was asked.
  private final class Space: Sendable {
    private struct State {
      var free: UInt64
      var questions = 0
      var error: Int32?
    }
    private let state: Mutex<State>

    init(_ free: UInt64, error: Int32? = nil) {
      state = Mutex(State(free: free, error: error))
    }

    var questions: Int { state.withLock { $0.questions } }

    func set(_ free: UInt64) { state.withLock { $0.free = free } }

    func ask() throws(StorageError) -> UInt64 {
      let (free, error) = state.withLock { state in
        state.questions += 1
        return (state.free, state.error)
      }
      if let error { throw StorageError(.open, path: "/store", errno: error) }
      return free
    }
  }

  private func append<Storage: LogStorage & ~Copyable>(
    _ count: Int, to storage: inout Storage
  ) -> StorageError? {
    let bytes = [UInt8](repeating: 7, count: count)
    return bytes.withUnsafeBytes { bytes in
      do throws(StorageError) {
        try storage.append(bytes)
        return nil
      } catch {
        return error
      }
    }
  }

  @Test("asks before the first byte and after each 64 KiB, and not in between")
  func questions() {
    let space = Space(1_000_000)
    let disk = MemoryDisk()
    var storage = ReservingStorage(MemoryStorage(disk), reserve: 1000) {
      () throws(StorageError) in try space.ask()
    }
    #expect(space.questions == 0)
    for piece in 0..<64 {
      #expect(append(4096, to: &storage) == nil)
      #expect(space.questions == piece / 16 + 1)
    }
    #expect(disk.bytes.count == 64 * 4096)
    #expect(storage.name == "memory")
  }

  @Test("refuses at the reserve and not above it, once and as a full disk; then it takes the end")
  func limit() {
    for (free, isRefused) in [(1001, false), (1000, true), (999, true), (0, true)]
      as [(UInt64, Bool)]
    {
      let space = Space(free)
      let disk = MemoryDisk()
      var storage = ReservingStorage(MemoryStorage(disk), reserve: 1000) {
        () throws(StorageError) in try space.ask()
      }
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

  @Test("a disk whose space cannot be asked fails as such")
  func unknown() {
    let space = Space(0, error: EIO)
    let disk = MemoryDisk()
    var storage = ReservingStorage(MemoryStorage(disk), reserve: 0) {
      () throws(StorageError) in try space.ask()
    }
    let error = append(10, to: &storage)
    #expect(error?.errno == EIO)
    #expect(error?.isFull == false)
    #expect(disk.bytes.isEmpty)
  }

  @Test("a take that reaches the reserve has its end, and all that was written before")
  func take() throws {
    // Above the reserve for three questions: at 0, 64 and 128 KiB.
    let space = Space(10_000)
    let disk = MemoryDisk()
    var storage = ReservingStorage(MemoryStorage(disk), reserve: 5000) {
      () throws(StorageError) in
      if space.questions == 3 { space.set(5000) }
      return try space.ask()
    }
    let log = (0..<250_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    let queue = FlushQueue(capacity: 300_000)
    #expect(queue.put(log))
    queue.close()
    // What the writer put before it knew of the refusal goes after it.
    let result = queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
    #expect(space.questions == 4)
    #expect(queue.failure?.isFull == true)
    #expect(result == nil)
    #expect(disk.bytes == log)
    #expect(disk.snapshot.isFinished)
  }
}
