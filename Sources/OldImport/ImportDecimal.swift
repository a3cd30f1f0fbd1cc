// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// A decimal number as a file writes it: `digits` × 10^`exponent`, no digit changed.
///
///     -9.81          digits -981         exponent -2
///     9.364549E-3    digits 9364549      exponent -9     isScientific
///
/// Digits beyond an `Int64` are cut off behind the point, and make the number too large before it.
struct ImportDecimal: Equatable {
  var digits: Int64
  var exponent: Int
  /// Whether the power of ten is written out.
  var isScientific = false
  /// Whether digits behind the point were cut off.
  var isCut = false

  /// The nearest double: one rounding for up to 15 digits and 22 decimals.
  var value: Double {
    let value = Double(digits)
    if digits == 0 { return value }
    if exponent >= -22, exponent <= 22 {
      return exponent < 0 ? value / Self.powers[-exponent] : value * Self.powers[exponent]
    }
    // Beyond 10^±44 no sensor has a value; the result is then 0 or infinite, and the latter is refused.
    let (first, rest) = (exponent.signum() * 22, exponent - exponent.signum() * 22)
    let part = ImportDecimal(digits: digits, exponent: first).value
    guard abs(rest) <= 22 else { return rest < 0 ? 0 : .infinity * part }
    return rest < 0 ? part / Self.powers[-rest] : part * Self.powers[rest]
  }

  /// The value of one in the last digit that is written.
  var lastPlace: Double { ImportDecimal(digits: 1, exponent: exponent).value }

  /// The number × `factor` × 10^`power` as a whole number, rounded half away from zero; `nil` beyond an `Int64`.
  ///
  /// The product has up to 126 bits: a factor of 17 digits leaves no room for a time in 64.
  func whole(times factor: Int64 = 1, tenTo power: Int) -> (value: Int64, isRounded: Bool)? {
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

  /// The product with another number; digits beyond an `Int64` are cut off.
  func multiplied(by other: ImportDecimal) -> ImportDecimal {
    var product = Int128(digits) * Int128(other.digits)
    var result = ImportDecimal(digits: 0, exponent: exponent + other.exponent)
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
  static let wholePowers: [Int64] = (0...18).map { (0..<$0).reduce(1) { power, _ in power * 10 } }
}

/// What a field of a table has.
enum ImportNumber: Equatable {
  case number(ImportDecimal)
  /// Nothing, or `NaN`: there is no value.
  case missing
  /// More digits before the point than a number can have, or infinity.
  case tooLarge
  /// Something else.
  case none

  /// Reads a field: sign, digits, one `mark` with digits, `e` with a power; blanks around it are allowed.
  init(_ field: UnsafeRawBufferPointer, mark: UInt8 = UInt8(ascii: ".")) {
    let text = ImportText.trimmed(field)
    guard let first = text.first else {
      self = .missing
      return
    }
    var place = 0
    let isNegative = first == UInt8(ascii: "-")
    if isNegative || first == UInt8(ascii: "+") { place = 1 }
    // Counted downwards, since there is one more negative number than positive ones.
    var (digits, exponent, count) = (Int64(0), 0, 0)
    var (isFraction, isCut, isTooLarge, zeros) = (false, false, false, 0)
    while place < text.count {
      let byte = text[place]
      if ImportText.isDigit(byte) {
        count += 1
        let (shifted, first) = digits.multipliedReportingOverflow(by: 10)
        let (next, second) = shifted.subtractingReportingOverflow(Int64(byte &- UInt8(ascii: "0")))
        if isCut || zeros > 0 || first || second {
          // Zeros that no digit follows are no digits.
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
    guard count > 0 else {
      self = ImportNumber.word(text)
      return
    }
    var isScientific = false
    if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
      guard let power = ImportNumber.power(text[(place + 1)...]) else {
        self = .none
        return
      }
      (exponent, isScientific, place) = (exponent + power, true, text.count)
    }
    guard place == text.count else {
      self = .none
      return
    }
    guard !isTooLarge, isNegative || digits != .min else {
      self = .tooLarge
      return
    }
    self = .number(
      ImportDecimal(
        digits: isNegative ? digits : -digits, exponent: exponent, isScientific: isScientific,
        isCut: isCut))
  }

  /// The power of ten after an `e`, at most 999.
  private static func power(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = isNegative || text.first == UInt8(ascii: "+") ? text.dropFirst() : text
    guard !digits.isEmpty, digits.allSatisfy(ImportText.isDigit) else { return nil }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    // Beyond any number.
    let power =
      significant.count > 3 ? 999 : significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return isNegative ? -power : power
  }

  /// What a field without digits means.
  private static func word(_ text: UnsafeRawBufferPointer) -> ImportNumber {
    switch String(decoding: text.prefix(10), as: UTF8.self).lowercased() {
    case "nan", "-nan", "null": .missing
    case "inf", "-inf", "+inf", "infinity", "-infinity": .tooLarge
    default: .none
    }
  }
}

enum ImportText {
  /// The most characters of a wrong value in an error.
  static let shownLimit = 40

  /// A value for an error: trimmed, shortened, and without characters that a terminal could obey.
  static func shown(_ bytes: some Collection<UInt8>) -> String {
    var words = String(decoding: bytes.prefix(4 * shownLimit), as: UTF8.self)[...]
    while let first = words.first, first == " " || first == "\t" { words.removeFirst() }
    while let last = words.last, last == " " || last == "\t" { words.removeLast() }
    let shown = ForeignText.shown(String(words))
    return shown.count > shownLimit ? shown.prefix(shownLimit) + "…" : shown
  }

  /// A field without the blanks around it.
  static func trimmed(_ field: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var (begin, end) = (0, field.count)
    while begin < end, isBlank(field[begin]) { begin += 1 }
    while end > begin, isBlank(field[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: field[begin..<end])
  }

  /// A field without the quotes around it.
  static func unquoted(_ field: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard field.count > 1, field.first == UInt8(ascii: "\""), field.last == UInt8(ascii: "\"")
    else { return field }
    return UnsafeRawBufferPointer(rebasing: field[1..<(field.count - 1)])
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Whether the first bytes are those of UTF-16 or UTF-32: a byte order mark, or nearly every second byte is 0 and many
  /// of the others are not.
  static func isWide(_ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes.prefix(64))
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    let (even, odd) = (
      stride(from: 0, to: bytes.count, by: 2), stride(from: 1, to: bytes.count, by: 2)
    )
    let (evenZeros, oddZeros) = (even.count { bytes[$0] == 0 }, odd.count { bytes[$0] == 0 })
    let (evens, odds) = (bytes.count - bytes.count / 2, bytes.count / 2)
    func isHigh(_ zeros: Int, of high: Int, _ others: Int, of low: Int) -> Bool {
      4 * zeros >= 3 * high && 8 * others <= 5 * low
    }
    return odds > 0
      && (isHigh(evenZeros, of: evens, oddZeros, of: odds)
        || isHigh(oddZeros, of: odds, evenZeros, of: evens))
  }

  /// Whether bytes are text in UTF-8; the end may be cut off.
  static func isUTF8(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
    !String(decoding: bytes.dropLast(bytes.count > 64 ? 3 : 0), as: UTF8.self).unicodeScalars
      .contains("\u{FFFD}")
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
