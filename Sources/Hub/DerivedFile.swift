// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc

/// A file of a hub that appears under its name once it is whole and durable.
///
///     DIR/.work/NAME ─► synced ─► renamed to its place ─► directory synced
///
/// Engines may read files of any name, so it is made outside the tables. If the file in its place has the same bytes,
/// nothing changes.
final class DerivedFile {
  private let file: OpenFile
  private let hub: HubDirectory

  /// - Parameter name: A name that no other thread uses; an earlier file of that name is replaced.
  init(_ name: String, in hub: HubDirectory) throws(StorageError) {
    // Properties are set after everything that can throw.
    let new = try hub.files.open(
      "\(hub.workPath)/\(name)", flags: O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW)
    self.hub = hub
    file = new
  }

  deinit {
    // Missing once published. The next round deletes one that stays.
    do { try hub.files.remove(file.path) } catch { return }
  }

  /// For writing; from the beginning on.
  var descriptor: CInt { file.descriptor }
  func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) { try file.write(bytes, at: 0) }
  /// Sets the time of modification, in seconds since 1970.
  func date(seconds: Int64) throws(StorageError) { try file.date(seconds: seconds) }
  var path: String { file.path }

  func length() throws(StorageError) -> UInt64 { try file.regularFileSize() }

  /// Moves the file to its place in the hub, makes directories, and returns its length.
  func publish(as place: String) throws(StorageError) -> UInt64 {
    let target = "\(hub.path)/\(place)"
    let length = try length()
    if try isSame(as: target, length) { return length }
    try file.sync()
    let names = place.split(separator: "/").dropLast()
    var directories = [hub.path]
    for name in names { directories.append("\(directories[directories.count - 1])/\(name)") }
    var isNew = false
    for directory in directories.dropFirst() where try hub.files.makeDirectory(directory) {
      isNew = true
    }
    try hub.files.rename(file.path, to: target)
    // The last one may be another thread's, and not synced yet.
    for directory in isNew ? directories.reversed() : directories.suffix(2).reversed() {
      try hub.files.syncDirectory(directory)
    }
    return length
  }

  private func isSame(as target: String, _ length: UInt64) throws(StorageError) -> Bool {
    let comparison = FileComparison(hub.files, target)
    try file.readPieces { piece in
      piece.withUnsafeBytes { comparison.add($0) }
      return !comparison.differs
    }
    return try comparison.finish() && comparison.length == length
  }
}

extension HubDirectory {
  /// A ``DerivedRecording/Make`` that publishes the file.
  func publish(
    _ name: String, _ place: String, _ write: (inout BufferedSink) throws(ExportError) -> Void
  ) throws -> UInt64 {
    let file = try DerivedFile(name, in: self)
    var sink = BufferedSink(file.descriptor, name: file.path)
    try write(&sink)
    try sink.flush()
    return try file.publish(as: place)
  }

  /// A ``DerivedRecording/Make`` that compares the file with what would be written, and calls `differs` with its place.
  func compare(
    _ place: String, _ differs: (String) -> Void,
    _ write: (inout BufferedSink) throws(ExportError) -> Void
  ) throws -> UInt64 {
    let comparison = FileComparison(files, "\(path)/\(place)")
    var sink = BufferedSink(name: comparison.path) {
      comparison.add($0)
      return 0
    }
    try write(&sink)
    try sink.flush()
    if try !comparison.finish() { differs(place) }
    return comparison.length
  }
}

/// Compares consecutive bytes with a file's.
final class FileComparison {
  let path: String
  private(set) var length: UInt64 = 0
  /// Whether a byte differs, or the file has fewer.
  private(set) var differs = false
  private let file: OpenFile?
  private var failure: StorageError?
  private var theirs = [UInt8](repeating: 0, count: 1 << 16)

  /// A comparison with the file at `path`; one that cannot be opened, a pipe or a device differs.
  init(_ files: FileSystem, _ path: String) {
    self.path = path
    do throws(StorageError) {
      file = try files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      file = nil
      differs = true
    }
    do throws(StorageError) {
      _ = try file?.regularFileSize()
    } catch {
      differs = true
    }
  }

  /// Compares the next bytes; ``finish()`` throws an error of reading.
  func add(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while failure == nil, !differs, !rest.isEmpty {
      let (place, limit) = (
        length + UInt64(bytes.count - rest.count), min(rest.count, theirs.count)
      )
      do throws(StorageError) {
        let count = try theirs.withMutableBytes { buffer throws(StorageError) in
          let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<limit])
          return try file?.read(at: place, into: piece) ?? 0
        }
        differs = count == 0 || !theirs[..<count].elementsEqual(rest.prefix(count))
        rest = rest.dropFirst(count)
      } catch {
        failure = error
      }
    }
    length += UInt64(bytes.count)
  }

  /// Whether the file has exactly these bytes.
  func finish() throws(StorageError) -> Bool {
    if let failure { throw failure }
    guard !differs else { return false }
    return try file?.regularFileSize() == length
  }
}
