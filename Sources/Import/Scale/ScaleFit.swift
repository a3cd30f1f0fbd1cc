// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Finds the scale in which values of a stated unit are counts of 16 bits.
///
/// A log holds counts and a scale, and what is imported must come back as it was written. So the values are asked, in
/// this order:
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
  }

  /// A scale with which a value may be count × scale + offset.
  private struct Candidate {
    let choice: Choice
    /// The largest distance of a value without a power of ten from that of its count, and of any value.
    var error = 0.0
    var anyError = 0.0
    var isFit = true

    init(_ choice: Choice) { self.choice = choice }
  }

  let group: Group
  let unit: Unit
  private var candidates: [Candidate]
  private var count: UInt64 = 0
  private(set) var (smallest, largest) = (Double.infinity, -Double.infinity)
  /// The most decimals of a value that is written without a power of ten; `nil` without such a value.
  private var plainDecimals: Int?
  /// The fewest and the most decimals of a value with one, and not 0.
  private var scientificDecimals: ClosedRange<Int>?
  private var lattice = Lattice()

  /// - Parameter stated: The scale that the file states.
  init(_ group: Group, _ unit: Unit, stated: Scale?) {
    (self.group, self.unit) = (group, unit)
    let own = stated.map { [Choice($0, in: unit, .file)] } ?? []
    let chips = KnownScales.scales(of: group).map { Choice($0, in: unit, .chip) }
    candidates = (own + chips).filter { $0.scale.ratio.numerator > 0 }.map { Candidate($0) }
  }

  /// Takes a value.
  mutating func add(_ number: Decimal) {
    let value = number.value
    count += 1
    (smallest, largest) = (min(smallest, value), max(largest, value))
    if !number.isScientific {
      plainDecimals = max(plainDecimals ?? 0, -number.exponent)
    } else if value != 0 {
      let (own, known) = (-number.exponent, scientificDecimals)
      scientificDecimals =
        min(known?.lowerBound ?? own, own)...max(known?.upperBound ?? own, own)
    }
    lattice.add(number)
    // Trailing zeros may have been dropped, but not those of a number with a power of ten.
    let place = number.isScientific ? number.lastPlace : place
    let margin = value.magnitude * 1e-15
    for index in candidates.indices where candidates[index].isFit {
      let choice = candidates[index].choice
      let counts = ((value - choice.shift) / choice.step).rounded()
      let error = max(0, (counts * choice.step + choice.shift - value).magnitude - margin)
      if !number.isScientific { candidates[index].error = max(candidates[index].error, error) }
      candidates[index].anyError = max(candidates[index].anyError, error)
      candidates[index].isFit = error <= 0.5001 * place && counts >= -32768 && counts <= 32767
    }
  }

  /// The last digit that every value has: phyphox and NumPy write each with a power of ten.
  private var place: Double {
    ScaleFit.place(plainDecimals ?? scientificDecimals?.lowerBound ?? 0)
  }

  private static func place(_ decimals: Int) -> Double {
    Decimal(digits: 1, exponent: -decimals).value
  }

  /// Whether every value is 0, which any scale reproduces.
  private var isZero: Bool { count == 0 || (smallest == 0 && largest == 0) }

  /// The value furthest from 0.
  var extreme: Double { largest > -smallest ? largest : smallest }

  /// Whether every value is a count of 16 bits in such steps.
  func holds(_ step: Double) -> Bool {
    isZero || ((smallest / step).rounded() >= -32768 && (largest / step).rounded() <= 32767)
  }

  /// The scale that the file states or that of a chip, if it reproduces every value.
  private var fitting: Candidate? {
    guard count > 0 else { return nil }
    let fitting = candidates.filter { $0.isFit && $0.error <= 0.5001 * place }
    if let own = fitting.first(where: { $0.choice.origin == .file }) { return own }
    // A step below the last digit reproduces any value.
    let fits = fitting.filter { $0.choice.step > place }
    guard let coarsest = fits.map(\.choice.step).max(), !isZero else { return nil }
    return fits.filter { $0.choice.step > 0.98 * coarsest }.min { $0.anyError < $1.anyError }
  }

  /// The scale for the values.
  ///
  /// - Parameter given: The scale that the user states; values are then rounded to it.
  func choose(given: Scale?) -> Choice {
    func choice(_ ratio: Fraction, _ origin: Choice.Origin) -> Choice {
      Choice(Scale(ratio: ratio), in: unit, origin)
    }
    if let given { return Choice(given, in: unit, .given) }
    let step = isZero ? nil : lattice.step(from: smallest, to: largest)
    if let fitting,
      fitting.choice.origin == .file
        || (step.map { fitting.choice.step >= max($0.value, 4 * place) } ?? true)
    {
      return fitting.choice
    }
    if isZero {
      return group == .temperature ? choice(Fraction(1, 100), .lattice) : candidates[0].choice
    }
    if group == .temperature { return thousandths }
    if let step, let ratio = Fraction.product(step, unit.inLogUnits), Scale(ratio: ratio).isHeld {
      return choice(ratio, .lattice)
    }
    // One count less than the ends: those are what a chip has of values beyond its range.
    let range = max(largest, -smallest) * unit.inLogUnits.value
    if let ratio = Fraction.nearest(to: range / 32766), Scale(ratio: ratio).isHeld {
      return choice(ratio, .finest)
    }
    // Values below what exports write are near 0.
    let coarse = candidates.first { holds($0.choice.step) }?.choice.scale.ratio
    return choice(coarse ?? .one, .finest)
  }

  /// Of temperatures: whole thousandths of a degree on both sides of the middle value.
  private var thousandths: Choice {
    let middle = ((smallest + largest) / 2).rounded()
    let span = max(largest - middle, middle - smallest)
    let finest = max(plainDecimals ?? 0, scientificDecimals?.upperBound ?? 0)
    let step = ScaleFit.place(min(finest, 6))
    let isExact = finest <= 6 && span <= 32767 * step
    let ratio = Fraction.nearest(to: isExact ? step : max(span / 32767, 1e-9))
    let scale = Scale(
      ratio: ratio ?? Fraction(1, 100), offset: Fraction(Int64(max(-1e9, min(middle, 1e9))), 1))
    return Choice(scale, in: unit, isExact ? .lattice : .finest)
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
    if isLost { return }
    var (a, b) = (step, digits)
    while b != 0 { (a, b) = (b, a % b) }
    step = a
  }

  private mutating func scaled(_ value: UInt64) -> UInt64 {
    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
    if overflow { isLost = true }
    return product
  }

  /// The step, if values between these are counts of 16 bits in it.
  func step(from least: Double, to most: Double) -> Fraction? {
    guard !isLost, step > 0, exponent > -16, exponent < 10 else { return nil }
    let power = Decimal.wholePowers[abs(exponent)]
    let value = Double(step) * (exponent < 0 ? 1 / Double(power) : Double(power))
    guard least > -32768.5 * value, most < 32767.5 * value, step < 1 << 40 else { return nil }
    if exponent < 0 { return Fraction(Int64(step), over: power) }
    let (product, overflow) = Int64(step).multipliedReportingOverflow(by: power)
    return overflow ? nil : Fraction(product, over: 1)
  }
}
