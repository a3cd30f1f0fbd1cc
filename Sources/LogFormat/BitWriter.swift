/// Writes bits, the highest bit of each byte first.
///
/// Safe: the owner gives `base` room for ``capacity`` bytes, which is more than any samples body can take:
/// 1024 samples of at most 84 bits of tick step, 1 bit of repeat mask, 84 bits of time and 7 × 36 bits of
/// counts, and eight streams with 64 parameters of 22 bits and 200 bits of head, are 57 KiB.
struct BitWriter {
  /// Bytes that the owner must provide.
  static let capacity = 64 * 1024

  private let base: UnsafeMutableRawPointer
  private var byteCount = 0
  private var pending: UInt64 = 0
  private var pendingCount = 0

  /// A writer to ``capacity`` bytes from `base` on.
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

  /// Appends the lowest `count` bits, 0...64, of `value`; higher bits of `value` must be zero.
  mutating func writeWide(_ value: UInt64, _ count: Int) {
    if count > 32 { write(value >> 32, count - 32) }
    write(value & 0xFFFF_FFFF, min(count, 32))
  }

  /// Appends one bit.
  mutating func write(_ flag: Bool) {
    write(flag ? 1 : 0, 1)
  }

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

  /// Fills the last byte with zero bits. Nothing may be written after it.
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
