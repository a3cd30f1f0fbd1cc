// SPDX-License-Identifier: Apache-2.0

import Glibc
import Text

/// Where something is in a file to import.
///
///     line 7                           of a table
///     line 1, byte 5213                of JSON, where a line may be the whole file
///     line 1, byte 5213, sample 17     of the rows in a list of JSON
///     line 1, byte 902, item 3 of "gaps"
///     row 12                           of binary columns
///     byte 5213                        of an archive
public struct Place: Equatable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Counted from 1; 0 of an archive, which has bytes alone.
  public let line: Int
  /// Whether ``line`` counts rows of binary columns.
  public var isRow = false
  /// Of JSON and binaries, counted from 0.
  public var byte: UInt64?
  /// Of the rows in a list, counted from 1.
  public var sample: UInt64?
  /// Of the list of gaps in this program's document, counted from 1.
  public var gap: Int?

  /// A line of text.
  public init(line: Int) { self.line = line }

  init(line: Int, byte: UInt64, sample: UInt64?) {
    (self.line, self.byte, self.sample) = (line, byte, sample)
  }

  /// A line of text.
  public init(integerLiteral line: Int) { self.init(line: line) }

  /// A byte of a binary.
  init(byte: UInt64) { (line, self.byte) = (0, byte) }

  /// As part of a sentence.
  public var description: String {
    if line == 0, let byte { return "byte \(byte)" }
    var words = "\(isRow ? "row" : "line") \(line)"
    if let byte { words += ", byte \(byte)" }
    if let sample { words += ", sample \(sample)" }
    if let gap { words += ", item \(gap) of \"gaps\"" }
    return words
  }
}

/// A row's beginning, from which reading can go on: a byte, and the number of the line that begins there.
struct RowMark: Equatable, Sendable {
  let byte: UInt64
  let line: Int
}

/// A file's lines, read in pieces of 64 KiB.
struct Lines<Source: ImportSource & ~Copyable>: ~Copyable {
  /// The longest line, its end included.
  static var limit: Int { 64 * 1024 }

  private(set) var source: Source
  /// The number of the line returned last, from 1.
  private(set) var number = 0
  // Safe: owned by this value alone and freed in deinit; 0 <= begin <= end <= limit.
  private let buffer: UnsafeMutableRawBufferPointer
  private var begin = 0
  private var end = 0
  private var isAtEnd = false
  /// Whether the last line that was returned had no line feed, as that of a file that was cut.
  private(set) var isCut = false
  /// The byte of the file at which the line returned last begins, and that of the buffer's first.
  private var last: UInt64 = 0
  private var passed: UInt64 = 0

  /// Where the line returned last is.
  var place: Place { Place(line: number) }
  /// From where it can be read again.
  var mark: RowMark { RowMark(byte: last, line: number) }

  init(_ source: consuming Source) {
    self.source = source
    buffer = .allocate(byteCount: Self.limit, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// Goes back to the first line, or to one that was read.
  mutating func rewind(to mark: RowMark? = nil) throws(ImportError) {
    if let mark { try source.skip(to: mark.byte) } else { source.rewind() }
    (begin, end, isAtEnd, isCut) = (0, 0, false, false)
    (number, passed) = ((mark?.line ?? 1) - 1, mark?.byte ?? 0)
  }

  /// The next line without its end (LF after any number of CR), valid until the next call; `nil` after the last one.
  mutating func next() throws(ImportError) -> UnsafeRawBufferPointer? {
    var searched = 0
    while true {
      let fresh = begin + searched
      if let base = buffer.baseAddress, end > fresh,
        let found = memchr(base + fresh, Int32(UInt8(ascii: "\n")), end - fresh)
      {
        return consume(through: UnsafeRawPointer(found) - UnsafeRawPointer(base), skipping: 1)
      }
      searched = end - begin
      if isAtEnd {
        guard searched > 0 else { return nil }
        isCut = buffer[begin..<end].contains { $0 > UInt8(ascii: " ") }
        return consume(through: end, skipping: 0)
      }
      try fill()
    }
  }

  private mutating func consume(through place: Int, skipping ending: Int) -> UnsafeRawBufferPointer
  {
    var end = place
    while end > begin, buffer[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    let line = UnsafeRawBufferPointer(rebasing: buffer[begin..<end])
    last = passed + UInt64(begin)
    begin = place + ending
    number += 1
    return line
  }

  /// Moves the rest of the buffer to its front and reads more after it.
  private mutating func fill() throws(ImportError) {
    if begin > 0, let base = buffer.baseAddress {
      memmove(base, base + begin, end - begin)
      end -= begin
      passed += UInt64(begin)
      begin = 0
    }
    guard end < buffer.count else {
      let place = Place(line: number + 1)
      throw buffer.contains(0)
        ? .zeros(source.name, place)
        : ImportError(
          source.name, at: place,
          "this is longer than \(Self.limit) bytes, and so no table of samples",
          remedy: "import the table itself, with a line for each sample")
    }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
    end += count
    isAtEnd = count == 0
  }
}

extension ImportError {
  static func zeros(_ file: String, _ place: Place) -> ImportError {
    ImportError(
      file, at: place, "there are bytes of 0 here, as blocks that a card lost have",
      remedy: "fetch the file again, or take them out")
  }
}
