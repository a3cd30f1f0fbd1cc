// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import LogFormat
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  /// FIPS 180-4 examples and lengths around a block's end (NIST CAVP, SHA256ShortMsg), by another implementation.
  static let vectors: [(String, String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
        + "lmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ]

  private func digest(_ bytes: [UInt8], pieces: Int = .max) -> String {
    var sum = SHA256()
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces))
      piece.withUnsafeBytes { sum.add($0) }
      rest = rest.dropFirst(piece.count)
    }
    return sum.digest.description
  }

  @Test("the standard's examples have the standard's digests", arguments: vectors.indices)
  func examples(_ index: Int) {
    let (text, expected) = SHA256Tests.vectors[index]
    #expect(digest(Array(text.utf8)) == expected)
  }

  @Test("a million times a has the standard's digest")
  func million() {
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(digest(bytes) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("the digest does not depend on how bytes are split, around every block's end")
  func pieces() {
    for count in 0...200 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      let whole = digest(bytes)
      for piece in [1, 3, 63, 64, 65] { #expect(digest(bytes, pieces: piece) == whole) }
    }
  }

  @Test("the processor's instructions and portable code agree")
  func instructions() {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<64 * 50).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for blocks in [0, 1, 2, 50] {
      var fast = (0..<8).map { UInt32($0) &* 0x9E37_79B9 }
      var plain = fast
      imulog_sha256_blocks(&fast, bytes, blocks)
      imulog_sha256_blocks_portable(&plain, bytes, blocks)
      #expect(fast == plain)
    }
  }

  @Test("a digest is read in the form in which it is written, and in no other")
  func text() throws {
    let text = SHA256Tests.vectors[1].1
    #expect(try #require(SHA256Digest(text)).description == text)
    #expect(try #require(SHA256Digest(text.uppercased())).description == text)
    for wrong in ["", "0", String(text.dropLast()), text + "0", text.dropLast() + "g"] {
      #expect(SHA256Digest(wrong) == nil)
    }
  }

  /// RFC 4231, test cases 1, 2, 3 and 6: key, text, code. The last key is longer than a block.
  static let codes: [(key: [UInt8], text: [UInt8], code: String)] = [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ]

  @Test("codes of keys are those of RFC 4231, in whatever pieces the text comes", arguments: 0..<4)
  func keyed(_ index: Int) {
    let (key, text, code) = SHA256Tests.codes[index]
    for piece in [1, 7, 1000] {
      var sum = HMACSHA256(key: key)
      var rest = text[...]
      while !rest.isEmpty {
        Array(rest.prefix(piece)).withUnsafeBytes { sum.add($0) }
        rest = rest.dropFirst(piece)
      }
      #expect(sum.code.description == code)
    }
  }
}
