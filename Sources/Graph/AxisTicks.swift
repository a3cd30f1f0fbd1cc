// SPDX-License-Identifier: Apache-2.0

/// The labels of an axis: round numbers, at steps of one, two or five times a power of ten.
///
///     range 0.37 … 2.4, at most 5     0.5   1.0   1.5   2.0
///
/// Every label of an axis has the same number of decimals, the fewest that tell them apart.
public struct AxisTicks: Equatable, Sendable {
  /// One label.
  public struct Tick: Equatable, Sendable {
    /// Its place, in the axis' unit.
    public let value: Double
    /// Its text, without a unit.
    public let label: String
  }

  /// From the lowest to the highest; may be empty.
  public let ticks: [Tick]
  /// The distance of neighbours; 0 when there are no ticks.
  public let step: Double

  /// No ticks: for a range that is empty, not finite, or too narrow.
  public static let none = AxisTicks(ticks: [], step: 0)

  private init(ticks: [Tick], step: Double) {
    (self.ticks, self.step) = (ticks, step)
  }

  /// The finest ticks with at most `limit` in `range`, its ends included.
  ///
  /// A range has none if it is empty, if an end or its length is not finite, or if it is so narrow that a `Double`
  /// cannot distinguish its values.
  ///
  /// - Complexity: a few dozen operations, and a text for each tick.
  public init(_ range: ClosedRange<Double>, atMost limit: Int) {
    let length = range.upperBound - range.lowerBound
    let largest = max(abs(range.lowerBound), abs(range.upperBound))
    guard limit > 0, length.isFinite, length > largest * 1e-12, length > 1e-200 else {
      self = .none
      return
    }
    // Begins with a step that is too fine, as at least `limit` + 1 fit, and increases it.
    var step = DecimalStep(atMost: length / Double(limit + 1))
    while true {
      let multiples = step.multiples(in: range)
      if multiples.count <= limit {
        self.init(
          ticks: multiples.map { Tick(value: step.value(times: $0), label: step.text(times: $0)) },
          step: step.value(times: 1))
        return
      }
      step.coarsen()
    }
  }
}

/// 1, 2 or 5 times a power of ten.
private struct DecimalStep {
  private var digit: Int64 = 1
  private var exponent = 0

  /// The greatest power of ten up to `length`, which is positive.
  init(atMost length: Double) {
    while DecimalStep.power(exponent) > length { exponent -= 1 }
    while DecimalStep.power(exponent + 1) <= length { exponent += 1 }
  }

  mutating func coarsen() {
    if digit == 5 { exponent += 1 }
    digit = digit == 1 ? 2 : digit == 2 ? 5 : 1
  }

  /// The multiples in the range, with a tolerance of a billionth of a step, because 0.3 / 0.1 is less than 3.
  func multiples(in range: ClosedRange<Double>) -> [Int64] {
    let step = value(times: 1)
    let first = (range.lowerBound / step - 1e-9).rounded(.up)
    let last = (range.upperBound / step + 1e-9).rounded(.down)
    // Both are below 1e12 × the number of ticks, by the check of the range: no conversion traps.
    return first > last ? [] : Array(Int64(first)...Int64(last))
  }

  func value(times multiple: Int64) -> Double {
    // One division of whole numbers is rounded once: 3 × 0.1 would not be 0.3.
    exponent < 0
      ? Double(multiple * digit) / DecimalStep.power(-exponent)
      : Double(multiple * digit) * DecimalStep.power(exponent)
  }

  func text(times multiple: Int64) -> String {
    let number = multiple * digit
    let zeros = String(repeating: "0", count: number == 0 ? 0 : max(0, exponent))
    return DecimalLabel.text(number, decimals: max(0, -exponent)) + zeros
  }

  private static func power(_ exponent: Int) -> Double {
    var power = 1.0
    for _ in 0..<abs(exponent) { power *= 10 }
    return exponent < 0 ? 1 / power : power
  }
}

/// Integers as decimal labels.
enum DecimalLabel {
  /// `number` / 10^`decimals` with exactly that many decimals: -5 with 2 is `-0.05`.
  static func text(_ number: Int64, decimals: Int) -> String {
    guard decimals > 0 else { return "\(number)" }
    let digits = "\(number.magnitude)"
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return (number < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }
}
