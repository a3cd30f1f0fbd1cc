// SPDX-License-Identifier: Apache-2.0

/// Packs the integers of a page by Parquet's DELTA_BINARY_PACKED.
///
///     128 │ 4 │ count │ first value │ block │ block │ …
///     block: least difference │ 4 widths │ 4 × 32 differences above the least, each of a width's bits
struct DeltaPacker: ~Copyable {
  private static let blockLength = 128
  private static let miniblockLength = 32
  /// Differences of a block are less than this apart, so that none has more than 27 bits above the least. fastparquet
  /// reads 29 bits and more as other numbers.
  private static let spread: UInt64 = 1 << 27

  // Safe: both allocations are owned by this value alone and live until deinit. `differences` has 128 elements, all
  // initialised, indexed by less than `filled`, at most 128, rounded up to a multiple of 32. `packed` has 4 widths and
  // 128 differences of at most 4 bytes.
  private let differences: UnsafeMutablePointer<Int64>
  private let packed: UnsafeMutableRawPointer
  private var filled = 0
  private var (least, greatest) = (Int64.max, Int64.min)
  private var (first, last): (Int64, Int64) = (0, 0)
  private var count = 0
  private var blocks: [UInt8] = []

  init() {
    differences = .allocate(capacity: DeltaPacker.blockLength)
    differences.initialize(repeating: 0, count: DeltaPacker.blockLength)
    packed = .allocate(byteCount: 4 + 4 * DeltaPacker.blockLength, alignment: 4)
  }

  deinit {
    differences.deallocate()
    packed.deallocate()
  }

  /// Bytes of the full blocks.
  var byteCount: Int { blocks.count }

  /// Packs values up to the first whose difference is too far from others of its block: that one begins another page.
  ///
  /// - Returns: How many.
  mutating func append(_ values: UnsafeBufferPointer<Int64>) -> Int {
    var index = 0
    if count == 0, let value = values.first { (first, last, index) = (value, value, 1) }
    while index < values.count {
      // Copies, so that they stay in registers.
      var (filled, last, least, greatest) = (filled, last, least, greatest)
      let end = min(values.count, index + DeltaPacker.blockLength - filled)
      while index < end {
        let difference = values[index] &- last
        let (low, high) = (min(least, difference), max(greatest, difference))
        guard UInt64(bitPattern: high &- low) < DeltaPacker.spread else { break }
        (least, greatest, last) = (low, high, values[index])
        differences[filled] = difference
        filled += 1
        index += 1
      }
      (self.filled, self.last, self.least, self.greatest) = (filled, last, least, greatest)
      if index < end { break }
      if filled == DeltaPacker.blockLength { packBlock() }
    }
    count += index
    return index
  }

  /// Ends the page and returns its bytes.
  mutating func finish() -> [UInt8] {
    if filled > 0 { packBlock() }
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(DeltaPacker.blockLength))
    bytes.append(varint: UInt64(DeltaPacker.blockLength / DeltaPacker.miniblockLength))
    bytes.append(varint: UInt64(count))
    bytes.append(varint: ThriftWriter.zigzag(first))
    bytes += blocks
    blocks.removeAll(keepingCapacity: true)
    (count, first) = (0, 0)
    return bytes
  }

  private mutating func packBlock() {
    let length = DeltaPacker.miniblockLength
    while filled % length > 0 {
      differences[filled] = least
      filled += 1
    }
    packed.storeBytes(of: 0, as: UInt32.self)
    var place = packed + 4
    for begin in stride(from: 0, to: filled, by: length) {
      var bits: UInt64 = 0
      for index in begin..<begin + length {
        bits |= UInt64(bitPattern: differences[index] &- least)
      }
      let width = UInt64.bitWidth - bits.leadingZeroBitCount
      packed.storeBytes(
        of: UInt8(width), toByteOffset: begin / length, as: UInt8.self)
      // Fewer than 32 bits wait, and at most 27 come: 32 × width bits are whole words of 32.
      var (word, waiting): (UInt64, Int) = (0, 0)
      for index in begin..<begin + length {
        word |= UInt64(bitPattern: differences[index] &- least) &<< UInt64(waiting)
        waiting += width
        guard waiting >= 32 else { continue }
        place.storeBytes(of: UInt32(truncatingIfNeeded: word).littleEndian, as: UInt32.self)
        place += 4
        word >>= 32
        waiting -= 32
      }
    }
    blocks.append(varint: ThriftWriter.zigzag(least))
    blocks.append(contentsOf: UnsafeRawBufferPointer(start: packed, count: place - packed))
    (filled, least, greatest) = (0, .max, .min)
  }
}
