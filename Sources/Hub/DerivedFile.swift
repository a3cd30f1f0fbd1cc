// SPDX-License-Identifier: Apache-2.0

import Glibc
import LogStore

/// A file of a hub that appears under its name once it is whole and durable.
///
///     DIR/.work/NAME ─► synced ─► renamed to its place ─► directory synced
///
/// It is made outside of every directory that an engine reads: some read files of any name. One that is the same as what
/// is there already is deleted, and nothing changes.
struct DerivedFile: ~Copyable {
  private let file: OpenFile
  private let hub: HubDirectory

  /// - Parameter name: A name that no other thread uses; an earlier file of that name is replaced.
  init(_ name: String, in hub: HubDirectory) throws(StorageError) {
    // Nothing is set before all that can fail has not failed.
    let new = try hub.files.open(
      "\(hub.workPath)/\(name)", flags: O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW)
    self.hub = hub
    file = new
  }

  deinit {
    // It is not there any more once it is published; left behind, the next round deletes it.
    do { try hub.files.remove(file.path) } catch { return }
  }

  /// For writing; from the beginning on.
  var descriptor: CInt { file.descriptor }
  /// Writes all of a short file.
  func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) { try file.write(bytes, at: 0) }
  /// Gives it a time of modification, in seconds since 1970.
  func date(seconds: Int64) throws(StorageError) { try file.date(seconds: seconds) }
  var path: String { file.path }

  /// Its bytes so far.
  func length() throws(StorageError) -> UInt64 { try file.regularFileSize() }

  /// Gives the file its place, relative to the hub; directories are made.
  ///
  /// - Returns: Its length.
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
    // One that was just made, or by another thread and not synced yet.
    for directory in isNew ? directories.reversed() : directories.suffix(2).reversed() {
      try hub.files.syncDirectory(directory)
    }
    return length
  }

  /// Whether a file has the same bytes, of which so many are here.
  func isSame(as target: String, _ length: UInt64) throws(StorageError) -> Bool {
    guard let there = openFile(target), try there.regularFileSize() == length else { return false }
    var (ours, theirs) = (
      [UInt8](repeating: 0, count: 1 << 16), [UInt8](repeating: 0, count: 1 << 16)
    )
    var place: UInt64 = 0
    while place < length {
      let count = try ours.withMutableBytes { bytes throws(StorageError) in
        try file.read(at: place, into: bytes)
      }
      let other = try theirs.withMutableBytes { bytes throws(StorageError) in
        try there.read(at: place, into: bytes)
      }
      guard count == other, count > 0, ours[..<count] == theirs[..<count] else { return false }
      place += UInt64(count)
    }
    return true
  }

  /// What has the place; `nil` where nothing can be opened there, which is replaced if it can be.
  private func openFile(_ path: String) -> OpenFile? {
    do throws(StorageError) {
      return try hub.files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      return nil
    }
  }
}
