// SPDX-License-Identifier: Apache-2.0

import Glibc
package import IMUModel

/// A table with the text of each of the 65 536 counts in one unit; a text is made when its count first occurs.
///
/// Untouched parts of the table (1 MiB of address space) take no memory.
final class CountTexts {
  /// One text: its bytes in `low` and the first seven bytes of `high`, its length in the last.
  struct Entry {
    var low: UInt64
    var high: UInt64

    /// 0 while the text has not been made.
    @inline(__always)
    var length: Int { Int(truncatingIfNeeded: UInt64(littleEndian: high) >> 56) }
  }

  let scale: CountScale
  /// 65 536 entries, by the count's bit pattern.
  let entries: UnsafeMutablePointer<Entry>

  init(_ scale: CountScale) {
    self.scale = scale
    // Safe: calloc's memory is aligned for any type and zero is a valid entry; freed in deinit alone.
    guard let memory = calloc(65536, MemoryLayout<Entry>.stride) else {
      fatalError("no memory for a table of 1 MiB")
    }
    entries = memory.bindMemory(to: Entry.self, capacity: 65536)
  }

  deinit {
    free(entries)
  }

  @inline(never)
  func make(_ count: Int16) -> Entry {
    let (characters, length) = scale.text(of: count)
    let high = UInt64(truncatingIfNeeded: characters >> 64) | UInt64(length) << 56
    let entry = Entry(
      low: UInt64(truncatingIfNeeded: characters).littleEndian, high: high.littleEndian)
    entries[Int(UInt16(bitPattern: count))] = entry
    return entry
  }
}

