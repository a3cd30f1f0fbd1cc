/// Times of samples as text, with the digits of whole seconds kept from one sample to the next.
struct TimeText {
  private var second: Int64 = -1
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private var length = 0

  /// The most bytes that ``write(_:to:groups:)`` touches.
  static let room = 24

  /// Writes `nanoseconds` in decimal and returns the number of bytes.
  ///
  /// Safe: `output` must have ``room`` bytes and `groups` the 1000 words of `DecimalText.groups`. Whole
  /// seconds have at most 10 digits, copied as 16 bytes; three words of 4 bytes follow, the last of which
  /// ends one byte after the text: 10 + 9 + 1 and 16 are both within 24.
  @inline(__always)
  mutating func write(
    _ nanoseconds: Int64, to output: UnsafeMutableRawPointer, groups: UnsafePointer<UInt32>
  ) -> Int {
    guard nanoseconds >= 1_000_000_000 else {
      return DecimalText.write(nanoseconds, to: output, groups: groups)
    }
    let whole = UInt64(bitPattern: nanoseconds) / 1_000_000_000
    if Int64(bitPattern: whole) != second { remember(Int64(bitPattern: whole)) }
    output.storeBytes(of: low, as: UInt64.self)
    output.storeBytes(of: high, toByteOffset: 8, as: UInt64.self)
    let rest = UInt32(truncatingIfNeeded: UInt64(bitPattern: nanoseconds) &- whole &* 1_000_000_000)
    let thousands = rest / 1000
    let first = groups[Int(thousands / 1000)].littleEndian
    let middle = groups[Int(thousands % 1000)].littleEndian
    let last = groups[Int(rest % 1000)].littleEndian
    output.storeBytes(of: first, toByteOffset: length, as: UInt32.self)
    output.storeBytes(of: middle, toByteOffset: length + 3, as: UInt32.self)
    output.storeBytes(of: last, toByteOffset: length + 6, as: UInt32.self)
    return length + 9
  }

  @inline(never)
  private mutating func remember(_ whole: Int64) {
    second = whole
    (low, high, length) = PackedText.words(Array(String(whole).utf8))
  }
}

/// Up to 16 characters in two words, so that copying them is two stores.
enum PackedText {
  /// The words whose bytes in memory are `text`, zeros after it; traps for more than 16 bytes.
  static func words(_ text: [UInt8]) -> (low: UInt64, high: UInt64, length: Int) {
    precondition(text.count <= 16, "two words hold 16 bytes")
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in text.enumerated() {
      if index < 8 {
        words.0 |= UInt64(byte) << UInt64(8 * index)
      } else {
        words.1 |= UInt64(byte) << UInt64(8 * (index - 8))
      }
    }
    return (words.0.littleEndian, words.1.littleEndian, text.count)
  }
}
