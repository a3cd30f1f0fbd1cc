// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Finds the scale in which values of a stated unit are counts of 16 bits.
///
/// A log holds counts and a scale, and what is imported must come back as written. So the values are asked, in this order:
///
/// 1. Does the scale that the file states reproduce every value to the last digit that is written? Then it is that.
/// 2. Does that of a common chip? Then the counts are the chip's own. Of several the coarsest, because a finer one would
///    only multiply them.
/// 3. Are all values whole multiples of one decimal step, from −32768 to 32767 of them? Then that is the scale, if a chip's
///    is finer, or little coarser than the last digit.
/// 4. Otherwise the largest value is made 32767, and the largest error is stated.
///
/// This is arithmetic: what the values mean is stated, and no scale changes it. One pass: of each scale only the largest
/// error is kept.
struct ScaleFit {
  /// A scale with its effect on values: count = (value − shift) / step.
  struct Choice: Equatable {
    enum Origin { case given, file, chip, lattice, finest, counts }

    let scale: Scale
    let unit: Unit
    /// In the unit of the file.
    let step, shift: Double
    let origin: Origin

    init(_ scale: Scale, in unit: Unit, _ origin: Origin) {
      (self.scale, self.unit, self.origin) = (scale, unit, origin)
      let one = unit.inLogUnits.value
      (step, shift) =
        origin == .counts ? (1, 0) : (scale.ratio.value / one, scale.offset.value / one)
    }

    /// The whole number of steps that is nearest to a value, and its distance from the value.
    func count(of value: Double) -> (count: Double, error: Double) {
      let count = ((value - shift) / step).rounded()
      return (count, (count * step + shift - value).magnitude)
    }
  }

  /// A scale with which all values so far may be counts.
  private struct Candidate {
    let choice: Choice
    /// The largest error of a value without a power of ten, and of any value.
    var error = 0.0
    var anyError = 0.0
  }

  private static let counts = -32768.0...32767

  let group: Group
  let unit: Unit
  private var candidates: [Candidate]
  private var (smallest, largest) = (Double.infinity, -Double.infinity)
  /// The most decimals of a value that is written without a power of ten; `nil` if all values have one.
  private var plainDecimals: Int?
  /// The fewest decimals of a value with one that is not 0.
  private var powerDecimals: Int?
  private var lattice = Lattice()

  init(_ group: Group, _ unit: Unit, stated: Scale?) {
    (self.group, self.unit) = (group, unit)
    let own = stated.map { [Choice($0, in: unit, .file)] } ?? []
    let chips = Scale.known[group.rawValue].map { Choice($0, in: unit, .chip) }
    candidates = (own + chips).filter { $0.scale.ratio.numerator > 0 }.map {
      Candidate(choice: $0)
    }
  }

  mutating func add(_ number: Decimal) {
    let value = number.value
    (smallest, largest) = (min(smallest, value), max(largest, value))
    if !number.isScientific {
      plainDecimals = max(plainDecimals ?? 0, -number.exponent)
    } else if value != 0 {
      powerDecimals = min(powerDecimals ?? .max, -number.exponent)
    }
    lattice.add(number)
    // Trailing zeros may have been dropped, but not those of a number with a power of ten.
    let place = number.isScientific ? number.lastPlace : place
    var index = 0
    while index < candidates.count {
      var (count, error) = candidates[index].choice.count(of: value)
      error = max(0, error - value.magnitude * 1e-15)
      guard error <= 0.5001 * place, ScaleFit.counts.contains(count) else {
        candidates.remove(at: index)
        continue
      }
      if !number.isScientific { candidates[index].error = max(candidates[index].error, error) }
      candidates[index].anyError = max(candidates[index].anyError, error)
      index += 1
    }
  }

  /// The last digit that every value has: phyphox and NumPy write each with a power of ten.
  private var place: Double {
    Decimal(digits: 1, exponent: -(plainDecimals ?? powerDecimals ?? 0)).value
  }

