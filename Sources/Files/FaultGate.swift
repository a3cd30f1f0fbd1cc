// SPDX-License-Identifier: Apache-2.0

/// Every call of this module to the kernel passes it, unhindered in the program.
///
/// Tests refuse calls, so that every error path runs on real files, or record them, to simulate a power loss after each.
package struct FaultGate: Sendable {
  /// A call that is about to be made.
  package struct Call {
    package var operation: StorageError.Operation
    package var path: String
    /// The other name of a rename; else empty.
    package var newPath = ""
    /// The flags of an `open`.
    package var flags: Int32 = 0
    /// The offset of a write, or the length that a file is cut to.
    package var offset: UInt64 = 0
    /// The bytes of a write; valid only during the judge's call.
    package var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The range of a write in the file; else empty.
    package var range: Range<UInt64> { offset..<offset + UInt64(bytes.count) }
  }

  /// Whether and how a call is made.
  package enum Verdict: Equatable, Sendable {
    case pass
    /// The call fails with this errno.
    case refuse(Int32)
    /// It transfers at most this many bytes.
    case shorten(Int)
  }

  package typealias Judge = @Sendable (_ call: Call) -> Verdict

  private let judge: Judge?

  /// - Parameter judge: Called before each call; `nil` to let everything pass.
  package init(_ judge: Judge?) { self.judge = judge }

  package static let open = FaultGate(nil)

  package func verdict(_ call: @autoclosure () -> Call) -> Verdict {
    guard let judge else { return .pass }
    return judge(call())
  }
}
