/// Integers as decimal digits, three at a time.
///
/// All digits of the exports come from one table of the texts `000` to `999`, four bytes each, the
/// fourth a zero: a group of digits is one load and one store.
enum DecimalText {
  /// `000` to `999` as little-endian words, first digit in the lowest byte.
  static let groups: [UInt32] = (0..<1000).map { (value: UInt32) in
    let digits = (value / 100) | (value / 10 % 10) << 8 | (value % 10) << 16
    return digits + 0x0030_3030
  }

  /// The most bytes that ``write(_:to:groups:)`` touches.
  static let room = 24

  /// Writes `value` in decimal and returns the number of bytes.
  ///
  /// Safe: `output` must have ``room`` bytes and `groups` the 1000 words of ``groups``; at most 20
  /// characters are written, and one byte after them.
  static func write(
    _ value: Int64, to output: UnsafeMutableRawPointer, groups: UnsafePointer<UInt32>
  ) -> Int {
    var rest = value.magnitude
    // Groups from the lowest up, ten bits each: a 19-digit number has at most six after its first.
    var stack: UInt64 = 0
    var depth = 0
    while rest >= 1000 {
      stack = stack << 10 | rest % 1000
      rest /= 1000
      depth += 1
    }
    var length = 0
    if value < 0 {
      output.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      length = 1
    }
    let digits = rest >= 100 ? 3 : rest >= 10 ? 2 : 1
    let first = groups[Int(rest)] >> UInt32((3 - digits) * 8)
    output.storeBytes(of: first.littleEndian, toByteOffset: length, as: UInt32.self)
    length += digits
    for _ in 0..<depth {
      let word = groups[Int(stack & 1023)].littleEndian
      stack >>= 10
      output.storeBytes(of: word, toByteOffset: length, as: UInt32.self)
      length += 3
    }
    return length
  }
}
