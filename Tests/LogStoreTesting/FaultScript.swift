// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc
import LogStore
import Synchronization

/// Decides on the calls of a store: counts them, keeps their effects on the disk, and makes chosen
/// ones fail.
public final class FaultScript: Sendable {
  /// The failing calls.
  public enum Plan: Hashable, Sendable {
    /// Nothing.
    case none
    /// The call with this index, counted from 0.
    case once(Int, errno: Int32)
    /// This call and all after it.
    case from(Int, errno: Int32)
    /// Writes after this offset, and of those that cross it what is after it: a full disk.
    case full(at: UInt64)
    /// The call with this index, if it is a write, takes at most this many bytes.
    case short(Int, bytes: Int)
    /// Every second call, with EINTR, and writes take at most this many bytes.
    case troubled(bytes: Int)
    /// Syncs report success and write nothing: a card that lies.
    case lyingSync
  }

  private struct State {
    var plan: Plan
    var calls: [StorageError.Operation] = []
    var operations: [DiskOperation] = []
  }

  private let state: Mutex<State>

  /// A script for `plan`.
  public init(_ plan: Plan = .none) {
    state = Mutex(State(plan: plan))
  }

  /// The calls so far.
  public var calls: [StorageError.Operation] { state.withLock { $0.calls } }

  /// The effects of the calls on the disk, and syncs that failed.
  public var operations: [DiskOperation] { state.withLock { $0.operations } }

  /// Goes over to another plan; the count of calls continues.
  public func change(to plan: Plan) {
    state.withLock { $0.plan = plan }
  }

  /// The gate to hand to a store.
  package var gate: FaultGate {
    FaultGate { call in
      self.state.withLock { state in
        let verdict = state.plan.verdict(on: call, index: state.calls.count)
        state.calls.append(call.operation)
        guard !(call.operation == .sync && state.plan == .lyingSync) else { return verdict }
        if let operation = DiskOperation(call, verdict) { state.operations.append(operation) }
        return verdict
      }
    }
  }
}

extension FaultScript.Plan {
  fileprivate func verdict(on call: FaultGate.Call, index: Int) -> FaultGate.Verdict {
    let range = call.range
    switch self {
    case .none, .lyingSync: return .pass
    case .once(let chosen, let errno): return index == chosen ? .refuse(errno) : .pass
    case .from(let first, let errno): return index >= first ? .refuse(errno) : .pass
    case .full(let limit):
      guard call.operation == .write, range.upperBound > limit else { return .pass }
      return range.lowerBound < limit ? .shorten(Int(limit - range.lowerBound)) : .refuse(ENOSPC)
    case .short(let chosen, let bytes):
      return index == chosen && call.operation == .write ? .shorten(bytes) : .pass
    case .troubled(let bytes):
      if index % 2 == 0 { return .refuse(EINTR) }
      return call.operation == .write ? .shorten(bytes) : .pass
    }
  }
}
