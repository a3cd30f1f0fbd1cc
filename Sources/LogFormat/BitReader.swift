/// Reads bits, the highest bit of each byte first.
///
/// The fast path has no bounds check for each value: a reader may run past ``end`` into memory that its
/// owner keeps readable, and whoever reads a run of values compares ``position`` with ``end`` after it.
///
/// Safe: the owner (``PageDecoder``) gives `base` at least ``margin`` readable bytes after the last byte of
/// any body. A run that begins at or before `end` reads at most 1024 values of at most 84 bits, and at most
/// 64 parameters of 22 bits and 200 bits of stream head: 87 624 bits = 10 953 bytes, and each access looks
/// at most 16 bytes ahead.
struct BitReader {
  /// Readable bytes that must follow the last body.
  static let margin = 11 * 1024

  private let base: UnsafeRawPointer
  /// Bits read so far, from `base`.
  private(set) var position: Int
  /// Where the body ends, in bits from `base`.
  let end: Int

  /// A reader of the bytes in `range` after `base`.
  init(_ base: UnsafeRawPointer, _ range: Range<Int>) {
    self.base = base
    position = range.lowerBound * 8
    end = range.upperBound * 8
  }

  /// Whether more was read than there is.
  var isExhausted: Bool { position > end }

  /// The next bits at the top of a word; at least 57 of them are valid.
  @inline(__always)
  func peek() -> UInt64 {
    let word = base.loadUnaligned(fromByteOffset: position &>> 3, as: UInt64.self)
    return word.bigEndian &<< UInt64(truncatingIfNeeded: position & 7)
  }

  /// Passes over `count` bits.
  @inline(__always)
  mutating func skip(_ count: Int) {
    position &+= count
  }

  /// The next `count` bits, 0...57, as a number.
  @inline(__always)
  mutating func read(_ count: Int) -> UInt64 {
    // Two shifts, because a shift by 64 means a shift by 0.
    let value = (peek() &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- count)
    position &+= count
    return value
  }

  /// The next `count` bits, 0...64, as a number.
  mutating func readWide(_ count: Int) -> UInt64 {
    guard count > 32 else { return read(count) }
    let high = read(count &- 32)
    return high &<< 32 | read(32)
  }

  /// The next bit.
  mutating func readFlag() -> Bool { read(1) != 0 }

  /// One Rice code with parameter `parameter`, below the width of `Value`; wraps to that width.
  @inline(__always)
  mutating func readRice<Value: StreamValue>(_ parameter: Int) -> Value {
    let window = peek()
    // The lowest bit is not one of the valid ones; setting it spares the test for a word of zeros.
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
