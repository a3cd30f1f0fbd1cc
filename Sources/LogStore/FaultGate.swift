/// The point that every call of this module to the kernel passes.
///
/// In the program it is always open. Tests hand in a gate that refuses the n-th call, or all from
/// the n-th on (a kill), or writes after a limit (a full disk), so that each path through an error
/// is walked on real files; and one that keeps what it sees, so that a loss of power can be tried
/// after each call.
package struct FaultGate: Sendable {
  /// A call that is about to be made.
  package struct Call {
    /// What it does.
    package var operation: StorageError.Operation
    /// The file or directory.
    package var path: String
    /// The other name of a rename; else empty.
    package var newPath = ""
    /// The flags of an `open`.
    package var flags: Int32 = 0
    /// Where a write goes, or the length that a file is cut to.
    package var offset: UInt64 = 0
    /// What a write writes; valid only while the gate is asked.
    package var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ operation: StorageError.Operation, _ path: String) {
      self.operation = operation
      self.path = path
    }

    /// Where in the file a write goes, else empty.
    package var range: Range<UInt64> { offset..<offset + UInt64(bytes.count) }
  }

  /// What becomes of a call.
  package enum Verdict: Equatable, Sendable {
    /// It is made.
    case pass
    /// It is not made and fails with this errno.
    case refuse(Int32)
    /// It is made, but with at most this many bytes.
    case shorten(Int)
  }

  /// Asked before each call.
  package typealias Judge = @Sendable (_ call: Call) -> Verdict

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

  func verdict(_ call: @autoclosure () -> Call) -> Verdict {
    guard let judge else { return .pass }
    return judge(call())
  }
}
