// SPDX-License-Identifier: Apache-2.0

/// A decimal number as a file writes it: `digits` × 10^`exponent`, with no digit changed.
///
///     -9.81          digits -981         exponent -2
///     9.364549E-3    digits 9364549      exponent -9     isScientific
///
/// Digits beyond an `Int64` are cut off after the point, and make the number too large before it.
package struct Decimal: Equatable, Sendable {
  /// All digits as one whole number, with the sign.
  package var digits: Int64
  /// The power of ten of the last digit.
  package var exponent: Int
  /// Whether the power of ten is written out.
  package var isScientific: Bool
  /// Whether digits after the point were cut off.
  package var isCut: Bool

  package init(
    digits: Int64, exponent: Int = 0, isScientific: Bool = false, isCut: Bool = false
  ) {
    (self.digits, self.exponent) = (digits, exponent)
    (self.isScientific, self.isCut) = (isScientific, isCut)
  }

  /// The nearest double: one rounding for up to 15 digits and 22 decimals.
  package var value: Double {
    let value = Double(digits)
    if digits == 0 { return value }
    if exponent >= -22, exponent <= 22 {
      return exponent < 0 ? value / Self.powers[-exponent] : value * Self.powers[exponent]
    }
    // No sensor has a value beyond 10^±44; the result is then 0 or infinite, which is refused.
    let (first, rest) = (exponent.signum() * 22, exponent - exponent.signum() * 22)
    let part = Decimal(digits: digits, exponent: first).value
    guard abs(rest) <= 22 else { return rest < 0 ? 0 : .infinity * part }
    return rest < 0 ? part / Self.powers[-rest] : part * Self.powers[rest]
  }

  package var lastPlace: Double { Decimal(digits: 1, exponent: exponent).value }

  /// The number × `factor` × 10^`power` as a whole number, rounded half away from zero; `nil` beyond an `Int64`. The product
  /// needs up to 126 bits: a factor of 17 digits leaves no room for a time in 64.
  package func whole(times factor: Int64 = 1, tenTo power: Int) -> (
    value: Int64, isRounded: Bool
  )? {
    var (value, isRounded) = (Int128(digits) * Int128(factor), isCut)
    var shift = exponent + power
    while shift > 0, value != 0 {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      (value, shift) = (product, shift - 1)
    }
    if shift < 0 {
      // The product is below 10³⁸.
      guard shift >= -38 else { return (0, isRounded || value != 0) }
      let divisor = (0..<(-shift)).reduce(Int128(1)) { power, _ in power * 10 }
      let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
      let isUp = rest.magnitude >= divisor.magnitude - rest.magnitude
      (value, isRounded) = (quotient + (isUp ? value.signum() : 0), isRounded || rest != 0)
    }
    return Int64(exactly: value).map { ($0, isRounded) }
  }

  /// The product; digits beyond an `Int64` are cut off.
  package func multiplied(by other: Decimal) -> Decimal {
    var product = Int128(digits) * Int128(other.digits)
    var result = Decimal(digits: 0, exponent: exponent + other.exponent)
    result.isScientific = isScientific
    result.isCut = isCut || other.isCut
    while Int64(exactly: product) == nil {
      let (quotient, rest) = product.quotientAndRemainder(dividingBy: 10)
      (product, result.exponent) = (quotient, result.exponent + 1)
      if rest != 0 { result.isCut = true }
    }
    result.digits = Int64(truncatingIfNeeded: product)
    return result
  }

  private static let powers: [Double] = (0...22).map {
    (0..<$0).reduce(1.0) { power, _ in power * 10 }
  }
  /// 1, 10, 100, … 10¹⁸.
  package static let wholePowers: [Int64] = (0...18).map {
    (0..<$0).reduce(1) { power, _ in power * 10 }
  }
}

/// The contents of a table's field.
package enum DecimalField: Equatable, Sendable {
  case number(Decimal)
  /// Nothing, or `NaN`: there is no value.
  case missing
  /// More digits before the point than a number can have, or infinity.
  case tooLarge
  /// Anything else.
  case none

  /// Reads sign, digits, one `mark` with digits, `e` with a power, between optional blanks.
  package init(_ field: UnsafeRawBufferPointer, mark: UInt8 = UInt8(ascii: ".")) {
    self = DecimalField.read(FieldText.trimmed(field), mark)
  }

  private static func read(_ text: UnsafeRawBufferPointer, _ mark: UInt8) -> DecimalField {
    guard let first = text.first else { return .missing }
    var place = 0
    let isNegative = first == UInt8(ascii: "-")
    if isNegative || first == UInt8(ascii: "+") { place = 1 }
    // Counted downwards, since there is one more negative number than positive ones.
    var (digits, exponent, count) = (Int64(0), 0, 0)
    var (isFraction, isCut, isTooLarge, zeros) = (false, false, false, 0)
    while place < text.count {
      let byte = text[place]
      if FieldText.isDigit(byte) {
        count += 1
        let (shifted, first) = digits.multipliedReportingOverflow(by: 10)
        let (next, second) = shifted.subtractingReportingOverflow(Int64(byte &- UInt8(ascii: "0")))
        if isCut || zeros > 0 || first || second {
          // Zeros that no digit follows do not count.
          if !isFraction {
            isTooLarge = true
          } else if byte == UInt8(ascii: "0") {
            zeros += 1
          } else {
            isCut = true
          }
        } else {
          digits = next
          if isFraction { exponent -= 1 }
        }
      } else if byte == mark, !isFraction {
        isFraction = true
      } else {
        break
      }
      place += 1
    }
    guard count > 0 else { return word(text) }
    var isScientific = false
    if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
      guard let power = power(text[(place + 1)...]) else { return .none }
      (exponent, isScientific, place) = (exponent + power, true, text.count)
    }
    guard place == text.count else { return .none }
    guard !isTooLarge, isNegative || digits != .min else { return .tooLarge }
    return .number(
      Decimal(
        digits: isNegative ? digits : -digits, exponent: exponent, isScientific: isScientific,
        isCut: isCut))
  }

  /// The power of ten after an `e`, at most 999.
  private static func power(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = isNegative || text.first == UInt8(ascii: "+") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.allSatisfy(FieldText.isDigit) else { return nil }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    // Beyond any number.
    let power =
      significant.count > 3 ? 999 : significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return isNegative ? -power : power
  }

  /// What a field without digits means.
  private static func word(_ text: UnsafeRawBufferPointer) -> DecimalField {
    switch String(decoding: text.prefix(10), as: UTF8.self).lowercased() {
    case "nan", "-nan", "null": .missing
    case "inf", "-inf", "+inf", "infinity", "-infinity": .tooLarge
    default: .none
    }
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The greatest common divisor of two numbers; the other where one of them is 0.
  package func commonDivisor(_ other: Self) -> Self {
    var (a, b) = (self, other)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
