// SPDX-License-Identifier: Apache-2.0

/// The encoding of a text.
enum Encoding: String, Sendable {
  case utf8 = "UTF-8"
  case utf16LE = "UTF-16LE"
  case utf16BE = "UTF-16BE"
  case latin1 = "Latin-1"

  /// The encoding of a text that begins with these bytes, and the length of its mark; `nil` for UTF-32.
  ///
  /// UTF-16 has a mark, or nearly every second byte is 0 and many of the others are not. What is not UTF-8 is Latin-1: they
  /// differ in names and units alone, never in numbers.
  init?(_ bytes: UnsafeRawBufferPointer, markLength: inout Int) {
    markLength = 2
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      return nil
    } else if bytes.starts(with: [0xFF, 0xFE]) {
      self = .utf16LE
    } else if bytes.starts(with: [0xFE, 0xFF]) {
      self = .utf16BE
    } else if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      (self, markLength) = (.utf8, 3)
    } else {
      markLength = 0
      let first = bytes.prefix(4096)
      let places = [0, 1].map { stride(from: $0, to: first.count, by: 2) }
      let zeros = places.map { $0.count { first[$0] == 0 } }
      let counts = places.map { $0.count { _ in true } }
      func isHigh(_ high: Int, _ low: Int) -> Bool {
        counts[high] > 0 && 4 * zeros[high] >= 3 * counts[high] && 8 * zeros[low] <= 5 * counts[low]
      }
      if isHigh(1, 0) {
        self = .utf16LE
      } else if isHigh(0, 1) {
        self = .utf16BE
      } else {
        // The last character may be cut off.
        let whole = bytes.count > 64 ? UnsafeRawBufferPointer(rebasing: bytes.dropLast(3)) : bytes
        self = Encoding.isUTF8(whole) ? .utf8 : .latin1
      }
    }
  }

  /// Whether bytes are UTF-8, but for a character that begins before their end.
  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var left = bytes[...]
    while let lead = left.last, lead >= 0x80 {
      left.removeLast()
      if lead >= 0xC0 || bytes.count - left.count > 3 { break }
    }
    return String(validating: bytes.count > 64 ? left : bytes[...], as: UTF8.self) != nil
  }
}

/// A text of another encoding as UTF-8, without a mark at its beginning; UTF-8 passes through.
struct TextSource<Base: ImportSource & ~Copyable>: ImportSource, ~Copyable {
  private var base: Base
  let encoding: Encoding
  private let markLength: Int
  /// What was read of another encoding and not yet returned, as UTF-8; bytes of a character that is cut off.
  private var (decoded, next) = ([UInt8](), 0)
  private var rest: [UInt8] = []

  var name: String { base.name }
  var hasStatedLength: Bool { base.hasStatedLength }

  /// - Throws: That the text is UTF-32, or what reading throws.
  init(_ base: consuming Base) throws(ImportError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    var count = 0
    base.rewind()
    while count < buffer.count {
      let more = try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      count += more
      if more == 0 { break }
    }
    var length = 0
    let first = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    guard let encoding = Encoding(first, markLength: &length) else {
      throw ImportError(base.name, "is text in UTF-32", remedy: "save it as UTF-8 and import that")
    }
    self.init(base, encoding, length)
    rewind()
  }

  private init(_ base: consuming Base, _ encoding: Encoding, _ markLength: Int) {
    (self.encoding, self.markLength) = (encoding, markLength)
    self.base = base
  }

  func another() throws(ImportError) -> TextSource {
    TextSource(try base.another(), encoding, markLength)
  }

  private var isAtBegin = true

  mutating func rewind() {
    base.rewind()
    (decoded, next, rest, isAtBegin) = ([], 0, [], true)
  }

  private mutating func passMark() throws(ImportError) {
    try base.skip(to: UInt64(markLength))
    isAtBegin = false
  }

  mutating func skip(to byte: UInt64) throws(ImportError) {
    guard encoding == .utf8 else {
      rewind()
      return try passDecoded(byte)
    }
    try base.skip(to: byte + UInt64(markLength))
    isAtBegin = false
  }

  private mutating func passDecoded(_ byte: UInt64) throws(ImportError) {
    var left = byte
    while left > 0 {
      if next == decoded.count, try !decode() { throw .changed(name) }
      let count = Int(min(left, UInt64(decoded.count - next)))
      (next, left) = (next + count, left - UInt64(count))
    }
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if isAtBegin { try passMark() }
    if encoding == .utf8 { return try base.read(into: buffer) }
    if next == decoded.count, try !decode() { return 0 }
    let count = min(buffer.count, decoded.count - next)
    buffer.copyBytes(from: decoded[next..<next + count])
    next += count
    return count
  }

  /// Whether there is more: it is in ``decoded`` then.
  private mutating func decode() throws(ImportError) -> Bool {
    if isAtBegin { try passMark() }
    (decoded, next) = ([], 0)
    while decoded.isEmpty {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
      defer { buffer.deallocate() }
      let bytes = try buffer[..<base.read(into: buffer)]
      guard !bytes.isEmpty else {
        // What is cut off is no character.
        decoded = rest.isEmpty ? [] : Array("\u{FFFD}".utf8)
        rest = []
        return !decoded.isEmpty
      }
      if encoding == .latin1 {
        for byte in bytes {
          decoded += byte < 0x80 ? [byte] : [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
        }
      } else {
        decodeWide(rest + bytes)
      }
    }
    return true
  }

  private mutating func decodeWide(_ bytes: [UInt8]) {
    let (low, high) = encoding == .utf16LE ? (0, 1) : (1, 0)
    var units = stride(from: 0, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + high]) << 8
    }
    // The first half of a character waits for the other.
    if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
    rest = Array(bytes[(2 * units.count)...])
    decoded = Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
