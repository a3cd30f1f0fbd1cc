extension UnsafeRawBufferPointer {
  /// The little-endian integer at `offset`, at any alignment; traps when it is not within the buffer.
  func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: T.Type = T.self
  ) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  /// Whether every byte is zero.
  ///
  /// - Complexity: one step for 8 bytes.
  var isAllZero: Bool {
    var offset = 0
    while offset + 8 <= count {
      if loadUnaligned(fromByteOffset: offset, as: UInt64.self) != 0 { return false }
      offset += 8
    }
    while offset < count {
      if self[offset] != 0 { return false }
      offset += 1
    }
    return true
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Stores `value` little-endian at `offset`, at any alignment; traps when it is not within the buffer.
  func storeLittleEndian<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }
}
