import IMUModel

/// A sink that writes to an open file descriptor through a buffer of 256 KiB.
///
/// The descriptor stays its owner's: the sink neither closes nor syncs it. A program that writes to a
/// pipe must ignore SIGPIPE, or the signal ends it before the error can be reported.
public struct FileDescriptorSink: ByteSink, ~Copyable {
  private static let capacity = 256 * 1024

  private let descriptor: Int32
  private let name: String
  private let memory: UnsafeMutableRawPointer
  private var used = 0
  private var reserved = 0

  /// A sink for `descriptor`; `name` is what errors call it, such as its path or `standard output`.
  public init(_ descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    memory = .allocate(byteCount: FileDescriptorSink.capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// Room for at least `count` bytes, at most 64 KiB; writes the buffer out when there is less.
  public mutating func reserve(_ count: Int) throws(ExportError) -> UnsafeMutableRawPointer {
    precondition(count >= 0 && count <= reservationLimit, "at most 64 KiB can be reserved")
    if FileDescriptorSink.capacity - used < count { try flush() }
    reserved = count
    return memory + used
  }

  /// Takes the first `count` bytes of the room reserved last; traps when they are more than were reserved.
  public mutating func commit(_ count: Int) {
    precondition(count >= 0 && count <= reserved, "more bytes committed than were reserved")
    used += count
    reserved = 0
  }

  /// Takes a copy of `bytes`, or writes them directly when they are more than the buffer holds.
  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ExportError) {
    guard let source = bytes.baseAddress else { return }
    if FileDescriptorSink.capacity - used < bytes.count { try flush() }
    reserved = 0
    guard bytes.count <= FileDescriptorSink.capacity else {
      try pass(bytes)
      return
    }
    // Safe: at least `bytes.count` of the buffer's bytes lie after `used`.
    (memory + used).copyMemory(from: source, byteCount: bytes.count)
    used += bytes.count
  }

  /// Writes out what the buffer holds.
  public mutating func flush() throws(ExportError) {
    let count = used
    // Emptied first: after an error the same bytes are not written a second time.
    used = 0
    try pass(UnsafeRawBufferPointer(start: memory, count: count))
  }

  private func pass(_ bytes: UnsafeRawBufferPointer) throws(ExportError) {
    let code = writeAll(bytes, to: descriptor)
    if code != 0 { throw .output(name: name, code: code) }
  }
}
