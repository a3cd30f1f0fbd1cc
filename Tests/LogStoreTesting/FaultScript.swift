import Glibc
public import LogStore
import Synchronization

/// Decides on the calls of a store: counts them, and makes chosen ones fail.
public final class FaultScript: Sendable {
  /// What fails.
  public enum Plan: Sendable {
    /// Nothing.
    case none
    /// The call with this index, counted from 0.
    case once(Int, errno: Int32)
    /// This call and all after it: the program was killed there.
    case from(Int)
    /// Writes behind this offset, and of those that cross it what is behind it: a full disk.
    case full(at: UInt64)
    /// Every second call, with EINTR, and writes take at most this many bytes.
    case troubled(bytes: Int)
  }

  private struct State {
    var plan: Plan
    var calls: [StorageError.Operation] = []
  }

  private let state: Mutex<State>

  /// A script for `plan`.
  public init(_ plan: Plan = .none) {
    state = Mutex(State(plan: plan))
  }

  /// The calls so far.
  public var calls: [StorageError.Operation] { state.withLock { $0.calls } }

  /// Goes over to another plan; the count of calls goes on.
  public func change(to plan: Plan) {
    state.withLock { $0.plan = plan }
  }

  /// The gate to hand to a store.
  package var gate: FaultGate {
    FaultGate { operation, range in
      self.state.withLock { state in
        let index = state.calls.count
        state.calls.append(operation)
        switch state.plan {
        case .none: return .pass
        case .once(let chosen, let errno): return index == chosen ? .refuse(errno) : .pass
        case .from(let first): return index >= first ? .refuse(EIO) : .pass
        case .full(let limit):
          guard operation == .write, range.upperBound > limit else { return .pass }
          return range.lowerBound < limit
            ? .shorten(Int(limit - range.lowerBound)) : .refuse(ENOSPC)
        case .troubled(let bytes):
          return index % 2 == 0 ? .refuse(EINTR) : operation == .write ? .shorten(bytes) : .pass
        }
      }
    }
  }
}
