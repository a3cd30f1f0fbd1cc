// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import Text

/// The lock under which numbers are assigned, held as long as this value exists.
///
/// Its file holds the highest number ever assigned in the store, whose recording may have left the trash. A number is
/// durable here before anything has it.
struct NumberLock: ~Copyable {
  private let file: OpenFile

  /// Takes over a locked file.
  fileprivate init(locked file: consuming OpenFile) { self.file = file }

  /// The number written last; 0 when there is none. Throws EILSEQ when the file no longer holds a number.
  func number() throws(StorageError) -> UInt32 {
    guard let number = try NumberLock.number(in: file) else {
      throw StorageError(.read, path: file.path, errno: EILSEQ)
    }
    return number
  }

  /// The same; `nil` when the file holds no number. Zeros are what a power loss during the first write left.
  fileprivate static func number(in file: borrowing OpenFile) throws(StorageError) -> UInt32? {
    let written = try file.beginning(byteCount + 1)
    guard written.contains(where: { $0 != 0 }) else { return 0 }
    guard written.count == byteCount, written.last == UInt8(ascii: "\n"),
      written.dropLast().allSatisfy({ $0 &- 48 < 10 })
    else { return nil }
    return UInt32(String(decoding: written.dropLast(), as: UTF8.self))
  }

  /// Ten digits and a line feed.
  fileprivate static let byteCount = 11

  fileprivate static func write(_ number: UInt32, to file: borrowing OpenFile) throws(StorageError)
  {
    let text = Array("\(number.digits(10))\n".utf8)
    try text.withBytes { bytes throws(StorageError) in try file.write(bytes, at: 0) }
    try file.sync()
  }

  /// Records a number as the highest one assigned, durably.
  ///
  /// - Parameter catalogue: The lock's store, whose directory is synced before the first number.
  func write(number: UInt32, in catalogue: Catalogue) throws(StorageError) {
    if try self.number() == 0 { try catalogue.files.syncDirectory(catalogue.path) }
    try NumberLock.write(number, to: file)
  }
}

extension Catalogue {
  /// Takes the number lock; waits up to ``lockPatience`` for others.
  ///
  /// A lock file that this user cannot write, because root made it, or that is not the store's own, is replaced. So after a
  /// wait the locked file may no longer be the store's lock, and the new one is locked instead.
  func numberLock() throws(StorageError) -> NumberLock {
    var attempts = 0
    while true {
      attempts += 1
      let file = try lockFile()
      try file.waitForLock(patience: lockPatience)
      // Bounded for file systems whose inode numbers change at each look.
      guard try file.isNamed() || attempts == 16 else { continue }
      if try NumberLock.number(in: file) == nil {
        // Truncated last: a longer file holds no number and is written again.
        try NumberLock.write(try numberAhead(), to: file)
        try file.truncate(to: UInt64(NumberLock.byteCount))
      }
      return NumberLock(locked: file)
    }
  }

  private func lockFile() throws(StorageError) -> OpenFile {
    do {
      if let file = try ownFile(Catalogue.lockName) { return file }
    } catch {
      // Another user's; a directory, a link, a socket.
      guard [EACCES, EISDIR, ELOOP, ENXIO].contains(error.errno), files.mayChangeNames(in: path)
      else { throw error }
    }
    try replaceLock()
    return try files.open(path(of: Catalogue.lockName), flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK)
  }

  /// Replaces the lock file with one of this user's that holds the same number, or a number far ahead if that cannot be
  /// read. A directory in its place is renamed.
  func replaceLock() throws(StorageError) {
    let place = path(of: Catalogue.lockName)
    var number: UInt32?
    var old: OpenFile?
    var isDirectory = false
    do throws(StorageError) {
      let file = try files.open(place, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      let kind = try file.status().st_mode & S_IFMT
      isDirectory = kind == S_IFDIR
      if kind == S_IFREG {
        try file.waitForLock(patience: lockPatience)
        // Another program replaced it first.
        guard try file.isNamed() else { return }
        number = try NumberLock.number(in: file)
        old = .some(file)
      }
    } catch {
      guard [EACCES, ELOOP, ENXIO].contains(error.errno) else { throw error }
    }
    let given = if let number { number } else { try numberAhead() }
    let temporary = "\(Catalogue.temporaryPrefix)lock-\(getpid())"
    try files.remove(path(of: temporary))
    do throws(StorageError) {
      guard let new = try ownFile(temporary) else {
        throw StorageError(.open, path: path(of: temporary), errno: EEXIST)
      }
      if given > 0 { try NumberLock.write(given, to: new) }
      if isDirectory { try files.rename(place, to: place + "-aside") }
      try files.rename(path(of: temporary), to: place)
      try files.syncDirectory(path)
    } catch {
      do { try files.remove(path(of: temporary)) } catch { throw error }
      throw error
    }
    _ = consume old
  }

  /// A number far above all known ones.
  private func numberAhead() throws(StorageError) -> UInt32 {
    let known = try numbersInUse().max() ?? 0
    return known > .max - 1000 ? .max : known + 1000
  }

  /// Numbers of the recordings here, including those being imported.
  func numbersHere() throws(StorageError) -> Set<UInt32> {
    var numbers: Set<UInt32> = []
    for file in try files.names(in: path) {
      let isUnfinished = file.hasPrefix(Catalogue.unfinishedPrefix)
      let name = isUnfinished ? file.dropFirst(Catalogue.unfinishedPrefix.count) : file[...]
      if let name = RecordingName(name) { numbers.insert(name.number) }
    }
    return numbers
  }

  /// The same, and those in the trash. A trash that cannot be listed, because it is another user's, stops nothing: the lock
  /// holds the highest number assigned.
  func numbersInUse() throws(StorageError) -> Set<UInt32> {
    var numbers = try numbersHere()
    let trashed: [String]
    do { trashed = try trashNames() } catch { return numbers }
    for file in trashed {
      if let name = RecordingName(Catalogue.withoutStamp(file)) { numbers.insert(name.number) }
    }
    return numbers
  }

  /// The next number that was never assigned, neither to a known recording nor, by the lock, to one that is gone.
  func nextNumber(_ lock: borrowing NumberLock) throws(CatalogueError) -> UInt32 {
    let known = try wrapped { () throws(StorageError) in try numbersInUse().max() ?? 0 }
    let highest = max(known, try wrapped { () throws(StorageError) in try lock.number() })
    guard highest < .max else { throw .outOfNumbers(path) }
    return highest + 1
  }

  /// Ensures that numbers up to this one are not assigned again, before their recordings are deleted for good.
  func keepNumber(_ number: UInt32) throws(StorageError) {
    let lock = try numberLock()
    // Written and synced again even where the number is high enough: its sync may have failed, and then it is read from
    // memory and is not on the medium.
    try files.syncDirectory(path)
    try lock.write(number: max(try lock.number(), number), in: self)
  }
}
