// SPDX-License-Identifier: Apache-2.0

import Text

enum Encoding: String, Sendable {
  case utf8 = "UTF-8"
  case latin1 = "Latin-1"

  /// The encoding of a text that begins with these bytes, and the length of its mark; `nil` for UTF-16 and UTF-32.
  ///
  /// What is not UTF-8 is Latin-1: they differ in names and units alone, never in numbers.
  static func detect(_ bytes: [UInt8]) -> (encoding: Encoding, markLength: Int)? {
    let wide: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF], [0, 0, 0xFE, 0xFF]]
    guard !wide.contains(where: bytes.starts) else { return nil }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
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
  /// What was read of Latin-1 and not yet returned, as UTF-8.
  private var (decoded, next) = ([UInt8](), 0)

  var name: String { base.name }
  var hasStatedLength: Bool { base.hasStatedLength }

  /// - Throws: That the text is UTF-16 or UTF-32, or what reading throws.
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
    (decoded, next) = ([], 0)
    try base.seek(to: UInt64(markLength) + (encoding == .utf8 ? byte : 0))
    if encoding != .utf8 { try pass(byte) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if encoding == .utf8 { return try base.read(into: buffer) }
    while next == decoded.count {
      let bytes = try base.bytes(16 * 1024)
      if bytes.isEmpty { return 0 }
      decoded = bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
      next = 0
    }
    let count = min(buffer.count, decoded.count - next)
    buffer.copyBytes(from: decoded[next..<next + count])
    next += count
    return count
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
    ImportError(
      file, "is text in UTF-16 or UTF-32",
      remedy: "save it as UTF-8, as iconv -f UTF-16 -t UTF-8 does, and import that")
  }
}
