public import IMUModel
import Synchronization

/// Samples on their way to what shows them, from the writer thread to the main thread.
///
///     sampler ─► ring ─► writer ─► log
///                          └─ offer ─► [ bounded ] ─► drain ─► main thread ─► terminal, or a caller
///
/// Full means that the newest are dropped and counted: whoever watches may be slow, the log may not. The sampler
/// has nothing to do with it, neither its memory nor its lock.
public final class LiveFeed: Sendable {
  private struct State {
    var records: [TickRecord] = []
    var lost: UInt64 = 0
    var isWatched: Bool
  }

  /// Locked for a copy of what the ring may hold (600 records) or for an exchange of arrays, by the writer and the main
  /// thread alone: the sampler never waits for either of them.
  private let state: Mutex<State>
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
    var state = State(isWatched: isWatched)
    state.records.reserveCapacity(self.capacity)
    self.state = Mutex(state)
  }

  /// Whether they are watched; while they are not, nothing waits.
  public var isWatched: Bool {
    get { state.withLock(\.isWatched) }
    set {
      state.withLock { state in
        state.isWatched = newValue
        if !newValue { (state.records, state.lost) = ([], 0) }
      }
    }
  }

  /// Adds records, as far as there is room.
  public func offer(_ new: [TickRecord]) {
    state.withLock { state in
      guard state.isWatched else { return }
      let room = capacity - state.records.count
      state.records += new.prefix(room)
      state.lost += UInt64(max(0, new.count - room))
    }
  }

  /// All records that wait, in order, and how many after them there was no room for.
  public func drain() -> (records: [TickRecord], lost: UInt64) {
    // Allocated before the lock is taken.
    var empty: [TickRecord] = []
    empty.reserveCapacity(capacity)
    return state.withLock { [empty] state in
      defer { (state.records, state.lost) = (empty, 0) }
      return (state.records, state.lost)
    }
  }
}
