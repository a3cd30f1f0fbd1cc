// SPDX-License-Identifier: Apache-2.0

/// `withUnsafeBytes` with a typed throw, which the standard library of Swift 6.0 lacks.
extension Array where Element: BitwiseCopyable {
  package func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try withUnsafeBytes { bytes in
      Result { () throws(Failure) in try body(bytes) }
    }.get()
  }

  package mutating func withMutableBytes<Value, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try withUnsafeMutableBytes { bytes in
      Result { () throws(Failure) in try body(bytes) }
    }.get()
  }
}
