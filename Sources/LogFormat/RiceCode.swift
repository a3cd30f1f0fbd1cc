// SPDX-License-Identifier: Apache-2.0

/// Values that a stream can hold: `Int16` counts, and `Int64` times in units.
protocol StreamValue: FixedWidthInteger & SignedInteger & BitwiseCopyable
where Magnitude: FixedWidthInteger & UnsignedInteger & BitwiseCopyable {
  /// Bits that hold a number of bits below the value's width.
  static var wastedBitsWidth: Int { get }
}

extension Int16: StreamValue {
  static var wastedBitsWidth: Int { 4 }
}

extension Int64: StreamValue {
  static var wastedBitsWidth: Int { 6 }
}

/// Constants and the fold of the Rice code.
///
/// A residual is folded to an unsigned code (0, −1, 1, −2, … become 0, 1, 2, 3, …). Its upper part is written as that many
/// zeros and a one; its lower `parameter` bits follow.
enum RiceCode {
  /// This many zeros mean that the code of a count follows whole, in 16 bits.
  static let escapeLength = 20
  /// This many zeros mean that the code of a time or tick step follows whole, after its width. Fewer than for counts,
  /// because times have outliers: a sampler may be held up for a quarter of a second.
  static let wideEscapeLength = 12
  /// Bits in which the width of a wide code, less one, is written.
  static let widthBits = 6
  /// Samples of the smallest partition.
  static let partitionUnit = 16
  /// Zeros that announce a parameter written in 7 bits.
  static let parameterEscapeLength = 15
  /// Parameter index of a stream at the beginning of a page: the parameter plus 1, or 0 for "all zero".
  static let firstParameterIndex = 5

  /// The unsigned code of a residual.
  @inline(__always)
  static func fold<Value: StreamValue>(_ residual: Value) -> Value.Magnitude {
    Value.Magnitude(truncatingIfNeeded: (residual &<< 1) ^ (residual &>> Value(Value.bitWidth - 1)))
  }

  /// The residual of an unsigned code.
  @inline(__always)
  static func unfold<Value: StreamValue>(_ code: Value.Magnitude, as _: Value.Type) -> Value {
    Value(truncatingIfNeeded: (code &>> 1) ^ (0 &- (code & 1)))
  }

  /// Bits of a code with a parameter.
  @inline(__always)
  static func bits<Code: FixedWidthInteger & UnsignedInteger>(_ code: Code, _ parameter: Int) -> Int
  {
    let quotient = code &>> Code(truncatingIfNeeded: parameter)
    if Code.bitWidth <= 16 {
      return quotient < Code(escapeLength)
        ? Int(truncatingIfNeeded: quotient) &+ 1 &+ parameter : escapeLength + Code.bitWidth
    }
    return quotient < Code(wideEscapeLength)
      ? Int(truncatingIfNeeded: quotient) &+ 1 &+ parameter
      : wideEscapeLength + widthBits + Code.bitWidth &- (code | 1).leadingZeroBitCount
  }
}
