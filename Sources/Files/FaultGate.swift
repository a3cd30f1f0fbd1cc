// SPDX-License-Identifier: Apache-2.0

/// The point that every call of this module to the kernel passes.
///
/// In the program it is always open. Tests refuse calls, so that every error path runs on real files, or record them, so
/// that a power loss can be simulated after each.
package struct FaultGate: Sendable {
  /// A call that is about to be made.
  package struct Call {
    /// The operation.
    package var operation: StorageError.Operation
    /// The file or directory.
    package var path: String
    /// The other name of a rename; else empty.
    package var newPath = ""
    /// The flags of an `open`.
    package var flags: Int32 = 0
    /// The offset of a write, or the length that a file is cut to.
    package var offset: UInt64 = 0
    /// The bytes of a write; valid only during the judge's call.
    package var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ operation: StorageError.Operation, _ path: String) {
      self.operation = operation
      self.path = path
    }

    /// The range of a write in the file; else empty.
    package var range: Range<UInt64> { offset..<offset + UInt64(bytes.count) }
  }

  /// What happens to a call.
  package enum Verdict: Equatable, Sendable {
    /// It is made.
    case pass
    /// It is not made and fails with this errno.
    case refuse(Int32)
    /// It is made with at most this many bytes.
    case shorten(Int)
  }

  /// Called before each call.
  package typealias Judge = @Sendable (_ call: Call) -> Verdict

  private let judge: Judge?

  /// A gate that calls `judge`, or lets everything pass.
  package init(_ judge: Judge?) {
    self.judge = judge
  }

  /// Lets everything pass.
  package static let open = FaultGate(nil)

  package func verdict(_ call: @autoclosure () -> Call) -> Verdict {
    guard let judge else { return .pass }
    return judge(call())
  }
}
