import Glibc

/// A log in a file.
///
/// Space is made ahead by writing zeros, so that a sync of a few bytes does not also have to change
/// the file's length: on ext4 that is 6 KiB written instead of 17 KiB. The first step is 32 KiB,
/// enough for a minute at 10 Hz; each further one is twice the step before, up to 1 MiB; a step is
/// made before it is needed and becomes durable with the sync of the bytes that needed it. The last
/// ``spareByteCount`` bytes of the space made are kept for the end of the log: when no more can be
/// made, ``append(_:)`` refuses once, and from then on the spare is open.
///
/// Zeros made ahead are the only bytes that are ever changed. While recording, whole sectors are
/// written past the page cache where the file system lets them, because the cache writes whole pages,
/// and ten samples a second fill a sixtieth of one.
public struct FileStorage: LogStorage, ~Copyable {
  /// Bytes kept back for ending a log on a full disk: four pages.
  public static let spareByteCount = 4 * 4096
  static let firstStep = 32 * 1024
  static let largestStep = 1024 * 1024

  /// The file's path, as it was opened or renamed.
  public var name: String { file.path }
  private(set) var file: OpenFile
  /// Where the next byte goes.
  private var length: UInt64
  /// Bytes of the file that exist, zeros included.
  private var made: UInt64
  private var nextStep = FileStorage.firstStep
  private var isSpareOpen = false
  /// The sector that the log ends in; `nil` while everything goes through the page cache.
  private var lastSector: LastSector?

  /// A new, empty file outside any store, such as the copy of a log; its name must be free.
  public init(creating path: String) throws(StorageError) {
    try self.init(creating: path, gate: .open)
  }

  package init(creating path: String, gate: FaultGate) throws(StorageError) {
    let file = try OpenFile(path: path, flags: O_RDWR | O_CREAT | O_EXCL, gate: gate)
    self.init(file, length: 0)
  }

  /// An existing file, for reading; appending to it fails with EBADF.
  ///
  /// Directories, pipes and devices are refused as EISDIR and ENXIO.
  public init(reading path: String) throws(StorageError) {
    try self.init(reading: path, gate: .open)
  }

  package init(reading path: String, flags: Int32 = 0, gate: FaultGate) throws(StorageError) {
    // Non-blocking, so that opening a pipe without a writer does not wait for one.
    let file = try OpenFile(path: path, flags: O_RDONLY | O_NONBLOCK | flags, gate: gate)
    let size = try file.regularFileSize()
    self.init(file, length: size)
  }

  init(_ file: consuming OpenFile, length: UInt64) {
    self.file = file
    self.length = length
    self.made = length
  }

  /// Takes over the name that the file was given.
  mutating func wasRenamed(to path: String) {
    file.path = path
  }

  /// From now on writes whole sectors past the page cache, if the file system lets them and what
  /// the file ends with can be read back; else continues as before.
  package mutating func bypassCache() {
    let sector = LastSector(ending: length)
    let begin = sector.begin(to: length)
    do {
      sector.byteCount = try file.read(at: sector.offset, into: begin)
    } catch {
      // Nothing depends on this read. A card that fails says so at the next write, which is reported.
      return
    }
    if sector.byteCount == begin.count { lastSector = sector }
  }

  /// Writes after what was appended before, after making space if there is not enough. Cost: one
  /// `pwrite`.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let end = length + UInt64(bytes.count)
    try makeSpace(for: end)
    try write(bytes, upTo: end)
    length = end
    made = max(made, end)
  }

  /// From now on the last ``spareByteCount`` bytes of the space made are kept for the end again, once more is made.
  public mutating func closeSpare() { isSpareOpen = false }

  private mutating func write(
    _ bytes: UnsafeRawBufferPointer, upTo end: UInt64
  ) throws(StorageError) {
    // Zeros after the end are written over zeros made ahead, never after them.
    if let lastSector, LastSector.roundedUp(end) <= made {
      do {
        return try lastSector.append(bytes, to: file)
      } catch {
        // The file system takes no sectors, or took a part of one: what is written again is the same.
        guard error.errno == EINVAL else { throw error }
      }
    }
    lastSector = nil
    try file.write(bytes, at: length)
  }

  /// Makes what was appended durable, and the space made. The C function is `fdatasync`.
  ///
  /// Bytes of a file that has lost its name are durable for no one: fails with
  /// ``StorageError/isGone`` when the path has no file any more, or another one, or when another program has cut it.
  public mutating func sync() throws(StorageError) {
    try file.syncData()
    try file.checkPath(holding: made)
  }

  /// Reads anywhere in the file. The C function is `pread`.
  public mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    try file.read(at: offset, into: buffer)
  }

  /// The file's length now, as whoever writes it has left it.
  public mutating func size() throws(StorageError) -> UInt64 {
    try file.regularFileSize()
  }

  /// The C function is `lseek`.
  public mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64? {
    try file.nextData(from: offset)
  }

  /// Cuts the file to what was appended and makes it durable: `ftruncate` and `fsync`. Fails as
  /// ``sync()`` does when the file is gone from its path.
  public mutating func finish() throws(StorageError) {
    let isCut = try file.regularFileSize() < made
    try file.truncate(to: length)
    made = length
    try file.sync()
    try file.checkPath(holding: length)
    guard !isCut else { throw StorageError(.find, path: name, errno: ESTALE) }
  }

  /// Gives the file to the store's owner.
  func give(to belonging: Belonging) throws(StorageError) {
    try belonging.apply(to: file, .reading)
  }

  /// Takes the lock of a live recording; `false` when another opening of the file has it.
  func lock(exclusive: Bool) throws(StorageError) -> Bool {
    try file.lock(exclusive: exclusive)
  }
}

