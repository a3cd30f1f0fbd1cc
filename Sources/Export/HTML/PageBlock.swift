// SPDX-License-Identifier: Apache-2.0

import LogFormat

/// Samples as the page's script reads them (`HTML/data.js`): little-endian, columns of differences in the
/// fewest bytes that hold all of a column.
///
///     u16 samples │ u8 width of ticks │ u8 width of times │ f64 first tick │ f64 first time
///     ticks       │ u1, u2, u4 or f64 each: tick − tick before − 1; nothing when all are 0 (width 0)
///     times       │ s1, s2, s4 or f64 each: time − time before − ticks × period, in units of time
///     a channel   │ u8 width │ s2 first count │ s1 or s2 each: count − count before, wrapping
///     an orientation's w, x, y, z, if the page has them: as channels, 32767 for 1; all 0 where it is not known
///
/// Times are since the page's zero, in the recording's unit of time, and stay exact up to 2^53 of them.
struct PageBlock {
  let channels: [Int]
  let timeUnit: Int64
  /// Nanoseconds, as those of samples, at the page's zero.
  let zero: Int64
  /// Units of time a tick.
  let period: Int64

  /// The bytes of some samples of a block, at least one.
  ///
  /// - Parameter turns: Their orientations, four numbers each; none for a page without.
  func bytes(
    _ rows: Range<Int>, of block: borrowing SampleBlock, turns: [Double] = []
  ) -> [UInt8] {
    var writer = ColumnWriter()
    let ticks = rows.dropFirst().map { row in
      Int64(clamping: block.ticks[row] - block.ticks[row - 1] - 1)
    }
    let times = zip(rows.dropFirst(), ticks).map { row, skipped in
      let (steps, _) = (skipped &+ 1).multipliedReportingOverflow(by: period)
      return (block.times[row] / timeUnit) &- (block.times[row - 1] / timeUnit) &- steps
    }
    let tickWidth = ticks.allSatisfy { $0 == 0 } ? 0 : ColumnWriter.width(unsigned: ticks)
    let timeWidth = ColumnWriter.width(signed: times)
    writer.append(UInt16(rows.count))
    writer.append(UInt8(tickWidth))
    writer.append(UInt8(timeWidth))
    writer.append(Double(block.ticks[rows.lowerBound]).bitPattern)
    let first = block.times[rows.lowerBound] / timeUnit &- zero / timeUnit
    writer.append(Double(first).bitPattern)
    if tickWidth > 0 { writer.append(ticks, width: tickWidth) }
    writer.append(times, width: timeWidth)
    for channel in channels {
      writer.append(counts: block.counts(ofChannel: channel)[rows].map { $0 })
    }
    for part in 0..<4 where !turns.isEmpty {
      writer.append(
        counts: stride(from: part, to: turns.count, by: 4).map {
          turns[$0].isFinite ? Int16((max(-1, min(1, turns[$0])) * 32767).rounded()) : 0
        })
    }
    return writer.bytes
  }
}

/// Integers in as many bytes as a column needs.
private struct ColumnWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
    var rest = value
    for _ in 0..<value.bitWidth / 8 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Appends a column of counts, at least one.
  mutating func append(counts: [Int16]) {
    let differences = zip(counts.dropFirst(), counts).map { $0 &- $1 }
    let isNarrow = differences.allSatisfy { $0 == Int16(Int8(truncatingIfNeeded: $0)) }
    append(UInt8(isNarrow ? 1 : 2))
    append(UInt16(bitPattern: counts[0]))
    for difference in differences {
      if isNarrow {
        append(UInt8(truncatingIfNeeded: difference))
      } else {
        append(UInt16(bitPattern: difference))
      }
    }
  }

  mutating func append(_ values: [Int64], width: Int) {
    for value in values {
      switch width {
      case 1: append(UInt8(truncatingIfNeeded: value))
      case 2: append(UInt16(truncatingIfNeeded: value))
      case 4: append(UInt32(truncatingIfNeeded: value))
      default: append(Double(value).bitPattern)
      }
    }
  }

  static func width(signed values: [Int64]) -> Int {
    let (low, high) = (values.min() ?? 0, values.max() ?? 0)
    if low >= Int8.min, high <= Int8.max { return 1 }
    if low >= Int16.min, high <= Int16.max { return 2 }
    return low >= Int32.min && high <= Int32.max ? 4 : 8
  }

  static func width(unsigned values: [Int64]) -> Int {
    let high = values.max() ?? 0
    if high <= UInt8.max { return 1 }
    if high <= UInt16.max { return 2 }
    return high <= UInt32.max ? 4 : 8
  }
}

/// Encodes bytes as base64 (RFC 4648, section 4) piece by piece; an incomplete group waits for the next piece.
struct Base64Writer {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Up to two bytes of an incomplete group of three.
  private var rest: [UInt8] = []

  /// Appends the characters of all groups that `bytes` completes.
  mutating func append(_ bytes: [UInt8], to text: inout [UInt8]) {
    rest.append(contentsOf: bytes)
    let groups = rest.count / 3
    text.reserveCapacity(text.count + 4 * groups)
    Base64Writer.alphabet.withUnsafeBufferPointer { alphabet in
      rest.withUnsafeBufferPointer { rest in
        for group in 0..<groups {
          let word =
            UInt32(rest[3 * group]) << 16 | UInt32(rest[3 * group + 1]) << 8
            | UInt32(rest[3 * group + 2])
          text.append(alphabet[Int(word >> 18)])
          text.append(alphabet[Int(word >> 12 & 63)])
          text.append(alphabet[Int(word >> 6 & 63)])
          text.append(alphabet[Int(word & 63)])
        }
      }
    }
    rest.removeFirst(3 * groups)
  }

  /// Appends the last group, padded with `=`.
  mutating func finish(to text: inout [UInt8]) {
    guard !rest.isEmpty else { return }
    let missing = 3 - rest.count
    append(Array(repeating: 0, count: missing), to: &text)
    text.removeLast(missing)
    text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: missing))
  }
}
