// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc

/// A log in a file.
///
/// Space is preallocated by writing zeros, so that a sync of a few bytes need not change the file's length: on ext4 that
/// writes 6 KiB instead of 17 KiB. The first step is 32 KiB, a minute at 10 Hz; steps double up to 1 MiB. A step is made
/// before it is needed and becomes durable with the bytes that need it. The last ``spareByteCount`` bytes are a spare for
/// the end of the log: when no more space can be made, ``append(_:)`` refuses once, and from then on the spare is open.
///
/// Only preallocated zeros are ever overwritten. While recording, whole sectors are written past the page cache where the
/// file system allows it: the cache writes whole pages, and ten samples a second fill a sixtieth of one.
public struct FileStorage: LogStorage, ~Copyable {
  /// Bytes reserved for ending a log on a full disk: four pages.
  public static let spareByteCount = 4 * 4096
  static let firstStep = 32 * 1024
  static let largestStep = 1024 * 1024

  /// The file's path.
  public var name: String { file.path }
  private(set) var file: OpenFile
  /// Where the next byte goes.
  private var length: UInt64
  /// Bytes of the file, zeros included.
  private var made: UInt64
  private var nextStep = FileStorage.firstStep
  private var isSpareOpen = false
  /// The sector in which the log ends; `nil` while everything goes through the page cache.
  private var lastSector: LastSector?

  /// A new, empty file; its name must be free.
  package init(creating path: String, gate: FaultGate = .open) throws(StorageError) {
    let file = try OpenFile(path: path, flags: O_RDWR | O_CREAT | O_EXCL, gate: gate)
    self.init(file, length: 0)
  }

  /// An existing file, for reading; appending fails with EBADF. Directories, pipes and devices fail with EISDIR or ENXIO.
  public init(reading path: String) throws(StorageError) {
    try self.init(reading: path, gate: .open)
  }

  package init(reading path: String, flags: Int32 = 0, gate: FaultGate) throws(StorageError) {
    // Opening a pipe without a writer must not wait for one.
    let file = try OpenFile(path: path, flags: O_RDONLY | O_NONBLOCK | flags, gate: gate)
    let size = try file.regularFileSize()
    self.init(file, length: size)
  }

  init(_ file: consuming OpenFile, length: UInt64) {
    self.file = file
    self.length = length
    self.made = length
  }

  mutating func wasRenamed(to path: String) { file.path = path }

  /// From now on writes whole sectors past the page cache, if the file system allows it and the file's end can be read.
  package mutating func bypassCache() {
    let sector = LastSector(ending: length)
    let begin = sector.begin(to: length)
    do {
      sector.byteCount = try file.read(at: sector.offset, into: begin)
    } catch {
      // If the card fails, the next write reports it.
      return
    }
    if sector.byteCount == begin.count { lastSector = sector }
  }

