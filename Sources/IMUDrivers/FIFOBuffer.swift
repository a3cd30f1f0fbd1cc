// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The bytes of a drain and its samples: allocated once.
@usableFromInline
struct FIFOBuffer: ~Copyable, @unchecked Sendable {
  // Safe: both are allocated and initialised in `init` and freed in `deinit` by the one owner that a ~Copyable value
  // has, and only its methods use them, which check every place. The owner may move to another thread with them.
  @usableFromInline let memory: UnsafeMutableRawBufferPointer
  @usableFromInline let samples: UnsafeMutableBufferPointer<RawSample>

  init(byteCount: Int, sampleCount: Int) {
    memory = .allocate(byteCount: byteCount, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    samples = .allocate(capacity: sampleCount)
    samples.initialize(repeating: RawSample())
  }

  deinit {
    // Neither element has anything to deinitialise.
    memory.deallocate()
    samples.deallocate()
  }

  /// Memory for a transfer, which must end before the next use of this value.
  @inlinable
  func bytes(from start: Int, count: Int) -> UnsafeMutableRawBufferPointer {
    precondition(start >= 0 && count >= 0 && count <= memory.count - start, "beyond the buffer")
    return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + count])
  }

  @inlinable
  func byte(_ place: Int) -> UInt8 {
    precondition(place >= 0 && place < memory.count, "beyond the buffer")
    return memory[place]
  }

  /// Two bytes from `place` on as a signed number.
  @inlinable
  func value(_ place: Int, isBigEndian: Bool) -> Int16 {
    let (first, second) = (UInt16(byte(place)), UInt16(byte(place + 1)))
    return Int16(bitPattern: isBigEndian ? first << 8 | second : second << 8 | first)
  }

  /// Three of them.
  @inlinable
  func axes(_ place: Int, isBigEndian: Bool) -> (Int16, Int16, Int16) {
    (
      value(place, isBigEndian: isBigEndian), value(place + 2, isBigEndian: isBigEndian),
      value(place + 4, isBigEndian: isBigEndian)
    )
  }

  @inlinable
  func store(_ sample: RawSample, at index: Int) {
    precondition(index >= 0 && index < samples.count, "beyond the buffer")
    samples[index] = sample
  }

  @inlinable
  func sample(at index: Int) -> RawSample {
    precondition(index >= 0 && index < samples.count, "no such sample")
    return samples[index]
  }
}
