// SPDX-License-Identifier: Apache-2.0

/// Reads bits, the highest bit of each byte first.
///
/// The fast path does not check bounds for each value: a reader may run past ``end`` into memory that its owner keeps
/// readable, and the caller compares ``position`` with ``end`` after a run of values.
///
/// Safe: the owner (``PageDecoder``) gives `base` at least ``margin`` readable bytes after the last byte of any body. A run
/// that begins at or before `end` reads at most 1024 values of at most 84 bits, and at most 64 parameters of 22 bits and 200
/// bits of stream head: 87 624 bits = 10 953 bytes, and each access looks at most 16 bytes ahead.
struct BitReader {
  /// Readable bytes that must follow the last body.
  static let margin = 11 * 1024

  private let base: UnsafeRawPointer
  /// Bits read so far, from `base`.
  private(set) var position: Int
  /// Where the body ends, in bits from `base`.
  let end: Int

  init(_ base: UnsafeRawPointer, _ range: Range<Int>) {
    self.base = base
    position = range.lowerBound * 8
    end = range.upperBound * 8
  }

  /// Whether the reader has passed ``end``.
  var isExhausted: Bool { position > end }

  /// The next bits at the top of a word; at least 57 of them are valid.
  @inline(__always)
  func peek() -> UInt64 {
    let word = base.loadUnaligned(fromByteOffset: position &>> 3, as: UInt64.self)
    return word.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
  }

  @inline(__always)
  mutating func skip(_ count: Int) { position &+= count }

  /// The next `count` bits, 0...57, as a number.
  @inline(__always)
  mutating func read(_ count: Int) -> UInt64 {
    // Two shifts, because a shift by 64 means a shift by 0.
    let value = (peek() &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- count)
    position &+= count
    return value
  }

  /// The same up to 64 bits.
  mutating func readWide(_ count: Int) -> UInt64 {
    guard count > 32 else { return read(count) }
    let high = read(count &- 32)
    return high &<< 32 | read(32)
  }

  mutating func readFlag() -> Bool { read(1) != 0 }

  /// One Rice code with parameter `parameter`, below the width of `Value`; wraps to that width.
  @inline(__always)
  mutating func readRice<Value: StreamValue>(_ parameter: Int) -> Value {
    let window = peek()
    // The lowest bit is not valid; setting it spares the test for a word of zeros.
    let quotient = (window | 1).leadingZeroBitCount
    let code: UInt64
    if Value.bitWidth <= 16 {
      // 20 + 1 + 15 or 20 + 16 bits: one word has them all.
      if quotient < RiceCode.escapeLength {
        let remainder =
          ((window &<< UInt64(truncatingIfNeeded: quotient &+ 1)) &>> 1)
          &>> UInt64(truncatingIfNeeded: 63 &- parameter)
        code = UInt64(truncatingIfNeeded: quotient &<< parameter) | remainder
        position &+= quotient &+ 1 &+ parameter
      } else {
        code = (window &<< UInt64(RiceCode.escapeLength)) &>> UInt64(64 - Value.bitWidth)
        position &+= RiceCode.escapeLength + Value.bitWidth
      }
    } else if quotient < RiceCode.wideEscapeLength {
      position &+= quotient &+ 1
      code = UInt64(truncatingIfNeeded: quotient) &<< UInt64(parameter) | readWide(parameter)
    } else {
      position &+= RiceCode.wideEscapeLength
      code = readWide(Int(truncatingIfNeeded: read(RiceCode.widthBits)) &+ 1)
    }
    return RiceCode.unfold(Value.Magnitude(truncatingIfNeeded: code), as: Value.self)
  }
}

/// Writes bits, the highest bit of each byte first.
///
/// Safe: the owner gives `base` room for ``capacity`` bytes, more than any samples body takes: 1024 samples of at most 84
/// bits of tick step, 1 bit of repeat mask, 84 bits of time and 7 × 36 bits of counts, and eight streams with 64 parameters
/// of 22 bits and 200 bits of head, are 57 KiB.
struct BitWriter {
  /// Bytes that the owner must provide.
  static let capacity = 64 * 1024

  private let base: UnsafeMutableRawPointer
  private var byteCount = 0
  private var pending: UInt64 = 0
  private var pendingCount = 0

  init(_ base: UnsafeMutableRawPointer) {
    self.base = base
  }

  /// Bytes written, the last one perhaps in part.
  var count: Int { byteCount + (pendingCount + 7) / 8 }

  /// Appends the lowest `count` bits, 0...32, of `value`; higher bits of `value` must be zero.
  @inline(__always)
  mutating func write(_ value: UInt64, _ count: Int) {
    pending = pending &<< UInt64(truncatingIfNeeded: count) | value
    pendingCount &+= count
    guard pendingCount >= 32 else { return }
    pendingCount &-= 32
    let word = UInt32(truncatingIfNeeded: pending &>> UInt64(truncatingIfNeeded: pendingCount))
    base.storeBytes(of: word.bigEndian, toByteOffset: byteCount, as: UInt32.self)
    byteCount &+= 4
  }

  /// The same up to 64 bits.
  mutating func writeWide(_ value: UInt64, _ count: Int) {
    if count > 32 { write(value >> 32, count - 32) }
    write(value & 0xFFFF_FFFF, min(count, 32))
  }

  mutating func write(_ flag: Bool) { write(flag ? 1 : 0, 1) }

  /// Appends the Rice code of a folded residual.
  @inline(__always)
  mutating func writeRice<Code: FixedWidthInteger & UnsignedInteger>(
    _ code: Code, _ parameter: Int
  ) {
    let quotient = UInt64(code) &>> UInt64(truncatingIfNeeded: parameter)
    let mask = (UInt64(1) &<< UInt64(truncatingIfNeeded: parameter)) &- 1
    if Code.bitWidth <= 16 {
      if quotient < UInt64(RiceCode.escapeLength) {
        write(1, Int(truncatingIfNeeded: quotient) &+ 1)
        write(UInt64(code) & mask, parameter)
      } else {
        write(0, RiceCode.escapeLength)
        write(UInt64(code), Code.bitWidth)
      }
    } else if quotient < UInt64(RiceCode.wideEscapeLength) {
      write(1, Int(truncatingIfNeeded: quotient) &+ 1)
      writeWide(UInt64(code) & mask, parameter)
    } else {
      let width = Code.bitWidth - (code | 1).leadingZeroBitCount
      write(0, RiceCode.wideEscapeLength)
      write(UInt64(width - 1), RiceCode.widthBits)
      writeWide(UInt64(code), width)
    }
  }

  /// Fills the last byte with zero bits; nothing may be written after it.
  mutating func finish() {
    while pendingCount > 0 {
      let shift = pendingCount - 8
      let byte = shift >= 0 ? pending >> UInt64(shift) : pending << UInt64(-shift)
      base.storeBytes(of: UInt8(truncatingIfNeeded: byte), toByteOffset: byteCount, as: UInt8.self)
      byteCount += 1
      pendingCount = max(shift, 0)
    }
  }
}
