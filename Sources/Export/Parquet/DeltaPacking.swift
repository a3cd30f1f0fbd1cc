// SPDX-License-Identifier: Apache-2.0

/// The integers of a page, packed by Parquet's DELTA_BINARY_PACKED.
///
///     128 │ 4 │ count │ first value │ block │ block │ …
///     block: least difference │ 4 widths │ 4 × 32 differences above the least, each of a width's bits
struct DeltaPage {
  private static let blockLength = 128
  private static let partLength = 32
  /// Differences of a block are less than this apart, so that none has more than 27 bits above the least. fastparquet
  /// reads 29 bits and more as other numbers.
  private static let spread: UInt64 = 1 << 27

  private var (count, first, last): (Int, Int64, Int64) = (0, 0, 0)
  private var blocks: [UInt8] = []
  /// The open block's.
  private var differences: [Int64] = []
  private var (least, greatest): (Int64, Int64) = (.max, .min)

  /// Appends values up to one whose difference is too far from others of its block, and begins another page. Returns how
  /// many are appended.
  mutating func append(_ values: ArraySlice<Int64>) -> Int {
    let before = count
    for value in values {
      if count == 0 {
        first = value
      } else {
        let difference = value &- last
        let (low, high) = (min(least, difference), max(greatest, difference))
        guard UInt64(bitPattern: high &- low) < DeltaPage.spread else { break }
        (least, greatest) = (low, high)
        differences.append(difference)
        if differences.count == DeltaPage.blockLength { pack() }
      }
      last = value
      count += 1
    }
    return count - before
  }

  mutating func finish() -> [UInt8] {
    if !differences.isEmpty { pack() }
    let (length, parts) = (DeltaPage.blockLength, DeltaPage.blockLength / DeltaPage.partLength)
    let head = [length, parts, count].flatMap { [UInt8](varint: UInt64($0)) }
    let bytes = head + [UInt8](folded: count == 0 ? 0 : first) + blocks
    blocks.removeAll(keepingCapacity: true)
    count = 0
    return bytes
  }

  private mutating func pack() {
    while differences.count % DeltaPage.partLength != 0 { differences.append(least) }
    blocks += [UInt8](folded: least)
    let widths = blocks.count
    blocks += [0, 0, 0, 0]
    for begin in stride(from: 0, to: differences.count, by: DeltaPage.partLength) {
      let part = differences[begin..<begin + DeltaPage.partLength]
      let bits = part.reduce(0) { $0 | UInt64(bitPattern: $1 &- least) }
      let width = UInt64.bitWidth - bits.leadingZeroBitCount
      blocks[widths + begin / DeltaPage.partLength] = UInt8(width)
      // Fewer than 32 bits wait, and at most 27 come: 32 × width bits are whole words of 32.
      var (word, waiting): (UInt64, Int) = (0, 0)
      for difference in part {
        word |= UInt64(bitPattern: difference &- least) &<< UInt64(waiting)
        waiting += width
        guard waiting >= 32 else { continue }
        blocks.append(littleEndian: UInt32(truncatingIfNeeded: word))
        word >>= 32
        waiting -= 32
      }
    }
    differences.removeAll(keepingCapacity: true)
    (least, greatest) = (.max, .min)
  }
}