extension FileStorage {
  /// Sees to it that the file has room up to `end` and the spare after it, or opens the spare and
  /// throws.
  private mutating func makeSpace(for end: UInt64) throws(StorageError) {
    let wanted = end + UInt64(FileStorage.spareByteCount)
    guard wanted > made, !isSpareOpen else { return }
    var target = made
    while target < wanted {
      target += UInt64(nextStep)
      nextStep = min(2 * nextStep, FileStorage.largestStep)
    }
    // Zeros after what another program has cut would hide that. Of a take that is synced at its end alone, nothing else
    // shows what happened to its file before.
    if made > 0 { try file.checkPath(holding: made) }
    do {
      try writeZeros(upTo: target)
    } catch {
      // What could be made may be enough for these bytes.
      if error.isFull, wanted <= made { return }
      if error.isFull { isSpareOpen = true }
      throw error
    }
  }

  private mutating func writeZeros(upTo target: UInt64) throws(StorageError) {
    var count = FileStorage.firstStep
    // Safe: calloc gives `count` zeros, which are only read, or nil, and they are freed on every
    // way out.
    guard let base = calloc(count, 1) else {
      throw StorageError(.write, path: name, errno: ENOMEM)
    }
    defer { free(base) }
    while made < target {
      let zeros = UnsafeRawBufferPointer(start: base, count: Int(min(UInt64(count), target - made)))
      do {
        made += UInt64(try file.writeSome(zeros, at: made))
      } catch {
        // A file system may refuse the whole of a write of which a part would fit.
        guard error.isFull, count > 4096 else { throw error }
        count = 4096
      }
    }
  }
}

/// The sector in which a log ends, kept in memory so that it can be written whole again with what follows.
///
///     disk     │ … full sectors … │ begin of the last one, zeros │ zeros made ahead …
///     memory                      │ begin of the last one │ what is appended │ zeros │
///                                 offset                                    a sector's end
///
/// What is written over is either the same bytes or zeros.
final class LastSector: @unchecked Sendable {
  // Safe: owned by one storage, which is not copyable and belongs to one thread at a time; the memory is allocated
  // once, whole and zeroed, and lives as long as this object.
  private let memory: UnsafeMutableRawBufferPointer

  /// Bytes that a device writes whole.
  static let size = 512
  /// Pages of cards and of memory are at most so large.
  private static let alignment = 4096
  /// A piece of the queue and the beginning of a sector fit.
  private static let capacity = 3 * 4096

  /// Where in the file the sector begins.
  private(set) var offset: UInt64
  /// Bytes of the log in it, fewer than it has.
  var byteCount = 0

  /// The sector that a log of `length` bytes ends in; its begin is to be read by the caller.
  init(ending length: UInt64) {
    memory = .allocate(byteCount: LastSector.capacity, alignment: LastSector.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    offset = length / UInt64(LastSector.size) * UInt64(LastSector.size)
  }

  deinit {
    memory.deallocate()
  }

  /// Where the bytes from ``offset`` to the end of a log of `length` bytes go.
  func begin(to length: UInt64) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[..<Int(length - offset)])
  }

  /// `length` rounded up to whole sectors.
  static func roundedUp(_ length: UInt64) -> UInt64 {
    (length + UInt64(size) - 1) / UInt64(size) * UInt64(size)
  }

  /// Writes bytes after those of the log, with the sector that they begin in.
  ///
  /// - Throws: ``StorageError``, with EINVAL when nothing can be written in this way; then this object is of no use
  ///   any more.
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
