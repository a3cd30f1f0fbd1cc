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
struct PageBlock: SampleFormat {
  let channels: [Int]
  let timeUnit: Int64
  /// Nanoseconds, as those of samples, at the page's zero.
  let zero: Int64
  /// Units of time a tick.
  let period: Int64
  /// The orientations, four numbers each; `nil` for a page without.
  let derived: DerivedColumns?
  private(set) var base64 = Base64Writer()

  var seesGaps: Bool { false }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    derived?.next(rows, of: block)
    try sink.write(base64.text(bytes(rows, of: block, turns: derived?.values ?? [])))
  }

  private func bytes(_ rows: Range<Int>, of block: borrowing SampleBlock, turns: [Double])
    -> [UInt8]
  {
    let ticks = rows.dropFirst().map { row in
      Int64(clamping: block.ticks[row] - block.ticks[row - 1] - 1)
    }
    let times = zip(rows.dropFirst(), ticks).map { row, skipped in
      let (steps, _) = (skipped &+ 1).multipliedReportingOverflow(by: period)
      return (block.times[row] / timeUnit) &- (block.times[row - 1] / timeUnit) &- steps
    }
    let tickWidth = ticks.allSatisfy { $0 == 0 } ? 0 : PageBlock.width(ticks, isSigned: false)
    let timeWidth = PageBlock.width(times, isSigned: true)
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(rows.count))
    bytes += [UInt8(tickWidth), UInt8(timeWidth)]
    bytes.append(littleEndian: Double(block.ticks[rows.lowerBound]).bitPattern)
    let first = block.times[rows.lowerBound] / timeUnit &- zero / timeUnit
    bytes.append(littleEndian: Double(first).bitPattern)
    if tickWidth > 0 { bytes.append(ticks, width: tickWidth) }
    bytes.append(times, width: timeWidth)
    for channel in channels {
      bytes.append(counts: block.counts(ofChannel: channel)[rows].map { $0 })
    }
    for part in 0..<4 where !turns.isEmpty {
      bytes.append(
        counts: stride(from: part, to: turns.count, by: 4).map {
          turns[$0].isFinite ? Int16((max(-1, min(1, turns[$0])) * 32767).rounded()) : 0
        })
    }
    return bytes
  }

  /// The fewest bytes that hold all values: 1, 2 or 4 as integers, 8 as doubles.
  private static func width(_ values: [Int64], isSigned: Bool) -> Int {
    let (low, high) = (values.min() ?? 0, values.max() ?? 0)
    return [1, 2, 4].first { width in
      let end: Int64 = 1 << (isSigned ? 8 * width - 1 : 8 * width)
      return low >= (isSigned ? -end : 0) && high < end
    } ?? 8
  }
}

extension [UInt8] {
  /// Appends a column of counts, at least one.
  fileprivate mutating func append(counts: [Int16]) {
    let differences = zip(counts.dropFirst(), counts).map { Int64($0 &- $1) }
    let isNarrow = differences.allSatisfy { Int8(exactly: $0) != nil }
    append(isNarrow ? 1 : 2)
    append(littleEndian: counts[0])
    append(differences, width: isNarrow ? 1 : 2)
  }

  fileprivate mutating func append(_ values: [Int64], width: Int) {
    for value in values {
      switch width {
      case 1: append(UInt8(truncatingIfNeeded: value))
      case 2: append(littleEndian: UInt16(truncatingIfNeeded: value))
      case 4: append(littleEndian: UInt32(truncatingIfNeeded: value))
      default: append(littleEndian: Double(value).bitPattern)
      }
    }
  }
}

/// Encodes bytes as base64 (RFC 4648, section 4) piece by piece; an incomplete group waits for the next piece.
struct Base64Writer {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Up to two bytes of an incomplete group of three.
  private var rest: [UInt8] = []

  /// The characters of all groups that `bytes` completes.
  mutating func text(_ bytes: [UInt8]) -> [UInt8] {
    rest += bytes
    let (alphabet, end) = (Base64Writer.alphabet, rest.count / 3 * 3)
    var text: [UInt8] = []
    text.reserveCapacity(end / 3 * 4)
    for place in stride(from: 0, to: end, by: 3) {
      let word = Int(rest[place]) << 16 | Int(rest[place + 1]) << 8 | Int(rest[place + 2])
      text.append(alphabet[word >> 18])
      text.append(alphabet[word >> 12 & 63])
      text.append(alphabet[word >> 6 & 63])
      text.append(alphabet[word & 63])
    }
    rest.removeFirst(end)
    return text
  }

  /// The last group, padded with `=`.
  var last: [UInt8] {
    var (padded, missing) = (self, (3 - rest.count) % 3)
    let group = padded.text(Array(repeating: 0, count: missing))
    return group.dropLast(missing) + repeatElement(UInt8(ascii: "="), count: missing)
  }
}