/// The conversion of counts to a unit: an exact line, and enough decimals to distinguish neighbouring counts.
///
///     value × 10^decimals = (count × numerator + offset) / denominator, rounded half away from zero
///
/// All in whole numbers, so that a count has the same text on every machine.
package struct CountScale: Equatable {
  /// Characters that a text may have: a table entry without its length byte.
  package static let longestText = 15

  private let numerator: Int128
  private let offset: Int128
  private let denominator: Int128
  /// The line once more: a conversion of 128 bits takes longer than a text.
  private let slope: Double
  private let intercept: Double
  /// Digits after the point before trailing zeros are dropped.
  package let decimals: Int

  static let counts = CountScale(numerator: 1, offset: 0, denominator: 1, decimals: 0)

  private init(numerator: Int128, offset: Int128, denominator: Int128, decimals: Int) {
    (self.numerator, self.offset, self.denominator) = (numerator, offset, denominator)
    slope = Double(numerator) / Double(denominator)
    intercept = Double(offset) / Double(denominator)
    self.decimals = decimals
  }

  /// The line `count` × `scale` × `factor` + `offset` with `decimals` digits, more when neighbouring
  /// counts need more, fewer when the largest values would not fit into ``longestText``.
  ///
  /// `nil` when no number of decimals does both, or when `scale` is 0, which makes all counts equal.
  package init?(
    _ scale: Fraction, times factor: Fraction = .one, plus offset: Fraction = .zero, decimals: Int
  ) {
    let top = Int128(scale.numerator).multipliedReportingOverflow(by: Int128(factor.numerator))
    let bottom = Int128(scale.denominator).multipliedReportingOverflow(
      by: Int128(factor.denominator))
    guard !top.overflow, !bottom.overflow, top.partialValue != 0 else { return nil }
    let (a, b) = CountScale.reduced(top.partialValue, bottom.partialValue)
    let (c, d) = CountScale.reduced(Int128(offset.numerator), Int128(offset.denominator))
    guard let line = CountScale.joined(a, b, c, d) else { return nil }
    // If a step of one count is more than one unit of the last digit, texts differ and are less than half a count from
    // the exact value.
    let fewerFirst = Array(decimals...18) + Array((1..<decimals).reversed())
    for digits in fewerFirst {
      guard let candidate = line.scaled(toDecimals: digits) else { continue }
      if candidate.distinguishesCounts, candidate.fits {
        self = candidate
        return
      }
    }
    return nil
  }

  /// The text of a count: no exponent, at least one decimal unless ``decimals`` is 0, no trailing zeros
  /// after that. At most ``longestText`` characters, the first in the lowest byte.
  ///
  /// - Complexity: one division of 128 bits and one of 64 bits a character; no allocation.
  package func text(of count: Int16) -> (characters: UInt128, length: Int) {
    let (digits, isNegative) = digits(of: count)
    return CountScale.text(digits, isNegative: isNegative, decimals)
  }

  /// The doubles nearest to the texts of all counts, by their bit patterns: digits and power of ten are exact, and a
  /// division rounds once.
  package var values: [Double] {
    let power = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
    return (0...UInt16.max).map {
      let (digits, isNegative) = digits(of: Int16(bitPattern: $0))
      return (isNegative ? -Double(digits) : Double(digits)) / power
    }
  }

  /// The value without its point, below 10^13, and its sign, which zero does not have.
  private func digits(of count: Int16) -> (digits: UInt64, isNegative: Bool) {
    let exact = Int128(count) * numerator + offset
    let bottom = denominator.magnitude
    let digits = UInt64(truncatingIfNeeded: (2 * exact.magnitude + bottom) / (2 * bottom))
    return (digits, exact < 0 && digits != 0)
  }

  /// The text of a value between counts, with as many decimals; beyond the range of a count its end's.
  package func text(between count: Double) -> (characters: UInt128, length: Int) {
    let count = count < -32768 ? -32768 : count < 32767 ? count : 32767
    let value = count * slope + intercept
    // At most 13 digits, as the texts of the ends fit.
    let rest = UInt64(min(value.magnitude.rounded(), 0x1p62))
    return CountScale.text(rest, isNegative: value < 0 && rest != 0, decimals)
  }

  /// Digits, the last ones behind the point: at most 16 characters.
  static func text(_ digits: UInt64, isNegative: Bool, _ decimals: Int)
    -> (characters: UInt128, length: Int)
  {
    var (rest, decimalsLeft) = (digits, decimals)
    var (characters, length) = (0 as UInt128, 0)
    func prepend(_ character: UInt8) {
      characters = characters << 8 | UInt128(character)
      length += 1
    }
    func prependDigit() {
      prepend(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    while decimalsLeft > 1, rest % 10 == 0 {
      rest /= 10
      decimalsLeft -= 1
    }
    for _ in 0..<decimalsLeft { prependDigit() }
    if decimals > 0 { prepend(UInt8(ascii: ".")) }
    repeat { prependDigit() } while rest != 0
    if isNegative { prepend(UInt8(ascii: "-")) }
    return (characters, length)
  }

  private var distinguishesCounts: Bool { numerator.magnitude > denominator.magnitude }

  private var fits: Bool {
    let largest = (32768 * numerator.magnitude + offset.magnitude) / denominator.magnitude + 1
    let digits = max(String(largest).count, decimals + 1)
    return digits + 2 <= CountScale.longestText
  }

  private func scaled(toDecimals digits: Int) -> CountScale? {
    var power: Int128 = 1
    for _ in 0..<digits { power *= 10 }
    let (cleared, bottom) = CountScale.reduced(power, denominator)
    let top = numerator.multipliedReportingOverflow(by: cleared)
    let shift = offset.multipliedReportingOverflow(by: cleared)
    // 2 × (32768 × numerator + offset) + denominator must fit when a text is made.
    let limit = Int128.max >> 19
    guard !top.overflow, !shift.overflow, top.partialValue.magnitude < limit.magnitude,
      shift.partialValue.magnitude < limit.magnitude, bottom < limit
    else { return nil }
    return CountScale(
      numerator: top.partialValue, offset: shift.partialValue, denominator: bottom, decimals: digits
    )
  }

  /// a/b × count + c/d on one denominator.
  private static func joined(_ a: Int128, _ b: Int128, _ c: Int128, _ d: Int128) -> CountScale? {
    let (down, up) = reduced(d, b)
    // The least common denominator is b × down = d × up.
    let denominator = b.multipliedReportingOverflow(by: down)
    let numerator = a.multipliedReportingOverflow(by: down)
    let offset = c.multipliedReportingOverflow(by: up)
    guard !denominator.overflow, !numerator.overflow, !offset.overflow else { return nil }
    return CountScale(
      numerator: numerator.partialValue, offset: offset.partialValue,
      denominator: denominator.partialValue, decimals: 0)
  }

  private static func reduced(_ a: Int128, _ b: Int128) -> (Int128, Int128) {
    let divisor = Int128(max(1, a.magnitude.commonDivisor(b.magnitude)))
    return (a / divisor, b / divisor)
  }
}
