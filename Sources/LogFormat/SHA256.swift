// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Text

/// SHA-256 (FIPS 180-4), computed incrementally.
///
///     var sum = SHA256()
///     sum.add(bytes)
///     let digest = sum.digest
///
/// A copy of a value keeps the digest of the bytes so far.
public struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]
  /// Bytes of an incomplete block.
  private var rest: [UInt8] = []
  /// Bytes added so far.
  public private(set) var byteCount: UInt64 = 0

  private static let blockSize = 64

  /// For no bytes so far.
  public init() {}

  /// Adds bytes. Cost: 0.7 ns a byte with the processor's instructions for it, 6 ns without.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    byteCount += UInt64(bytes.count)
    var bytes = bytes
    if !rest.isEmpty {
      let missing = min(SHA256.blockSize - rest.count, bytes.count)
      rest += bytes[..<missing]
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard rest.count == SHA256.blockSize else { return }
      let block = rest
      block.withUnsafeBytes { addBlocks($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / SHA256.blockSize * SHA256.blockSize
    addBlocks(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    rest += bytes[whole...]
  }

  /// The digest of an array.
  package static func digest(of bytes: [UInt8]) -> SHA256Digest {
    var sum = SHA256()
    bytes.withUnsafeBytes { sum.add($0) }
    return sum.digest
  }

  /// The digest of all bytes added so far.
  public var digest: SHA256Digest {
    var end = self
    var padding: [UInt8] = [0x80]
    let used = (rest.count + 1 + 8) % SHA256.blockSize
    padding += [UInt8](repeating: 0, count: used == 0 ? 0 : SHA256.blockSize - used)
    let bits = byteCount &* 8
    padding += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    padding.withUnsafeBytes { end.add($0) }
    return SHA256Digest(words: end.state)
  }

  private mutating func addBlocks(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    state.withUnsafeMutableBufferPointer { state in
      guard let words = state.baseAddress else { return }
      // Safe: the state has eight words, and `bytes` is a whole number of blocks.
      imulog_sha256_blocks(words, base, bytes.count / SHA256.blockSize)
    }
  }
}

/// A SHA-256 digest.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  private let words: [UInt32]

  init(words: [UInt32]) { self.words = words }
  package var bytes: [UInt8] {
    words.flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
    }
  }

  /// Reads 64 hexadecimal digits in either case; `nil` for other text.
  public init?(_ text: some StringProtocol) {
    let digits = Array(text.utf8)
    // Swift's numbers may have a sign, a digest has none.
    guard digits.count == 64, !digits.contains(where: { "+-".utf8.contains($0) }) else {
      return nil
    }
    words = stride(from: 0, to: 64, by: 8).compactMap {
      UInt32(String(decoding: digits[$0..<$0 + 8], as: UTF8.self), radix: 16)
    }
    guard words.count == 8 else { return nil }
  }

  /// 64 lower-case hexadecimal digits, as `sha256sum` prints them.
  public var description: String {
    words.map { $0.digits(8, radix: 16) }.joined()
  }
}

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

  package mutating func add(_ bytes: UnsafeRawBufferPointer) { inner.add(bytes) }

  /// The code of all bytes so far.
  package var code: SHA256Digest {
    var end = outer
    inner.digest.bytes.withUnsafeBytes { end.add($0) }
    return end.digest
  }
}
