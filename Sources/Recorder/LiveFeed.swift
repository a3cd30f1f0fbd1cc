// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Synchronization

/// Records for watchers, from the writer thread to the main thread.
///
///     sampler ─► ring ─► writer ─► log
///                          └─ offer ─► [ bounded ] ─► drain ─► main thread ─► terminal, or a caller
///
/// When it is full, the newest are dropped and counted. The sampler never accesses its memory or its lock.
package final class LiveFeed: Sendable {
  private struct State {
    var records: [TickRecord] = []
    var lost: UInt64 = 0
    var isWatched: Bool
  }

  // Held for a copy of at most a ring (600 records) or for an exchange of arrays, by the writer and the main thread.
  private let state: Mutex<State>
  private let capacity: Int

  /// Nanoseconds of a frame for watchers: 25 a second.
  package static let framePeriod: Int64 = 40_000_000

  /// - Parameter capacity: Most records that wait: 4 s at 1 kHz by default.
  package init(capacity: Int = 4096, isWatched: Bool = false) {
    self.capacity = max(1, capacity)
    state = Mutex(State(isWatched: isWatched))
    state.withLock { $0.records.reserveCapacity(self.capacity) }
  }

  /// Whether there is a watcher; without one, no record waits.
  package var isWatched: Bool {
    get { state.withLock { $0.isWatched } }
    set {
      state.withLock { state in
        state.isWatched = newValue
        if !newValue { (state.records, state.lost) = ([], 0) }
      }
    }
  }

  /// Adds records, as far as there is room.
  package func offer(_ new: [TickRecord]) {
    state.withLock { state in
      guard state.isWatched else { return }
      let room = capacity - state.records.count
      state.records += new.prefix(room)
      state.lost += UInt64(max(0, new.count - room))
    }
  }

  /// All records that wait, in order, and how many after them found no room.
  package func drain() -> (records: [TickRecord], lost: UInt64) {
    // Allocated outside of the lock.
    var empty: [TickRecord] = []
    empty.reserveCapacity(capacity)
    let fresh = empty
    return state.withLock { state in
      defer { (state.records, state.lost) = (fresh, 0) }
      return (state.records, state.lost)
    }
  }
}
