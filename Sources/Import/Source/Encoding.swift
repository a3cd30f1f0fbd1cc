// SPDX-License-Identifier: Apache-2.0

import Text

enum Encoding: String, Sendable {
  case utf8 = "UTF-8"
  case utf16LE = "UTF-16LE"
  case utf16BE = "UTF-16BE"
  case latin1 = "Latin-1"

  /// The encoding of a text that begins with these bytes, and the length of its mark; `nil` for UTF-32.
  ///
  /// UTF-16 has a mark, or nearly every second byte is 0 and many of the others are not. What is not UTF-8 is Latin-1: they
  /// differ in names and units alone, never in numbers.
  static func detect(_ bytes: [UInt8]) -> (encoding: Encoding, markLength: Int)? {
    let marks: [([UInt8], Encoding?)] = [
      ([0xFF, 0xFE, 0, 0], nil), ([0, 0, 0xFE, 0xFF], nil), ([0xFF, 0xFE], .utf16LE),
      ([0xFE, 0xFF], .utf16BE), ([0xEF, 0xBB, 0xBF], .utf8),
    ]
    if let (mark, encoding) = marks.first(where: { bytes.starts(with: $0.0) }) {
      return encoding.map { ($0, mark.count) }
    }
    let pairs = min(bytes.count, 4096) / 2
    let zeros = [0, 1].map { half in (0..<pairs).count { bytes[2 * $0 + half] == 0 } }
    func isWide(_ high: Int, _ low: Int) -> Bool {
      pairs > 0 && 4 * zeros[high] >= 3 * pairs && 8 * zeros[low] <= 5 * pairs
    }
    if isWide(1, 0) { return (.utf16LE, 0) }
    if isWide(0, 1) { return (.utf16BE, 0) }
    // The last character may be cut off.
    var whole = bytes[...]
    while bytes.count > 64, bytes.count - whole.count < 4, let last = whole.last, last >= 0x80 {
      whole.removeLast()
      if last >= 0xC0 { break }
    }
    return (String(validating: whole, as: UTF8.self) == nil ? .latin1 : .utf8, 0)
  }
}

/// A text of another encoding as UTF-8, without a mark at its beginning; UTF-8 passes through.
final class TextSource: ImportSource {
  private let base: any ImportSource
  let encoding: Encoding
  private let markLength: Int
  /// What was read of another encoding and not yet returned, as UTF-8; bytes of a character that is cut off.
  private var (decoded, next) = ([UInt8](), 0)
  private var rest: [UInt8] = []

  var name: String { base.name }
  var hasStatedLength: Bool { base.hasStatedLength }

  /// - Throws: That the text is UTF-32, or what reading throws.
  init(_ base: any ImportSource) throws(ImportError) {
    try base.seek(to: 0)
    guard let (encoding, markLength) = Encoding.detect(try base.bytes(64 * 1024)) else {
      throw .wide(base.name)
    }
    (self.base, self.encoding, self.markLength) = (base, encoding, markLength)
    try seek(to: 0)
  }

  func another() throws(ImportError) -> TextSource { try TextSource(try base.another()) }

  func seek(to byte: UInt64) throws(ImportError) {
    (decoded, next, rest) = ([], 0, [])
    try base.seek(to: UInt64(markLength) + (encoding == .utf8 ? byte : 0))
    if encoding != .utf8 { try pass(byte) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if encoding == .utf8 { return try base.read(into: buffer) }
    while next == decoded.count {
      let bytes = try base.bytes(16 * 1024)
      // The bytes that are cut off do not make a character.
      if bytes.isEmpty, rest.isEmpty { return 0 }
      (decoded, next) = (bytes.isEmpty ? Array("\u{FFFD}".utf8) : decode(bytes), 0)
      if bytes.isEmpty { rest = [] }
    }
    let count = min(buffer.count, decoded.count - next)
    buffer.copyBytes(from: decoded[next..<next + count])
    next += count
    return count
  }

  private func decode(_ bytes: [UInt8]) -> [UInt8] {
    if encoding == .latin1 {
      return bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
    }
    let (bytes, low) = (rest + bytes, encoding == .utf16LE ? 0 : 1)
    var units = stride(from: 0, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8
    }
    // The first half of a character waits for the other.
    if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
    rest = Array(bytes[(2 * units.count)...])
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// Whether the text begins as JSON; it is then at the beginning again.
  func isJSON() throws(ImportError) -> Bool {
    try seek(to: 0)
    let first = try bytes(4096).first { $0 > UInt8(ascii: " ") }
    try seek(to: 0)
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}

extension ImportError {
  static func wide(_ file: String) -> ImportError {
    ImportError(file, "is text in UTF-32", remedy: "save it as UTF-8, and import that")
  }
}
