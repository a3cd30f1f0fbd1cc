import CLinuxIO

/// CRC-32C of `bytes`, continuing from `previous` (0 at the beginning).
///
/// Safe: the C function reads exactly `count` bytes from the buffer's base, and nothing when the base is nil.
@inline(__always)
func crc32c(_ previous: UInt32 = 0, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
  imulog_crc32c(previous, bytes.baseAddress, bytes.count)
}
