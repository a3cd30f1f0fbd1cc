import LogFormat

/// Memory for one page of a log, freed when its owner goes.
struct PageMemory: ~Copyable, @unchecked Sendable {
  // Safe: one allocation, owned by this value alone, which is not copyable; the initialised bytes
  // live until deinit. Sending the value to another thread sends its memory.
  let bytes: UnsafeMutableRawBufferPointer

  /// A page of zeros.
  init() {
    bytes = .allocate(byteCount: LogFormat.pageSize, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    bytes.deallocate()
  }

  /// The first `count` bytes; valid as long as this value.
  func prefix(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<count])
  }
}
