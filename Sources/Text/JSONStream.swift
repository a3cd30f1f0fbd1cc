// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The bytes of a ``JSONStream``, and its errors.
package protocol JSONStreamSource {
  associatedtype Failure: Error

  /// Fills `buffer` with the next bytes and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int

  func seek(to byte: UInt64) throws(Failure)

  /// The error of text that is not the JSON expected: a clause, and what to do.
  func failure(_ problem: String, at place: JSONStreamPlace, remedy: String) -> Failure
}

/// The place of a JSON value: its line from 1, its byte from 0, and the number of its row in a list, from 1.
package typealias JSONStreamPlace = (line: Int, byte: UInt64, sample: UInt64?)

/// JSON of any length, value by value.
///
/// Only one value is in memory at a time, of at most 64 KiB; longer ones can be entered or skipped. A document is examined
/// only to find where its values end.
package struct JSONStream<Source: JSONStreamSource>: ~Copyable {
  private let source: Source
  /// The number of the current row of a list; `nil` outside of one.
  package var sample: UInt64?
  private var buffer = JSONBuffer()

  package init(_ source: Source) { self.source = source }

  /// The place of the value that was returned last.
  package var valuePlace: JSONStreamPlace { place(buffer.mark) }
  /// The place of the next byte.
  package var nextPlace: JSONStreamPlace { place(buffer.passed + UInt64(buffer.begin)) }

  private func place(_ byte: UInt64) -> JSONStreamPlace { (max(1, buffer.line), byte, sample) }

  /// Goes back to the first byte, or to a value that was returned before.
  package mutating func rewind(to byte: UInt64 = 0, line: Int = 1) throws(Source.Failure) {
    try source.seek(to: byte)
    sample = nil
    buffer.clear(passed: byte, line: line)
  }

  /// The next byte after blanks; `nil` at the end.
  package mutating func peek() throws(Source.Failure) -> UInt8? {
    while true {
      if let byte = buffer.peek() { return byte }
      if buffer.isAtEnd { return nil }
      try fill()
    }
  }

  /// Consumes a byte if it is the next one.
  package mutating func consume(_ byte: Unicode.Scalar) throws(Source.Failure) -> Bool {
    guard try peek() == UInt8(ascii: byte) else { return false }
    buffer.begin += 1
    return true
  }

  package mutating func require(_ byte: Unicode.Scalar) throws(Source.Failure) {
    guard try consume(byte) else { throw try wrong() }
  }

  /// The error of text that is not JSON, or ends too early.
  package mutating func wrong() throws(Source.Failure) -> Source.Failure {
    switch try peek() {
    case nil: cut
    case 0: zeros
    default:
      source.failure(
        "this is not JSON", at: nextPlace, remedy: "correct it, or export the file again")
    }
  }

  private var cut: Source.Failure {
    source.failure(
      "the file ends inside a value or a list", at: nextPlace,
      remedy: "it is cut off, so fetch it again")
  }

  private var zeros: Source.Failure {
    source.failure(
      "bytes of 0 follow, as after a loss of power", at: nextPlace,
      remedy: "take them out, or fetch the file again")
  }

  private func tooLong(_ place: JSONStreamPlace) -> Source.Failure {
    source.failure(
      "a value has more than \(JSONBuffer.limit) bytes", at: place,
      remedy: "no sample is that long: take it out")
  }

  /// The error of a value of another kind, or of text that is not JSON.
  package mutating func wrongKind(of value: String, expected: String) throws(Source.Failure)
    -> Source.Failure
  {
    let found: String
    switch try peek() {
    case UInt8(ascii: "\""): found = "a text"
    case UInt8(ascii: "["): found = "a list"
    case UInt8(ascii: "{"): found = "an object"
    case let byte? where FieldText.isDigit(byte) || byte == UInt8(ascii: "-"): found = "a number"
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): found = "true, false or null"
    default: throw try wrong()
    }
    return source.failure(
      "\(value) is \(found) where \(expected) must be", at: nextPlace,
      remedy: "correct it, or export the file again")
  }

  /// The text of the next value, valid until the next call.
  package mutating func value() throws(Source.Failure) -> UnsafeRawBufferPointer {
    guard try peek() != nil else { throw try wrong() }
    var scan = JSONScan()
    var count = 0
    while !buffer.find(&scan, &count) {
      if buffer.isAtEnd {
        if scan.isScalar { break }
        throw cut
      }
      try fill()
    }
    guard count > 0 else { throw try wrong() }
    return buffer.take(count)
  }

  /// Skips the next value: a text, a list or an object of any length, a number or a word up to the buffer's.
  package mutating func skipValue() throws(Source.Failure) {
    guard try peek() != nil else { throw try wrong() }
    let begin = nextPlace
    var scan = JSONScan()
    var count = 0
    while !buffer.skip(&scan, &count) {
      guard !scan.isScalar || count <= JSONBuffer.limit else {
        throw tooLong(begin)
      }
      if buffer.isAtEnd {
        if scan.isScalar { break }
        throw cut
      }
      try fill()
    }
    if count == 0 { throw try wrong() }
  }

  /// The next key of an object that was entered, up to its value; `nil` at the object's end.
  package mutating func nextKey() throws(Source.Failure) -> String? {
    if try consume("}") { return nil }
    _ = try consume(",")
    guard try peek() == UInt8(ascii: "\"") else { throw try wrong() }
    var json = JSONReader(Array(try value()))
    var key: String?
    do throws(JSONReader.Failure) { key = try json.string() } catch { throw try wrong() }
    try require(":")
    return key ?? ""
  }

  private mutating func fill() throws(Source.Failure) {
    guard let room = buffer.room() else {
      throw buffer.hasZeros ? zeros : tooLong(nextPlace)
    }
    buffer.add(try source.read(into: room))
  }
}

