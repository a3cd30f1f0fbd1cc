// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

/// A line of text that proves itself.
///
///     1b2c3d4e fetched 1b4e28ba-2fa1-41d2-883f-0016d3cca427 …
///     │        └ text, up to the line feed
///     └ CRC-32C of the text, in hexadecimal
package enum CheckedLine {
  /// The line of a text without a line feed, with its line feed.
  package static func line(_ text: [UInt8]) -> [UInt8] {
    check(of: text[...]) + text + [UInt8(ascii: "\n")]
  }

  /// The text of a line without its line feed; `nil` when it fails its check.
  package static func text(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let text = line.dropFirst(9)
    guard line.count > 9, line.prefix(9).elementsEqual(check(of: text)) else { return nil }
    return text
  }

  /// The CRC-32C of a text.
  package static func sum(of text: ArraySlice<UInt8>) -> UInt32 {
    // Safe: the C function reads exactly these bytes.
    text.withUnsafeBytes { imulog_crc32c(0, $0.baseAddress, $0.count) }
  }

  /// Eight digits and a space.
  private static func check(of text: ArraySlice<UInt8>) -> [UInt8] {
    let digits = String(sum(of: text), radix: 16)
    return Array((String(repeating: "0", count: 8 - digits.utf8.count) + digits + " ").utf8)
  }
}

/// A file of ``CheckedLine``s, to which lines are appended.
///
/// A line is durable once it is appended. A last line whose line feed is lost or damaged counts if it passes its check. Any
/// other end is what a crash left of a line that was never confirmed, and is cut off by the next append. Damaged lines are
/// skipped.
package struct CheckedFile: Sendable {
  /// The file's path.
  package let path: String
  private let files: FileSystem
  /// Bytes up to the end of the last line, its line feed included if it has one.
  private var end: UInt64 = 0
  /// Whether the last line has no line feed.
  private var isOpen = false

  /// A line without its end beyond this many bytes is damage.
  private static let longest = 1 << 20
  /// Bytes of a line's check.
  private static let check = 9
  private static let piece = 1 << 16

  /// A file that need not exist. It must be read before it is appended to.
  package init(_ path: String, _ files: FileSystem) {
    (self.path, self.files) = (path, files)
  }

  /// Reads the texts of all lines that pass their check, in order; the pieces of the file are in memory one at a time.
  ///
  /// - Returns: How many lines fail it.
  package mutating func read(_ each: (ArraySlice<UInt8>) -> Void) throws(StorageError) -> Int {
    (end, isOpen) = (0, false)
    guard let file = try openIfThere() else { return 0 }
    _ = try file.regularFileSize()
    var (damaged, place) = (0, UInt64(0))
    var line: [UInt8] = []
    var isTooLong = false
    var piece = [UInt8](repeating: 0, count: CheckedFile.piece)
    while true {
      let count = try piece.withMutableBytes { bytes throws(StorageError) in
        try file.read(at: place, into: bytes)
      }
      guard count > 0 else {
        takeEnd(line, each)
        return damaged + (isTooLong ? 1 : 0)
      }
      var rest = piece[..<count]
      while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<feed]
        if !isTooLong, let text = CheckedLine.text(of: line[...]) {
          each(text)
        } else {
          damaged += 1
        }
        end = place + UInt64(feed) + 1
        line.removeAll(keepingCapacity: true)
        isTooLong = false
        rest = rest[(feed + 1)...]
      }
      if line.count + rest.count > CheckedFile.longest {
        line.removeAll()
        isTooLong = true
      } else if !isTooLong {
        line += rest
      }
      place += UInt64(count)
    }
  }

  /// Takes what is after the last line feed, if it is a line, or a line and one byte in place of its line feed.
  private mutating func takeEnd(_ rest: [UInt8], _ each: (ArraySlice<UInt8>) -> Void) {
    let length = (rest.lastIndex { $0 != 0 } ?? -1) + 1
    for length in [length, length - 1] where length > CheckedFile.check {
      guard let text = CheckedLine.text(of: rest[..<length]) else { continue }
      each(text)
      end += UInt64(length)
      isOpen = true
      return
    }
  }

  private func openIfThere() throws(StorageError) -> OpenFile? {
    do throws(StorageError) {
      return try files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Appends lines of these texts; durable on return. Of some of them a crash may leave the first ones.
  package mutating func append(_ texts: [[UInt8]]) throws(StorageError) {
    guard !texts.isEmpty else { return }
    let file = try files.open(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
    if try file.regularFileSize() > end { try file.truncate(to: end) }
    let bytes = (isOpen ? [UInt8(ascii: "\n")] : []) + texts.flatMap { CheckedLine.line($0) }
    do throws(StorageError) {
      try bytes.withBytes { bytes throws(StorageError) in try file.write(bytes, at: end) }
    } catch {
      // The room of half a line is another file's on a full disk.
      try file.truncate(to: end)
      throw error
    }
    try file.sync()
    if end == 0 { try files.syncDirectory(directory) }
    end += UInt64(bytes.count)
    isOpen = false
  }

  /// Replaces the file by one with lines of these texts: whatever happens, the old one or the new one is there.
  ///
  /// - Parameter temporary: A path on the same file system that no other program uses.
  package mutating func replace(
    by texts: some Sequence<[UInt8]>, temporary: String
  ) throws(StorageError) {
    let file = try files.open(temporary, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    var length: UInt64 = 0
    for text in texts {
      let line = CheckedLine.line(text)
      try line.withBytes { bytes throws(StorageError) in try file.write(bytes, at: length) }
      length += UInt64(line.count)
    }
    try file.sync()
    try files.rename(temporary, to: path)
    try files.syncDirectory(directory)
    (end, isOpen) = (length, false)
  }

  private var directory: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
}
