/// The point that every call of this module to the kernel passes.
///
/// In the program it is always open. Tests hand in a gate that refuses the n-th call, or all from
/// the n-th on (a kill), or writes behind a limit (a full disk), so that each path through an error
/// is walked on real files.
package struct FaultGate: Sendable {
  /// What becomes of a call.
  package enum Verdict: Equatable, Sendable {
    /// It is made.
    case pass
    /// It is not made and fails with this errno.
    case refuse(Int32)
    /// It is made, but with at most this many bytes.
    case shorten(Int)
  }

  /// Asked before each call; `range` is where in the file a write goes, else empty.
  package typealias Judge =
    @Sendable (_ operation: StorageError.Operation, _ range: Range<UInt64>) -> Verdict

  private let judge: Judge?

  /// A gate that asks `judge`.
  package init(_ judge: @escaping Judge) {
    self.judge = judge
  }

  private init() {
    judge = nil
  }

  /// Lets everything pass.
  package static let open = FaultGate()

  func verdict(_ operation: StorageError.Operation, range: Range<UInt64> = 0..<0) -> Verdict {
    guard let judge else { return .pass }
    return judge(operation, range)
  }
}
