// SPDX-License-Identifier: Apache-2.0

/// HMAC-SHA256 (RFC 2104), computed incrementally: a code that only the holder of the key can compute.
package struct HMACSHA256 {
  private var inner = SHA256()
  private var outer = SHA256()

  private static let blockSize = 64

  /// For no bytes so far. The key may have any length.
  package init(key: [UInt8]) {
    var key = key
    if key.count > HMACSHA256.blockSize { key = SHA256.digest(of: key).bytes }
    key += [UInt8](repeating: 0, count: HMACSHA256.blockSize - key.count)
    key.map { $0 ^ 0x36 }.withUnsafeBytes { inner.add($0) }
    key.map { $0 ^ 0x5c }.withUnsafeBytes { outer.add($0) }
  }

  /// Adds bytes.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) { inner.add(bytes) }

  /// The code of all bytes added so far.
  package var code: SHA256Digest {
    var end = outer
    inner.digest.bytes.withUnsafeBytes { end.add($0) }
    return end.digest
  }
}
