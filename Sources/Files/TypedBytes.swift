// SPDX-License-Identifier: Apache-2.0

/// `withUnsafeBytes` with a typed throw, which the standard library of Swift 6.0 lacks.
extension Array where Element == UInt8 {
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outcome = withUnsafeBytes { bytes -> Swift.Result<Result, Failure> in
      do throws(Failure) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  package mutating func withMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outcome = withUnsafeMutableBytes { bytes -> Swift.Result<Result, Failure> in
      do throws(Failure) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}
