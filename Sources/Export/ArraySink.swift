/// A sink that keeps everything in memory, for tests and for embedding; it cannot fail.
public struct ArraySink: ByteSink, ~Copyable {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0
  private var reserved = 0

  /// An empty sink.
  public init() {
    capacity = 4096
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// What was taken so far.
  ///
  /// - Complexity: a copy of all of it.
  public var bytes: [UInt8] {
    // Safe: the first `used` bytes were written by `commit` and `write`.
    [UInt8](UnsafeRawBufferPointer(start: memory, count: used))
  }

  /// Room for at least `count` bytes, valid until the next call.
  public mutating func reserve(_ count: Int) throws(ExportError) -> UnsafeMutableRawPointer {
    makeRoom(count)
    reserved = count
    return memory + used
  }

  /// Takes the first `count` bytes of the room reserved last; traps when they are more than were reserved.
  public mutating func commit(_ count: Int) {
    precondition(count >= 0 && count <= reserved, "more bytes committed than were reserved")
    used += count
    reserved = 0
  }

  /// Appends a copy of `bytes`.
  public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ExportError) {
    guard let source = bytes.baseAddress else { return }
    makeRoom(bytes.count)
    // Safe: `makeRoom` left `bytes.count` bytes after `used`.
    (memory + used).copyMemory(from: source, byteCount: bytes.count)
    used += bytes.count
    reserved = 0
  }

  /// Does nothing: nothing is held back.
  public mutating func flush() throws(ExportError) {}

  private mutating func makeRoom(_ count: Int) {
    guard capacity - used < count else { return }
    capacity = max(capacity * 2, used + count)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: memory, byteCount: used)
    memory.deallocate()
    memory = larger
  }
}