  /// Whether every value is 0, which any scale reproduces.
  private var isZero: Bool { largest < smallest || (smallest == 0 && largest == 0) }

  /// The value furthest from 0.
  var extreme: Double { largest > -smallest ? largest : smallest }

  /// Whether every value is a count of 16 bits in such steps.
  func holds(_ step: Double) -> Bool {
    isZero || [smallest, largest].allSatisfy { ScaleFit.counts.contains(($0 / step).rounded()) }
  }

  /// The file's scale or a chip's, if it reproduces every value.
  private var fitting: Choice? {
    let fitting = candidates.filter { $0.error <= 0.5001 * place }
    if let own = fitting.first(where: { $0.choice.origin == .file }) { return own.choice }
    // A step below the last digit reproduces any value.
    let fits = fitting.filter { $0.choice.step > place }
    let coarsest = fits.map(\.choice.step).max() ?? 0
    return fits.filter { $0.choice.step > 0.98 * coarsest }.min { $0.anyError < $1.anyError }?
      .choice
  }

  /// The scale for the values.
  func choose(given: Scale?) -> Choice {
    if let given { return Choice(given, in: unit, .given) }
    if largest >= smallest, let own = candidates.first, own.choice.origin == .file,
      own.error <= 0.5001 * place
    {
      return own.choice
    }
    if isZero {
      let usual = group == .temperature ? Fraction(1, 100) : Scale.usual(group).ratio
      return Choice(Scale(ratio: usual), in: unit, .chip)
    }
    let step = lattice.step(from: smallest, to: largest)
    if let fitting, step.map({ fitting.step >= max($0.value, 4 * place) }) ?? true {
      return fitting
    }
    if let step, let ratio = Fraction.product(step, unit.inLogUnits), Scale(ratio: ratio).isHeld {
      return Choice(Scale(ratio: ratio), in: unit, .lattice)
    }
    // One count less than the ends, which a chip has of values beyond its range. Values below what exports write are near 0.
    let range = max(largest, -smallest) * unit.inLogUnits.value
    let ratio = Fraction.nearest(to: range / 32766).flatMap { Scale(ratio: $0).isHeld ? $0 : nil }
    return Choice(Scale(ratio: ratio ?? Scale.usual(group).ratio), in: unit, .finest)
  }
}

/// The largest decimal step that divides every value.
private struct Lattice {
  /// In 10^`exponent`; 0 while every value is 0.
  private var step: UInt64 = 0
  private var exponent = 0
  /// Whether the values have too many digits for any step.
  private var isLost = false

  mutating func add(_ number: Decimal) {
    guard !isLost, number.digits != 0 else { return }
    guard !number.isCut else { return isLost = true }
    var (digits, power) = (number.digits.magnitude, number.exponent)
    while digits % 10 == 0 { (digits, power) = (digits / 10, power + 1) }
    if step == 0 { (step, exponent) = (digits, power) }
    while power < exponent, !isLost { (step, exponent) = (scaled(step), exponent - 1) }
    while power > exponent, !isLost { (digits, power) = (scaled(digits), power - 1) }
    step = step.commonDivisor(digits)
  }

  private mutating func scaled(_ value: UInt64) -> UInt64 {
    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
    if overflow { isLost = true }
    return product
  }

  /// The step, if values between these are counts of 16 bits in it.
  func step(from least: Double, to most: Double) -> Fraction? {
    guard !isLost, step > 0, step < 1 << 40, exponent > -16, exponent < 10 else { return nil }
    let power = Decimal.wholePowers[abs(exponent)]
    let value = Double(step) * (exponent < 0 ? 1 / Double(power) : Double(power))
    guard least > -32768.5 * value, most < 32767.5 * value else { return nil }
    let (whole, overflow) = Int64(step).multipliedReportingOverflow(by: exponent < 0 ? 1 : power)
    return overflow ? nil : Fraction(whole, over: exponent < 0 ? power : 1)
  }
}
