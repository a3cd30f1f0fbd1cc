// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc

/// The bytes of a file to import, which can be read again from the start.
///
/// Readers hold sources of any kind, since they ask for 64 KiB at a time: code for each kind would not be faster.
public protocol ImportSource: AnyObject {
  /// The name in errors: a path.
  var name: String { get }

  /// Fills `buffer` with the next bytes and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int

  /// Goes to a byte.
  func seek(to byte: UInt64) throws(ImportError)

  /// The same bytes again, with a place of their own, at the first one.
  func another() throws(ImportError) -> Self

  /// Whether its length is stated elsewhere, so that a file that was cut is found.
  var hasStatedLength: Bool { get }
}

/// Bytes that can be read from any place on, as an archive needs.
public protocol SeekableSource: ImportSource {
  /// The number of bytes; behind them there is nothing to read.
  var size: UInt64 { get }
}

extension ImportSource {
  /// As most sources have it: no.
  public var hasStatedLength: Bool { false }

  /// Fills `buffer` as far as there are bytes, and returns their number.
  func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    var count = 0
    while count < buffer.count {
      let more = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if more == 0 { break }
      count += more
    }
    return count
  }

  /// The next bytes, at most so many.
  func bytes(_ count: Int) throws(ImportError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    return try Array(buffer[..<fill(buffer)])
  }

  /// Passes bytes, for a source that cannot go to any of them.
  func pass(_ count: UInt64) throws(ImportError) {
    var left = count
    while left > 0 {
      let passed = try bytes(Int(min(left, 64 * 1024))).count
      guard passed > 0 else { throw .changed(name) }
      left -= UInt64(passed)
    }
  }
}

/// A regular file, which may report how far it is read.
public final class FileSource: SeekableSource {
  /// Shared by all sources of the file, which have places of their own.
  private final class Opened {
    let file: OpenFile

    init(_ file: consuming OpenFile) { self.file = file }
  }

  /// Its path.
  public let name: String
  /// Its length when it was opened.
  public let size: UInt64
  private let opened: Opened
  private let progress: Progress?
  private var offset: UInt64 = 0

  /// Called before each read with the file's name, the byte at which it begins, and the file's length.
  public typealias Progress = (_ name: String, _ done: UInt64, _ all: UInt64) -> Void

  /// Opens a file for reading.
  ///
  /// - Throws: `ImportError`: unreadable, or not a file.
  public init(path: String, progress: Progress? = nil) throws(ImportError) {
    do throws(StorageError) {
      // Non-blocking: opening a pipe without a writer must not wait for one.
      let file = try OpenFile(path: path, flags: O_RDONLY | O_NONBLOCK, gate: .open)
      size = try file.regularFileSize()
      opened = Opened(file)
    } catch {
      throw .unreadable(path, error.errno)
    }
    (name, self.progress) = (path, progress)
  }

  private init(_ other: FileSource) {
    (name, size, opened, progress) = (other.name, other.size, other.opened, other.progress)
  }

  /// Fills `buffer` as far as there are bytes, and returns their number.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    progress?(name, offset, size)
    do throws(StorageError) {
      let count = try opened.file.read(at: offset, into: buffer)
      offset += UInt64(count)
      return count
    } catch {
      throw .unreadable(name, error.errno)
    }
  }

  /// Goes to a byte.
  public func seek(to byte: UInt64) { offset = byte }

  /// The file once more.
  public func another() -> FileSource { FileSource(self) }
}
