import Glibc
import LogFormat

/// Memory for pages of a log, freed when its owner goes.
struct PageMemory: ~Copyable, @unchecked Sendable {
  // Safe: one allocation, owned by this value alone, which is not copyable; the initialised bytes
  // live until deinit. Sending the value to another thread sends its memory.
  let bytes: UnsafeMutableRawBufferPointer

  /// Pages of zeros.
  init(pages: Int = 1) {
    bytes = .allocate(byteCount: pages * LogFormat.pageSize, alignment: 16)
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

extension UnsafeRawBufferPointer {
  /// Whether all bytes are zero: in a log, nothing was written there. True of no bytes.
  var isZero: Bool {
    guard let baseAddress, !isEmpty else { return true }
    // Safe: both ranges of count - 1 bytes lie inside the buffer. Each byte equals the next, and the first is 0.
    return self[0] == 0 && memcmp(baseAddress, baseAddress + 1, count - 1) == 0
  }
}
