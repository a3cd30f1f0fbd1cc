// SPDX-License-Identifier: Apache-2.0

/// The bytes of a field of a table.
package enum FieldText {
  /// Most characters of a wrong value in an error.
  package static let shownLimit = 40

  /// A value for an error: trimmed, shortened, and without characters that a terminal could obey.
  package static func shown(_ bytes: some Collection<UInt8>) -> String {
    var words = String(decoding: bytes.prefix(4 * shownLimit), as: UTF8.self)[...]
    while let first = words.first, first == " " || first == "\t" { words.removeFirst() }
    while let last = words.last, last == " " || last == "\t" { words.removeLast() }
    let shown = ForeignText.shown(String(words))
    return shown.count > shownLimit ? shown.prefix(shownLimit) + "…" : shown
  }

  package static func trimmed(_ field: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var (begin, end) = (0, field.count)
    while begin < end, isBlank(field[begin]) { begin += 1 }
    while end > begin, isBlank(field[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: field[begin..<end])
  }

  package static func unquoted(_ field: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard field.count > 1, field.first == UInt8(ascii: "\""), field.last == UInt8(ascii: "\"")
    else { return field }
    return UnsafeRawBufferPointer(rebasing: field[1..<(field.count - 1)])
  }

  @inlinable
  package static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  @inlinable
  package static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}

extension StringProtocol {
  /// What is before and after the first place of `text`, compared by bytes; `nil` without one.
  ///
  /// The standard library's search of a text belongs to its regular expressions, which make a static program 1 MB larger.
  package func parts(around text: String) -> (before: SubSequence, after: SubSequence)? {
    let (bytes, wanted) = (utf8, text.utf8)
    var start = bytes.startIndex
    while true {
      if bytes[start...].starts(with: wanted) {
        return (self[..<start], self[bytes.index(start, offsetBy: wanted.count)...])
      }
      guard start < bytes.endIndex else { return nil }
      bytes.formIndex(after: &start)
    }
  }
}
