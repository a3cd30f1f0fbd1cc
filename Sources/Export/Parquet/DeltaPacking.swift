// SPDX-License-Identifier: Apache-2.0

/// The integers of a page, packed by Parquet's DELTA_BINARY_PACKED.
///
///     128 │ 4 │ count │ first value │ block │ block │ …
///     block: least difference │ 4 widths │ 4 × 32 differences above the least, each of a width's bits
struct DeltaPage {
  private static let (blockLength, partLength) = (128, 32)
  /// Differences of a block are less than this apart, so that none has more than 27 bits above the least. fastparquet
  /// reads 29 bits and more as other numbers.
  private static let spread: UInt64 = 1 << 27

  private var differences: [Int64] = []
  private var (first, last): (Int64?, Int64) = (nil, 0)
  /// Of the last block.
  private var (least, greatest): (Int64, Int64) = (0, 0)

  /// Appends a value, unless its difference is too far from others of its block: then it begins another page.
  @inline(__always)
  mutating func append(_ value: Int64) -> Bool {
    guard first != nil else {
      (first, last) = (value, value)
      return true
    }
    let difference = value &- last
    let isBlockBegin = differences.count % DeltaPage.blockLength == 0
    least = isBlockBegin ? difference : min(least, difference)
    greatest = isBlockBegin ? difference : max(greatest, difference)
    guard UInt64(bitPattern: greatest &- least) < DeltaPage.spread else { return false }
    differences.append(difference)
    last = value
    return true
  }

  /// The page's bytes; it is empty afterwards.
  mutating func finish() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(DeltaPage.blockLength))
    bytes.append(varint: UInt64(DeltaPage.blockLength / DeltaPage.partLength))
    bytes.append(varint: UInt64(first == nil ? 0 : differences.count + 1))
    bytes.append(varint: Thrift.zigzag(first ?? 0))
    var begin = 0
    while begin < differences.count {
      let end = min(begin + DeltaPage.blockLength, differences.count)
      DeltaPage.pack(differences[begin..<end], to: &bytes)
      begin = end
    }
    first = nil
    differences.removeAll(keepingCapacity: true)
    return bytes
  }

  private static func pack(_ block: ArraySlice<Int64>, to bytes: inout [UInt8]) {
    let least = block.min() ?? 0
    bytes.append(varint: Thrift.zigzag(least))
    let widths = bytes.count
    bytes += [0, 0, 0, 0]
    for (number, begin) in stride(from: block.startIndex, to: block.endIndex, by: partLength)
      .enumerated()
    {
      let part = block[begin..<min(begin + partLength, block.endIndex)]
      let bits = part.reduce(0) { $0 | UInt64(bitPattern: $1 &- least) }
      let width = UInt64.bitWidth - bits.leadingZeroBitCount
      bytes[widths + number] = UInt8(width)
      // Fewer than 32 bits wait, and at most 27 come: 32 × width bits are whole words of 32.
      var (word, waiting): (UInt64, Int) = (0, 0)
      for index in begin..<begin + partLength {
        if index < part.endIndex {
          word |= UInt64(bitPattern: part[index] &- least) &<< UInt64(waiting)
        }
        waiting += width
        guard waiting >= 32 else { continue }
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: word))
        word >>= 32
        waiting -= 32
      }
    }
  }
}
