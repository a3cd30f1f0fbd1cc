// SPDX-License-Identifier: Apache-2.0

/// The values of the range that a stream uses: all, the multiples of a power of two, or those of a lattice. A stream is
/// predicted by the numbers of its values among these, which are smaller.
struct Spacing: Equatable {
  /// Low zero bits left out of each value.
  var wastedBits = 0
  /// The values used, when they are not evenly spaced; then no bits are wasted.
  var lattice: Lattice?

  /// Every value is used.
  static let dense = Spacing()

  /// The number of a value, or of the next lower one in use: 0 for the first one at or above 0 or, on a lattice, near it.
  @inline(__always)
  func number<Value: StreamValue>(of value: Value) -> Value {
    guard let lattice else { return value &>> Value(truncatingIfNeeded: wastedBits) }
    return Value(truncatingIfNeeded: lattice.number(of: Int64(value)))
  }

  func restore<Value: StreamValue>(_ values: UnsafeMutablePointer<Value>, count: Int) {
    if let lattice {
      for index in 0..<count {
        values[index] = Value(truncatingIfNeeded: lattice.value(at: Int64(values[index])))
      }
    } else if wastedBits > 0 {
      let wasted = Value(truncatingIfNeeded: wastedBits)
      for index in 0..<count { values[index] = values[index] &<< wasted }
    }
  }

  func fits<Value: StreamValue>(_ values: UnsafePointer<Value>, _ count: Int) -> Bool {
    guard let lattice else {
      var union: Value = 0
      for index in 0..<count { union |= values[index] }
      return union == 0 || union.trailingZeroBitCount >= wastedBits
    }
    for index in 0..<count {
      let value = Int64(values[index])
      let number = Int64(Value(truncatingIfNeeded: lattice.number(of: value)))
      guard lattice.value(at: number) == value else { return false }
    }
    return true
  }

  /// Low zero bits that all values share; for short runs, which share some by chance, those of the last chunk.
  static func wasting<Value: StreamValue>(
    _ values: UnsafePointer<Value>, _ count: Int, after last: Spacing
  ) -> Spacing {
    if count < shortRun { return last.lattice == nil && last.fits(values, count) ? last : .dense }
    var union: Value = 0
    for index in 0..<count { union |= values[index] }
    return Spacing(wastedBits: min(union.trailingZeroBitCount, Value.bitWidth - 1))
  }

  /// Shorter runs keep the last spacing, because a new head costs about as many bits as they can save.
  static let shortRun = 16
}

/// Values at even distances that need not be whole, rounded down: number k has ⌊(k · step + base) / 2^precision⌋.
///
/// Some chips multiply their measurements by a factor from their factory trim, and then use one code in six.
struct Lattice: Equatable {
  /// Bits of fraction of step and base.
  let precision: Int
  /// Distance of neighbours, times 2^precision: from 1 to below 64.
  let step: Int64
  /// The value of number 0 before rounding, times 2^precision: from 0 to below 64.
  let base: Int64

  static let maximumPrecision = 24
  /// Bits of step and base in front of the point: both are below 64.
  static let integerBits = 6

  /// A lattice; `nil` if the precision is too high, or the step below 1. Step and base have no more bits than a log can hold.
  init?(precision: Int, step: Int64, base: Int64) {
    guard precision <= Lattice.maximumPrecision, step >= 1 << Int64(precision) else { return nil }
    (self.precision, self.step, self.base) = (precision, step, base)
  }

  /// The value of a number of 16 bits: a product of 46 bits, so that nothing overflows.
  @inline(__always)
  func value(at number: Int64) -> Int64 {
    (number &* step &+ base) &>> Int64(truncatingIfNeeded: precision)
  }

  /// The greatest number whose value is at most `value`, of 16 bits: k · step + base < (value + 1) · 2^precision.
  @inline(__always)
  func number(of value: Int64) -> Int64 {
    let above = (value &+ 1) &<< Int64(truncatingIfNeeded: precision) &- 1 &- base
    return floorDivide(above, step)
  }
}