/// The bytes of a stream that are in memory; not generic, since its loops look at every byte.
package struct JSONBuffer: ~Copyable {
  static var limit: Int { 64 * 1024 }

  // Safe: owned by this value alone and freed in deinit; 0 <= begin <= end <= limit.
  private let bytes: UnsafeMutableRawBufferPointer = .allocate(byteCount: limit, alignment: 16)
  var begin = 0
  private(set) var end = 0
  private(set) var isAtEnd = false
  /// Line ends within the value returned last, which are counted with the next one.
  private var linesInside = 0
  /// The line of the value returned last, from 1.
  private(set) var line = 1
  /// Bytes before those in memory, and the byte at which the value returned last begins.
  private(set) var (passed, mark): (UInt64, UInt64) = (0, 0)

  deinit { bytes.deallocate() }

  var hasZeros: Bool { bytes.contains(0) }

  mutating func clear(passed: UInt64, line: Int) {
    (begin, end, isAtEnd, linesInside) = (0, 0, false, 0)
    (self.line, self.passed, mark) = (line, passed, passed)
  }

  /// Where more bytes go, after moving the rest to the front; `nil` without room.
  mutating func room() -> UnsafeMutableRawBufferPointer? {
    if begin > 0, let base = bytes.baseAddress {
      memmove(base, base + begin, end - begin)
      (passed, end, begin) = (passed + UInt64(begin), end - begin, 0)
    }
    return end < bytes.count ? UnsafeMutableRawBufferPointer(rebasing: bytes[end...]) : nil
  }

  mutating func add(_ count: Int) {
    end += count
    isAtEnd = count == 0
  }

  /// Skips blanks; the byte after them, `nil` if it is not in memory.
  mutating func peek() -> UInt8? {
    (line, linesInside) = (line + linesInside, 0)
    while begin < end {
      switch bytes[begin] {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      case let byte: return byte
      }
      begin += 1
    }
    return nil
  }

  /// Looks for the end of a value after its first `count` bytes; whether it is in memory.
  func find(_ scan: inout JSONScan, _ count: inout Int) -> Bool {
    while begin + count < end {
      if scan.isEnd(before: bytes[begin + count]) { return true }
      count += 1
      if scan.isOver { return true }
    }
    return false
  }

  mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    let value = UnsafeRawBufferPointer(rebasing: bytes[begin..<begin + count])
    mark = passed + UInt64(begin)
    begin += count
    for byte in value where byte == UInt8(ascii: "\n") { linesInside += 1 }
    return value
  }

  /// Skips what is in memory of a value, and counts its bytes; whether that was all of it.
  mutating func skip(_ scan: inout JSONScan, _ count: inout Int) -> Bool {
    while begin < end {
      if scan.isEnd(before: bytes[begin]) { return true }
      if bytes[begin] == UInt8(ascii: "\n") { line += 1 }
      (begin, count) = (begin + 1, count + 1)
      if scan.isOver { return true }
    }
    return false
  }
}

/// Finds the end of a JSON value, byte by byte.
package struct JSONScan {
  private var depth = 0
  private var isString = false
  private var isEscape = false
  /// Whether the byte taken last was the value's last one.
  package private(set) var isOver = false
  /// Whether it is a number or a word, which ends before the next mark.
  fileprivate private(set) var isScalar = false

  package init() {}

  /// Takes a byte of the value; whether the value ended before it.
  package mutating func isEnd(before byte: UInt8) -> Bool {
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
