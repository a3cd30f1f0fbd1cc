// SPDX-License-Identifier: Apache-2.0

/// One page in memory, owned by this value.
struct PageBuffer: ~Copyable {
  /// Safe: 4096 bytes that live as long as this value; all accesses through the buffer are checked.
  let bytes: UnsafeMutableRawBufferPointer

  init() {
    bytes = .allocate(byteCount: LogFormat.pageSize, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    bytes.deallocate()
  }
}

/// Room for the largest samples body that a ``BitWriter`` can make, whether or not it fits a page.
struct TrialBuffer: ~Copyable {
  /// Safe: ``BitWriter/capacity`` bytes that live as long as this value.
  let bytes: UnsafeMutableRawPointer

  init() {
    bytes = .allocate(byteCount: BitWriter.capacity, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: BitWriter.capacity)
  }

  deinit {
    bytes.deallocate()
  }
}

/// Bytes that wait to be consumed, in one piece.
struct OutputBuffer: ~Copyable {
  /// Safe: `start..<end` is within `storage`, initialised, and moved only by the mutating functions.
  private var storage: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  /// Bytes ever appended.
  private(set) var total: UInt64 = 0

  init() {
    storage = .allocate(byteCount: 64 * 1024, alignment: 16)
  }

  deinit {
    storage.deallocate()
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if end + bytes.count > storage.count { makeRoom(for: bytes.count) }
    UnsafeMutableRawBufferPointer(rebasing: storage[end...]).copyMemory(from: bytes)
    end += bytes.count
    total += UInt64(bytes.count)
  }

  mutating func appendZeros(_ count: Int) {
    if end + count > storage.count { makeRoom(for: count) }
    UnsafeMutableRawBufferPointer(rebasing: storage[end..<(end + count)])
      .initializeMemory(as: UInt8.self, repeating: 0)
    end += count
    total += UInt64(count)
  }

  mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= end - start, "the output has fewer bytes")
    start += count
    if start == end { (start, end) = (0, 0) }
  }

  /// Moves the waiting bytes to the front, and to more memory when they fill half of the old.
  private mutating func makeRoom(for count: Int) {
    let waiting = bytes
    var target = storage
    if (waiting.count + count) * 2 > storage.count {
      target = .allocate(
        byteCount: max(storage.count * 2, (waiting.count + count) * 2), alignment: 16)
    }
    target.copyMemory(from: waiting)
    if target.baseAddress != storage.baseAddress { storage.deallocate() }
    (storage, start, end) = (target, 0, waiting.count)
  }
}
