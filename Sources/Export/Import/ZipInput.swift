// SPDX-License-Identifier: Apache-2.0

/// The bytes of an archive from its front, in pieces of 64 KiB.
struct ZipInput<Base: ImportSource & ~Copyable>: ~Copyable {
  private var base: Base
  // Safe: owned by this value alone and freed in deinit; 0 <= place <= end <= count.
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 64 * 1024, alignment: 16)
  private var place = 0
  private var end = 0
  /// Bytes before the buffer.
  private var passed: UInt64 = 0

  init(_ base: consuming Base) { self.base = base }

  deinit { buffer.deallocate() }

  var name: String { base.name }
  /// Bytes read so far.
  var offset: UInt64 { passed + UInt64(place) }

  func another() throws(ImportError) -> ZipInput<Base> { ZipInput(try base.another()) }

  mutating func rewind() {
    base.rewind()
    (place, end, passed) = (0, 0, 0)
  }

  private mutating func fill() throws(ImportError) {
    passed += UInt64(end)
    (place, end) = (0, 0)
    end = try base.read(into: buffer)
    guard end > 0 else {
      throw .zip(
        name: name, offset: passed, what: "the archive ends here: it is cut off, so fetch it again")
    }
  }

  mutating func byte() throws(ImportError) -> UInt8 {
    if place == end { try fill() }
    place += 1
    return buffer[place - 1]
  }

  /// A number of up to eight bytes, the lowest first.
  mutating func number(_ bytes: Int) throws(ImportError) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<bytes { number |= UInt64(try byte()) << UInt64(8 * index) }
    return number
  }

  /// As many bytes; names and extra fields have at most 64 KiB.
  mutating func bytes(_ count: Int) throws(ImportError) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<count { bytes.append(try byte()) }
    return bytes
  }

  /// Passes bytes.
  mutating func skip(_ count: UInt64) throws(ImportError) {
    var left = count
    while left > 0 {
      if place == end { try fill() }
      let step = Int(min(left, UInt64(end - place)))
      place += step
      left -= UInt64(step)
    }
  }

  /// Copies the next bytes, as many as fit and `limit` allows.
  mutating func read(into output: UnsafeMutableRawBufferPointer, atMost limit: Int)
    throws(ImportError) -> Int
  {
    var count = 0
    while count < min(output.count, limit) {
      if place == end { try fill() }
      let step = min(min(output.count, limit) - count, end - place)
      UnsafeMutableRawBufferPointer(rebasing: output[count..<count + step]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: buffer[place..<place + step]))
      place += step
      count += step
    }
    return count
  }

  /// The sum and the size after a file; a mark may be before them.
  mutating func descriptor(isLong: Bool) throws(ImportError) -> (sum: UInt32, size: UInt64) {
    var sum = try number(4)
    if sum == 0x0807_4B50 { sum = try number(4) }
    _ = try number(isLong ? 8 : 4)
    return (UInt32(sum), try number(isLong ? 8 : 4))
  }
}
