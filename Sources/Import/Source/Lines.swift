// SPDX-License-Identifier: Apache-2.0

import Glibc
import Text

/// Where something is in a file to import.
///
///     line 7                           of a table
///     line 1, byte 5213, sample 17     of JSON, where a line may be the whole file: of the rows in a list
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

  init(line: Int = 0, byte: UInt64? = nil, sample: UInt64? = nil) {
    (self.line, self.byte, self.sample) = (line, byte, sample)
  }

  /// A line of text.
  public init(integerLiteral line: Int) { self.init(line: line) }

  /// As part of a sentence.
  public var description: String {
    [
      line > 0 ? "\(isRow ? "row" : "line") \(line)" : nil, byte.map { "byte \($0)" },
      sample.map { "sample \($0)" },
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

/// A row's beginning, from which reading can go on: a byte, and the number of the line that begins there.
struct RowMark: Equatable, Sendable {
  let byte: UInt64
  let line: Int
}

/// A file's lines, read in pieces of 64 KiB.
final class Lines {
  /// The longest line, its end included.
  private static let limit = 64 * 1024

  let source: any ImportSource
  /// The number of the line returned last, from 1.
  private(set) var number = 0
  // Safe: owned by this value alone and freed in deinit; 0 <= begin <= end <= limit.
  private let buffer: UnsafeMutableRawBufferPointer
  private var (begin, end, isAtEnd) = (0, 0, false)
  /// Whether the line returned last had no line feed, as in a file that was cut.
  private(set) var isCut = false
  /// The bytes of the file at which the line returned last and the buffer begin.
  private var (last, passed): (UInt64, UInt64) = (0, 0)

  /// Where the line returned last is.
  var place: Place { Place(line: number) }
  /// From where it can be read again.
  var mark: RowMark { RowMark(byte: last, line: number) }

  init(_ source: any ImportSource) {
    self.source = source
    buffer = .allocate(byteCount: Self.limit, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// Goes back to the first line, or to one that was read.
  func rewind(to mark: RowMark? = nil) throws(ImportError) {
    try source.seek(to: mark?.byte ?? 0)
    (begin, end, isAtEnd, isCut) = (0, 0, false, false)
    (number, passed) = ((mark?.line ?? 1) - 1, mark?.byte ?? 0)
  }

  /// The next line without its end (LF after any number of CR), valid until the next call; `nil` after the last one.
  func next() throws(ImportError) -> UnsafeRawBufferPointer? {
    var searched = 0
    while true {
      let fresh = begin + searched
      if let base = buffer.baseAddress, end > fresh,
        let found = memchr(base + fresh, Int32(UInt8(ascii: "\n")), end - fresh)
      {
        return take(through: UnsafeRawPointer(found) - UnsafeRawPointer(base), skipping: 1)
      }
      searched = end - begin
      if isAtEnd {
        guard searched > 0 else { return nil }
        isCut = buffer[begin..<end].contains { $0 > UInt8(ascii: " ") }
        return take(through: end, skipping: 0)
      }
      try fill()
    }
  }

  private func take(through place: Int, skipping ending: Int) -> UnsafeRawBufferPointer {
    var end = place
    while end > begin, buffer[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    defer { (begin, number) = (place + ending, number + 1) }
    last = passed + UInt64(begin)
    return UnsafeRawBufferPointer(rebasing: buffer[begin..<end])
  }

  /// Moves the rest of the buffer to its front and reads more after it.
  private func fill() throws(ImportError) {
    if begin > 0, let base = buffer.baseAddress {
      memmove(base, base + begin, end - begin)
      (begin, end, passed) = (0, end - begin, passed + UInt64(begin))
    }
    guard end < buffer.count else {
      let place = Place(line: number + 1)
      throw buffer.contains(0)
        ? .zeros(source.name, place)
        : ImportError(
          source.name, at: place, "the line is longer than \(Self.limit) bytes",
          remedy: "import a table with a line for each sample")
    }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
    (end, isAtEnd) = (end + count, count == 0)
  }
}

extension ImportError {
  static func zeros(_ file: String, _ place: Place) -> ImportError {
    ImportError(
      file, at: place, "there are bytes of 0 here, as in blocks that a card lost, or in UTF-16",
      remedy: "fetch the file again, take them out, or save it as UTF-8")
  }
}
