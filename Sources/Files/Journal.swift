// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
import Text

/// A line of text that proves itself.
///
///     1b2c3d4e fetched 1b4e28ba-2fa1-41d2-883f-0016d3cca427 …
///     │        └ text, up to the line feed
///     └ CRC-32C of the text, in hexadecimal
package enum CheckedLine {
  /// The line of a text without a line feed; the line ends with one.
  package static func line(_ text: [UInt8]) -> [UInt8] {
    check(of: text[...]) + text + [UInt8(ascii: "\n")]
  }

  /// The text of a line without its line feed; `nil` when it fails its check.
  package static func text(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let text = line.dropFirst(9)
    guard line.count > 9, line.prefix(9).elementsEqual(check(of: text)) else { return nil }
    return text
  }

  package static func sum(of text: ArraySlice<UInt8>) -> UInt32 {
    // Safe: the C function reads exactly these bytes.
    text.withUnsafeBytes { imulog_crc32c(0, $0.baseAddress, $0.count) }
  }

  /// Eight digits and a space.
  private static func check(of text: ArraySlice<UInt8>) -> [UInt8] {
    Array((sum(of: text).digits(8, radix: 16) + " ").utf8)
  }
}

/// A file of ``CheckedLine``s, to which lines are appended.
///
/// An appended line is durable on return. A last line whose line feed is lost or damaged counts if it passes its check. Any
/// other end is what a crash left of an unconfirmed line; the next append cuts it off. Damaged lines are skipped and
/// counted, and the next replacement leaves them out.
package struct Journal: Sendable {
  package let path: String
  /// Lines read or appended, without damaged ones.
  package private(set) var lineCount = 0
  package private(set) var damagedLineCount = 0
  private let temporary: String
  private let files: FileSystem
  /// Bytes up to the end of the last line, its line feed included if it has one.
  private var end: UInt64 = 0
  /// Whether the last line has no line feed.
  private var isOpen = false

  /// A line without its end beyond this many bytes is damage.
  private static let longest = 1 << 20

  /// A file that may be missing. Read it before appending.
  ///
  /// - Parameter temporary: A path on the same file system that no other program uses.
  package init(_ path: String, temporary: String, _ files: FileSystem) {
    (self.path, self.temporary, self.files) = (path, temporary, files)
  }

  /// Reads the texts of all lines that pass their check, in order, with one piece of the file in memory at a time.
  package mutating func read(_ each: (ArraySlice<UInt8>) -> Void) throws(StorageError) {
    (end, isOpen, lineCount, damagedLineCount) = (0, false, 0, 0)
    let found = try StorageError.unlessMissing { () throws(StorageError) in
      try files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }
    guard let file = found else { return }
    _ = try file.regularFileSize()
    var line: [UInt8] = []
    var isTooLong = false
    var place: UInt64 = 0
    try file.readPieces { piece in
      var rest = piece
      while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<feed]
        if isTooLong || !take(line[...], each) { damagedLineCount += 1 }
        end = place + UInt64(feed) + 1
        line.removeAll(keepingCapacity: true)
        isTooLong = false
        rest = rest[(feed + 1)...]
      }
      if line.count + rest.count > Journal.longest {
        line.removeAll()
        isTooLong = true
      } else if !isTooLong {
        line += rest
      }
      place += UInt64(piece.count)
      return true
    }
    if isTooLong { damagedLineCount += 1 }
    // After the last line feed: a line, a line and one byte in place of its line feed, or no line.
    let length = (line.lastIndex { $0 != 0 } ?? -1) + 1
    if let whole = [length, length - 1].first(where: { $0 > 0 && take(line[..<$0], each) }) {
      end += UInt64(whole)
      isOpen = true
    }
  }

  /// Counts a line and hands on its text, if it passes its check.
  private mutating func take(
    _ line: ArraySlice<UInt8>, _ each: (ArraySlice<UInt8>) -> Void
  ) -> Bool {
    guard let text = CheckedLine.text(of: line) else { return false }
    lineCount += 1
    each(text)
    return true
  }

  /// Appends lines, durable on return. After a crash, the first of them may be there.
  package mutating func append(_ texts: [String]) throws(StorageError) {
    guard !texts.isEmpty else { return }
    let file = try files.open(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
    if try file.regularFileSize() > end { try file.truncate(to: end) }
    let lines = texts.flatMap { CheckedLine.line(Array($0.utf8)) }
    let bytes = (isOpen ? [UInt8(ascii: "\n")] : []) + lines
    do throws(StorageError) {
      try bytes.withBytes { bytes throws(StorageError) in try file.write(bytes, at: end) }
    } catch {
      // On a full disk, half a line takes room that other files need.
      try file.truncate(to: end)
      throw error
    }
    try file.sync()
    if end == 0 { try files.syncDirectory(parent(of: path)) }
    end += UInt64(bytes.count)
    isOpen = false
    lineCount += texts.count
  }

  /// Whether a replacement by `count` lines is worth it: lines are damaged, or most do not count any more.
  package func isDue(for count: Int) -> Bool {
    damagedLineCount > 0 || lineCount > 2 * count + 32
  }

  /// Replaces the lines; whatever happens, either the old file or the new one is there.
  package mutating func replace(by texts: some Sequence<[UInt8]>) throws(StorageError) {
    let file = try files.open(temporary, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    var (length, count): (UInt64, Int) = (0, 0)
    for text in texts {
      let line = CheckedLine.line(text)
      try line.withBytes { bytes throws(StorageError) in try file.write(bytes, at: length) }
      length += UInt64(line.count)
      count += 1
    }
    try file.sync()
    try files.rename(temporary, to: path)
    try files.syncDirectory(parent(of: path))
    (end, isOpen, lineCount, damagedLineCount) = (length, false, count, 0)
  }
}
