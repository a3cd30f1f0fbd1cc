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

  /// Goes to a byte, which was read before.
  mutating func skip(to byte: UInt64) throws(ImportError)

  /// The same bytes again, with a place of their own, at the first one: for a file with two tables.
  func another() throws(ImportError) -> Self

  /// Whether its length is stated elsewhere, so that a file that was cut is found.
  var hasStatedLength: Bool { get }
}

extension ImportSource where Self: ~Copyable {
  /// As most sources have it: no.
  public var hasStatedLength: Bool { false }

  /// By reading all bytes before it.
  public mutating func skip(to byte: UInt64) throws(ImportError) {
    rewind()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    var left = byte
    while left > 0 {
      let piece = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<Int(min(left, UInt64(buffer.count)))])
      let count = try read(into: piece)
      guard count > 0 else { throw .changed(name) }
      left -= UInt64(count)
    }
  }
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
  /// - Throws: `ImportError`: unreadable, or not a file.
  public init(path: String, progress: Progress? = nil) throws(ImportError) {
    // Non-blocking: opening a pipe without a writer must not wait for one.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .unreadable(path, code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notAFile(path)
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
      if errno != EINTR { throw .unreadable(name, errno) }
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

  /// Goes to a byte.
  public mutating func skip(to byte: UInt64) { seek(to: byte) }

  /// The file once more.
  public func another() throws(ImportError) -> FileSource {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .unreadable(name, errno) }
    return FileSource(name, size, copy, progress)
  }

  private init(_ name: String, _ size: UInt64, _ descriptor: Int32, _ progress: Progress?) {
    (self.name, self.size, self.descriptor, self.progress) = (name, size, descriptor, progress)
  }
}
