// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The bytes of a file to import, which can be read again from the start.
///
/// ``FileSource`` conforms; tests import from memory.
public protocol ImportSource: ~Copyable {
  /// The name in errors: a path.
  var name: String { get }

  /// Fills `buffer` with the next bytes and returns their number; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int

  /// Goes back to the first byte.
  mutating func rewind()

  /// The same bytes again, with a place of their own, at the first one: for a file with two tables.
  func another() throws(ImportError) -> Self

  /// Whether its length is stated elsewhere, so that a file that was cut is found.
  var hasStatedLength: Bool { get }
}

extension ImportSource where Self: ~Copyable {
  /// As most sources have it: no.
  public var hasStatedLength: Bool { false }
}

/// Bytes that can be read from any place on, as those of an archive must.
public protocol SeekableSource: ImportSource, ~Copyable {
  /// The number of bytes.
  var size: UInt64 { get }

  /// Goes to a byte, or to any place after the last one, where there is nothing to read.
  mutating func seek(to offset: UInt64)
}

/// A regular file, which may report how far it is read.
public struct FileSource: SeekableSource, ~Copyable {
  /// Its path.
  public let name: String
  /// Its length when it was opened.
  public let size: UInt64
  private let descriptor: Int32
  private let progress: Progress?
  private var offset: off_t = 0

  /// Called before each read with the file's name, the byte at which it begins, and the file's length.
  public typealias Progress = (_ name: String, _ done: UInt64, _ all: UInt64) -> Void

  /// Opens a file for reading.
  ///
  /// - Throws: ``ImportError/file(name:code:)`` or ``ImportError/notARegularFile(name:)``.
  public init(path: String, progress: Progress? = nil) throws(ImportError) {
    // Non-blocking: opening a pipe without a writer must not wait for one.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .file(name: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .file(name: path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notARegularFile(name: path)
    }
    name = path
    size = UInt64(clamping: status.st_size)
    (self.descriptor, self.progress) = (descriptor, progress)
  }

  deinit {
    close(descriptor)
  }

  /// Fills `buffer` with the next bytes and returns their number; 0 at the end.
  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    progress?(name, UInt64(offset), size)
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
      if count >= 0 {
        offset += off_t(count)
        return count
      }
      if errno != EINTR { throw .file(name: name, code: errno) }
    }
  }

  /// Goes back to the first byte.
  public mutating func rewind() {
    offset = 0
  }

  /// Goes to a byte.
  public mutating func seek(to offset: UInt64) {
    self.offset = off_t(clamping: offset)
  }

  /// The file once more.
  public func another() throws(ImportError) -> FileSource {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .file(name: name, code: errno) }
    return FileSource(name, size, copy, progress)
  }

  private init(_ name: String, _ size: UInt64, _ descriptor: Int32, _ progress: Progress?) {
    (self.name, self.size, self.descriptor, self.progress) = (name, size, descriptor, progress)
  }
}

/// A file's lines, read in pieces of 64 KiB.
struct ImportLines<Source: ImportSource & ~Copyable>: ~Copyable {
  /// The longest line, its line feed included.
  static var limit: Int { 64 * 1024 }

  private(set) var source: Source
  /// The number of the line returned last, from 1; of JSON, that of the value returned last.
  var number = 0
  // Safe: owned by this value alone and freed in deinit; 0 <= begin <= end <= limit.
  let buffer: UnsafeMutableRawBufferPointer
  var begin = 0
  private(set) var end = 0
  private(set) var isAtEnd = false
  /// Whether the last line that was returned had no line feed, as that of a file that was cut.
  private(set) var isCut = false
  /// Line ends within the value returned last, of JSON.
  var linesInside = 0
  /// Bytes of the file before those in the buffer.
  private var passed: UInt64 = 0
  /// Of JSON: the byte at which the value returned last begins.
  var mark: UInt64 = 0
  /// Of JSON: the rows of a list so far, the current one included; `nil` outside of one.
  var sample: UInt64?

  /// The byte of the file that is read next.
  var byte: UInt64 { passed + UInt64(begin) }
  /// Where the value of JSON is that was returned last.
  var valuePlace: ImportPlace { ImportPlace(line: number, byte: mark, sample: sample) }
  /// Where JSON is read next.
  var nextPlace: ImportPlace { ImportPlace(line: number, byte: byte, sample: sample) }
  /// Where JSON ends.
  var endPlace: ImportPlace {
    ImportPlace(line: number, byte: passed + UInt64(end), sample: sample)
  }

  init(_ source: consuming Source) {
    self.source = source
    buffer = .allocate(byteCount: Self.limit, alignment: 16)
  }

  deinit {
    buffer.deallocate()
  }

  /// Goes back to the first line.
  mutating func rewind() {
    source.rewind()
    (number, begin, end, isAtEnd, linesInside) = (0, 0, 0, false, 0)
    (passed, mark, sample, isCut) = (0, 0, nil, false)
  }

  /// The next line without its end (LF or CR LF), valid until the next call; `nil` after the last one.
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
    var last = place
    if last > begin, buffer[last - 1] == UInt8(ascii: "\r") { last -= 1 }
    let line = UnsafeRawBufferPointer(rebasing: buffer[begin..<last])
    begin = place + ending
    number += 1
    return line
  }

  /// Moves the rest of the buffer to its front and reads more after it.
  ///
  /// - Parameter place: The place in errors, if it is not the line after the last.
  mutating func fill(_ place: ImportPlace? = nil) throws(ImportError) {
    if begin > 0, let base = buffer.baseAddress {
      memmove(base, base + begin, end - begin)
      end -= begin
      passed += UInt64(begin)
      begin = 0
    }
    guard end < buffer.count else {
      throw .line(
        name: source.name, line: place ?? ImportPlace(line: number + 1),
        problem: buffer.contains(0) ? .zeros : .tooLong(limit: Self.limit))
    }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
    end += count
    isAtEnd = count == 0
  }
}
