// SPDX-License-Identifier: Apache-2.0

/// Memory for pages of a log, freed when its owner goes.
package struct PageMemory: ~Copyable, @unchecked Sendable {
  // Safe: one allocation, owned by this value alone, which is not copyable; the initialised bytes live until deinit, and
  // all accesses through the buffer are checked. Sending the value to another thread sends its memory.
  package let bytes: UnsafeMutableRawBufferPointer

  package init(pages: Int = 1) {
    bytes = .allocate(byteCount: pages * LogFormat.pageSize, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    bytes.deallocate()
  }

  /// The first `count` bytes; valid as long as this value.
  package func prefix(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<count])
  }
}

/// A fixed number of values in memory, freed when their owner goes; accesses are not checked.
package struct OwnedMemory<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // Safe: one allocation, owned by this value alone, which is not copyable; its initialised elements live until deinit.
  // Each owner states beside it that its accesses stay within the capacity.
  package let base: UnsafeMutablePointer<Element>

  package init(_ capacity: Int, repeating value: Element) {
    base = .allocate(capacity: capacity)
    base.initialize(repeating: value, count: capacity)
  }

  deinit {
    base.deallocate()
  }

  subscript(index: Int) -> Element {
    @inline(__always) get { base[index] }
    @inline(__always) nonmutating set { base[index] = newValue }
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
    space(bytes.count).copyMemory(from: bytes)
  }

  mutating func appendZeros(_ count: Int) {
    space(count).initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Memory of the next `count` bytes.
  private mutating func space(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if end + count > storage.count { makeRoom(for: count) }
    defer { (end, total) = (end + count, total + UInt64(count)) }
    return UnsafeMutableRawBufferPointer(rebasing: storage[end..<(end + count)])
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
