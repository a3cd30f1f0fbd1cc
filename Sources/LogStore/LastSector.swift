import Glibc

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