  /// Writes at the end, after making space if there is not enough. Cost: one `pwrite`.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let end = length + UInt64(bytes.count)
    try makeSpace(for: end)
    try write(bytes, upTo: end)
    length = end
    made = max(made, end)
  }

  /// Reserves the last ``spareByteCount`` bytes for the end again, once more space is made.
  public mutating func closeSpare() { isSpareOpen = false }

  private mutating func write(
    _ bytes: UnsafeRawBufferPointer, upTo end: UInt64
  ) throws(StorageError) {
    // The zeros after the end overwrite preallocated zeros and never extend them.
    if let lastSector, LastSector.roundedUp(end) <= made {
      do {
        return try lastSector.append(bytes, to: file)
      } catch {
        // The file system refuses sectors, or wrote part of one: the same bytes are written again.
        guard error.errno == EINVAL else { throw error }
      }
    }
    lastSector = nil
    try file.write(bytes, at: length)
  }

  /// Makes the appended bytes and the preallocated space durable. C: `fdatasync`.
  ///
  /// Fails with ``StorageError/isGone`` when the path no longer names this file, whose bytes are then lost to everyone, or
  /// another program cut it.
  public mutating func sync() throws(StorageError) {
    try file.syncData()
    try file.checkPath(holding: made)
  }

  /// C: `pread`.
  public mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    try file.read(at: offset, into: buffer)
  }

  /// The file's present length.
  public mutating func size() throws(StorageError) -> UInt64 {
    try file.regularFileSize()
  }

  /// C: `lseek`.
  public mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64? {
    try file.nextData(from: offset)
  }

  /// Cuts the file to what was appended and syncs it: `ftruncate`, `fsync`. Fails as ``sync()`` when the file is gone.
  public mutating func finish() throws(StorageError) {
    let isCut = try file.regularFileSize() < made
    try file.truncate(to: length)
    made = length
    try file.sync()
    try file.checkPath(holding: length)
    guard !isCut else { throw StorageError(.find, path: name, errno: ESTALE) }
  }

  /// Makes room up to `end` and for the spare after it, or opens the spare and throws.
  private mutating func makeSpace(for end: UInt64) throws(StorageError) {
    let wanted = end + UInt64(FileStorage.spareByteCount)
    guard wanted > made, !isSpareOpen else { return }
    var target = made
    while target < wanted {
      target += UInt64(nextStep)
      nextStep = min(2 * nextStep, FileStorage.largestStep)
    }
    // New zeros would hide that another program cut the file; if a recording is synced at its end, nothing else shows it.
    if made > 0 { try file.checkPath(holding: made) }
    do {
      try writeZeros(upTo: target)
    } catch {
      // The space that was made may be enough for these bytes.
      if error.isFull, wanted <= made { return }
      if error.isFull { isSpareOpen = true }
      throw error
    }
  }

  private mutating func writeZeros(upTo target: UInt64) throws(StorageError) {
    var count = FileStorage.firstStep
    // Safe: calloc returns `count` zeros, which are only read, or nil; they are freed on every path.
    guard let base = calloc(count, 1) else {
      throw StorageError(.write, path: name, errno: ENOMEM)
    }
    defer { free(base) }
    while made < target {
      let zeros = UnsafeRawBufferPointer(start: base, count: Int(min(UInt64(count), target - made)))
      do {
        made += UInt64(try file.writeSome(zeros, at: made))
      } catch {
        // A file system may refuse a whole write where a part would fit.
        guard error.isFull, count > 4096 else { throw error }
        count = 4096
      }
    }
  }
}

/// The sector in which a log ends, kept in memory to be written whole again with the bytes that follow.
///
///     disk     │ … full sectors … │ start of the last one, zeros │ preallocated zeros …
///     memory                      │ start of the last one │ appended bytes │ zeros │
///                                 offset                                  a sector's end
///
/// Only the same bytes or zeros are overwritten.
final class LastSector: @unchecked Sendable {
  // Safe: owned by one storage, which is not copyable and belongs to one thread at a time; the memory is allocated
  // once, whole and zeroed, and lives as long as this object.
  private let memory: UnsafeMutableRawBufferPointer

  /// Bytes that a device writes at once.
  static let size = 512
  /// At least the size of a page of cards and of memory.
  private static let alignment = 4096
  /// Room for a piece of the queue and the start of a sector.
  private static let capacity = 3 * 4096

  /// Where in the file the sector begins.
  private(set) var offset: UInt64
  /// Bytes of the log in it, fewer than its size.
  var byteCount = 0

  /// The sector in which a log of `length` bytes ends; the caller reads its start.
  init(ending length: UInt64) {
    memory = .allocate(byteCount: LastSector.capacity, alignment: LastSector.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    offset = length / UInt64(LastSector.size) * UInt64(LastSector.size)
  }

  deinit {
    memory.deallocate()
  }

  /// Memory of the bytes from ``offset`` to the end of a log of `length` bytes.
  func begin(to length: UInt64) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[..<Int(length - offset)])
  }

  static func roundedUp(_ length: UInt64) -> UInt64 {
    (length + UInt64(size) - 1) / UInt64(size) * UInt64(size)
  }

  /// Appends bytes to the log, writing the sector in which they begin.
  ///
  /// - Throws: ``StorageError``, EINVAL when this way of writing is impossible; the object must not be used after it.
  func append(_ bytes: UnsafeRawBufferPointer, to file: borrowing OpenFile) throws(StorageError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = min(rest.count, memory.count - byteCount)
      let end = byteCount + count
      let sectors = Int(LastSector.roundedUp(UInt64(end)))
      memory[byteCount..<end].copyBytes(from: rest.prefix(count))
      UnsafeMutableRawBufferPointer(rebasing: memory[end..<sectors])
        .initializeMemory(as: UInt8.self, repeating: 0)
      try file.writeDirectly(UnsafeRawBufferPointer(rebasing: memory[..<sectors]), at: offset)
      let full = end / LastSector.size * LastSector.size
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[full..<end]))
      offset += UInt64(full)
      byteCount = end - full
      rest = rest.dropFirst(count)
    }
  }
}
