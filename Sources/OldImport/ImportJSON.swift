// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

// JSON of any length, value by value. Only one value is in memory at a time, of at most 64 KiB; longer ones can be
// entered or skipped. Line numbers are those where a value begins.

extension ImportLines where Source: ~Copyable {
  /// The next byte that is no blank; `nil` at the end.
  mutating func peek() throws(ImportError) -> UInt8? {
    number = max(1, number + linesInside)
    linesInside = 0
    while true {
      while begin < end {
        switch buffer[begin] {
        case UInt8(ascii: "\n"): number += 1
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
        case let byte: return byte
        }
        begin += 1
      }
      if isAtEnd { return nil }
      try fill()
    }
  }

  /// Passes a byte order mark of UTF-8.
  mutating func skipMark() throws(ImportError) {
    while end - begin < 3, !isAtEnd { try fill() }
    let mark = ImportFormat.byteOrderMark
    if end - begin >= 3, buffer[begin..<begin + 3].elementsEqual(mark) { begin += 3 }
  }

  /// Passes a byte if it is the next one.
  mutating func consume(_ byte: Unicode.Scalar) throws(ImportError) -> Bool {
    guard try peek() == UInt8(ascii: byte) else { return false }
    begin += 1
    return true
  }

  /// Passes a byte, which must be the next one.
  mutating func require(_ byte: Unicode.Scalar) throws(ImportError) {
    guard try consume(byte) else { throw try wrongJSON() }
  }

  /// The error of text that is not JSON, or ends too early.
  mutating func wrongJSON() throws(ImportError) -> ImportError {
    let next = try peek()
    let problem: ImportLineProblem = next == nil ? .endsInside : next == 0 ? .zeros : .notJSON
    return .line(name: source.name, line: nextPlace, problem: problem)
  }

  /// The error of a value of another kind, or of text that is not JSON.
  mutating func wrongKind(of value: String, expected: String) throws(ImportError) -> ImportError {
    let found: String
    switch try peek() {
    case UInt8(ascii: "\""): found = "a text"
    case UInt8(ascii: "["): found = "a list"
    case UInt8(ascii: "{"): found = "an object"
    case let byte? where ImportText.isDigit(byte) || byte == UInt8(ascii: "-"): found = "a number"
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): found = "true, false or null"
    default: throw try wrongJSON()
    }
    return .line(
      name: source.name, line: nextPlace,
      problem: .otherKind(of: value, expected: expected, found: found))
  }

  /// The text of the next value, valid until the next call.
  mutating func value() throws(ImportError) -> UnsafeRawBufferPointer {
    guard try peek() != nil else { throw try wrongJSON() }
    var scan = ImportJSONScan()
    var place = 0
    while true {
      while begin + place < end {
        if scan.isEnd(before: buffer[begin + place]) { return try take(place) }
        place += 1
        if scan.isOver { return try take(place) }
      }
      if isAtEnd {
        guard scan.isScalar else {
          begin = end
          throw .line(name: source.name, line: endPlace, problem: .endsInside)
        }
        return try take(place)
      }
      try fill(nextPlace)
    }
  }

  private mutating func take(_ count: Int) throws(ImportError) -> UnsafeRawBufferPointer {
    guard count > 0 else { throw try wrongJSON() }
    let value = UnsafeRawBufferPointer(rebasing: buffer[begin..<begin + count])
    mark = byte
    begin += count
    for byte in value where byte == UInt8(ascii: "\n") { linesInside += 1 }
    return value
  }

  /// Skips the next value: a text, a list or an object may have any length, a number or a word that of a line.
  mutating func skipValue() throws(ImportError) {
    guard try peek() != nil else { throw try wrongJSON() }
    var scan = ImportJSONScan()
    let place = nextPlace
    var isFirst = true
    var scalarLength = 0
    while true {
      while begin < end {
        if scan.isInString {
          passString()
          guard begin < end else { break }
        }
        if scan.isScalar {
          scalarLength += 1
          guard scalarLength <= Self.limit else {
            throw .line(name: source.name, line: place, problem: .tooLong(limit: Self.limit))
          }
        }
        if scan.isEnd(before: buffer[begin]) {
          if isFirst { throw try wrongJSON() }
          return
        }
        isFirst = false
        if buffer[begin] == UInt8(ascii: "\n") { number += 1 }
        begin += 1
        if scan.isOver { return }
      }
      if isAtEnd {
        guard scan.isScalar else {
          throw .line(name: source.name, line: endPlace, problem: .endsInside)
        }
        return
      }
      try fill()
    }
  }

  /// Passes bytes of a string up to the next quote or backslash, with the C library's search: texts may be long.
  private mutating func passString() {
    guard let base = buffer.baseAddress else { return }
    var count = end - begin
    for byte in [UInt8(ascii: "\""), UInt8(ascii: "\\")] {
      guard let found = memchr(base + begin, Int32(byte), count) else { continue }
      count = UnsafeRawPointer(found) - UnsafeRawPointer(base + begin)
    }
    begin += count
  }

  /// The next key of an object that was entered, up to its value; `nil` at the object's end.
  mutating func nextKey(isFirst: Bool) throws(ImportError) -> String? {
    if try consume("}") { return nil }
    if !isFirst { try require(",") }
    guard try peek() == UInt8(ascii: "\"") else { throw try wrongJSON() }
    var json = JSONReader(Array(try value()))
    let key: String?
    do throws(JSONReader.Failure) { key = try json.string() } catch { throw try wrongJSON() }
    try require(":")
    return key ?? ""
  }
}

/// Finds the end of a JSON value, byte by byte.
struct ImportJSONScan {
  private var depth = 0
  private var isString = false
  private var isEscape = false
  /// Whether the next byte is a string's, and no escaped one.
  var isInString: Bool { isString && !isEscape }
  private(set) var isOver = false
  /// Whether it is a number or a word, which ends before the next mark.
  private(set) var isScalar = false

  /// Takes a byte of the value; whether the value ended before it.
  mutating func isEnd(before byte: UInt8) -> Bool {
    if isString {
      if isEscape {
        isEscape = false
      } else if byte == UInt8(ascii: "\\") {
        isEscape = true
      } else if byte == UInt8(ascii: "\"") {
        isString = false
        isOver = depth == 0
      }
      return false
    }
    switch byte {
    case UInt8(ascii: "\""):
      if isScalar { return true }
      isString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if isScalar { return true }
      depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if depth == 0 { return true }
      depth -= 1
      isOver = depth == 0
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\t"),
      UInt8(ascii: "\r"), UInt8(ascii: "\n"):
      if depth == 0 { return true }
    default: if depth == 0 { isScalar = true }
    }
    return false
  }
}
