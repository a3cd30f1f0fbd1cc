import Glibc
public import IMUModel

/// Samples on their way to what shows them, from the writer thread to the main thread.
///
///     sampler ─► ring ─► writer ─► log
///                          └─ offer ─► [ bounded ] ─► drain ─► main thread ─► terminal, or a caller
///
/// Full means that the newest are dropped and counted: whoever watches may be slow, the log may not. The sampler
/// has nothing to do with it, neither its memory nor its lock.
public final class LiveFeed: @unchecked Sendable {
  // Safe: `records`, `lost` and `isWanted` are read and written only while the mutex is held. It is held for a copy
  // of what the ring may hold (600 records) or for an exchange of arrays, and by the writer and the main thread alone:
  // the sampler never waits for either of them.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var records: [TickRecord] = []
  private var lost: UInt64 = 0
  private var isWanted: Bool
  private let capacity: Int

  /// Nanoseconds of a frame for those who watch: 25 a second.
  package static let framePeriod: Int64 = 40_000_000

  /// A feed without records.
  ///
  /// - Parameters:
  ///   - capacity: Most records that wait: 4 s at 1 kHz by default.
  ///   - isWatched: Whether they are watched from the beginning.
  public init(capacity: Int = 4096, isWatched: Bool = false) {
    self.capacity = max(1, capacity)
    isWanted = isWatched
    mutex = .allocate(capacity: 1)
    // Initialising with default attributes cannot fail on Linux.
    pthread_mutex_init(mutex, nil)
    records.reserveCapacity(self.capacity)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Whether they are watched; while they are not, nothing waits.
  public var isWatched: Bool {
    get { locked { isWanted } }
    set {
      locked {
        isWanted = newValue
        if !newValue { (records, lost) = ([], 0) }
      }
    }
  }

  /// Adds records, as far as there is room.
  public func offer(_ new: [TickRecord]) {
    locked {
      guard isWanted else { return }
      let room = capacity - records.count
      records += new.prefix(room)
      lost += UInt64(max(0, new.count - room))
    }
  }

  /// All records that wait, in order, and how many after them there was no room for.
  public func drain() -> (records: [TickRecord], lost: UInt64) {
    // Allocated outside of the lock.
    var empty: [TickRecord] = []
    empty.reserveCapacity(capacity)
    return locked {
      defer { (records, lost) = (empty, 0) }
      return (records, lost)
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
