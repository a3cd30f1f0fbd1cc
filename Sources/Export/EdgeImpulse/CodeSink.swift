// SPDX-License-Identifier: Apache-2.0

import LogFormat

/// A sink that keeps nothing of its bytes but their code.
struct CodeSink: ByteSink, ~Copyable {
  // Safe: `memory` is owned by this value alone, lives until deinit, and has as many bytes as may be reserved.
  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: reservationLimit, alignment: 16)
  private var sum: HMACSHA256

  init(key: [UInt8]) {
    sum = HMACSHA256(key: key)
  }

  deinit {
    memory.deallocate()
  }

  /// The code of all bytes so far.
  var code: SHA256Digest { sum.code }

  mutating func reserve(_ count: Int) throws(ExportError) -> UnsafeMutableRawPointer {
    precondition(count >= 0 && count <= reservationLimit, "at most 64 KiB can be reserved")
    return memory
  }

  mutating func commit(_ count: Int) {
    precondition(count >= 0 && count <= reservationLimit, "more bytes committed than were reserved")
    sum.add(UnsafeRawBufferPointer(start: memory, count: count))
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ExportError) { sum.add(bytes) }

  mutating func flush() throws(ExportError) {}
}
