// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel

/// Finds the scale in which the values of a sensor are counts of 16 bits.
///
/// A log holds counts and a scale, and what is imported must come back as it was written. So the values are asked, in
/// this order:
///
/// 1. Does the scale that the file names reproduce every value to the last digit that is written? Then it is that.
/// 2. Does that of a common chip? Then the counts are the chip's own. Of several the coarsest, because a finer one would
///    only multiply them.
/// 3. Are all values whole multiples of one decimal step, from −32768 to 32767 of them? Then that is the scale, if a chip's
///    is finer, or little coarser than the last digit.
/// 4. Otherwise the largest value is made 32767, and the largest error is stated.
///
/// All this in one pass: of each scale only the largest error is kept.
struct ImportScaleSearch {
  /// A scale with which a value may be count × scale + offset, in the unit of the file.
  private struct Candidate {
    let scale: Fraction
    let offset: Fraction
    /// In the file's unit.
    let step: Double
    let shift: Double
    /// The largest distance of a value without a power of ten from that of its count.
    var error = 0.0
    /// The same of any value.
    var anyError = 0.0
    var isFit = true
    /// Whether the file names it.
    var isOwn = false
  }

  let group: ImportGroup
  let unit: ImportUnit
  private var candidates: [Candidate] = []
  private(set) var count: UInt64 = 0
  private var (smallest, largest) = (Double.infinity, -Double.infinity)
  /// The most decimals of a value that is written without a power of ten; `nil` without such a value.
  private var plainDecimals: Int?
  /// The fewest and the most decimals of a value with one, and not 0.
  private var scientificDecimals: ClosedRange<Int>?
  /// The decimals of the last digit that every value has: phyphox and NumPy write each with a power of ten.
  private var decimals: Int { plainDecimals ?? scientificDecimals?.lowerBound ?? 0 }
  private var lattice = ImportLattice()

  /// - Parameter named: The scale that the file names, and for temperatures what count 0 is.
  init(_ group: ImportGroup, _ unit: ImportUnit, named: (scale: Fraction, offset: Fraction)?) {
    (self.group, self.unit) = (group, unit)
    let one = unit.inLogUnits.value
    func add(_ scale: Fraction, _ offset: Fraction, isOwn: Bool = false) {
      guard scale.numerator > 0 else { return }
      candidates.append(
        Candidate(
          scale: scale, offset: offset, step: scale.value / one, shift: offset.value / one,
          isOwn: isOwn))
    }
    if let named { add(named.scale, named.offset, isOwn: true) }
    switch group {
    case .accelerometer: for scale in ImportKnownScales.accelerometer { add(scale, .zero) }
    case .gyroscope: for scale in ImportKnownScales.gyroscope { add(scale, .zero) }
    case .temperature: for (scale, offset) in ImportKnownScales.temperature { add(scale, offset) }
    }
  }

  mutating func add(_ number: ImportDecimal) {
    let value = number.value
    count += 1
    smallest = min(smallest, value)
    largest = max(largest, value)
    if !number.isScientific {
      plainDecimals = max(plainDecimals ?? 0, -number.exponent)
    } else if value != 0 {
      let (own, known) = (-number.exponent, scientificDecimals)
      scientificDecimals =
        min(known?.lowerBound ?? own, own)...max(known?.upperBound ?? own, own)
    }
    lattice.add(number)
    // Trailing zeros may have been dropped, but not those of a number with a power of ten.
    let place = number.isScientific ? number.lastPlace : ImportScaleSearch.place(decimals)
    let margin = value.magnitude * 1e-15
    for index in candidates.indices where candidates[index].isFit {
      let counts = ((value - candidates[index].shift) / candidates[index].step).rounded()
      let off = (counts * candidates[index].step + candidates[index].shift - value).magnitude
      let error = max(0, off - margin)
      if !number.isScientific { candidates[index].error = max(candidates[index].error, error) }
      candidates[index].anyError = max(candidates[index].anyError, error)
      if error > 0.5001 * place || counts < -32768 || counts > 32767 {
        candidates[index].isFit = false
      }
    }
  }

  private static func place(_ decimals: Int) -> Double {
    ImportDecimal(digits: 1, exponent: -decimals).value
  }

  /// The scale that the file names or that of a chip, if it reproduces every value.
  private var fitting: Candidate? {
    let place = ImportScaleSearch.place(decimals)
    guard count > 0 else { return nil }
    let fitting = candidates.filter { $0.isFit && $0.error <= 0.5001 * place }
    if let own = fitting.first(where: \.isOwn) { return own }
    // A step below the last digit reproduces any value.
    let fits = fitting.filter { $0.step > place }
    guard let coarsest = fits.map(\.step).max(), !isZero else { return nil }
    return fits.filter { $0.step > 0.98 * coarsest }.min { $0.anyError < $1.anyError }
  }

  /// The value furthest from 0.
  var extreme: Double { largest > -smallest ? largest : smallest }

  /// Whether every value is a count of 16 bits in such steps.
  func holds(_ step: Double) -> Bool {
    (smallest / step).rounded() >= -32768 && (largest / step).rounded() <= 32767
  }

  /// Whether every value is 0, which any scale reproduces.
  var isZero: Bool { count == 0 || (smallest == 0 && largest == 0) }

  /// Whether the values are known to be a chip's counts in this unit.
  var isProven: Bool {
    guard let fitting else { return false }
    return fitting.isOwn || (count >= 8 && fitting.step > 10 * ImportScaleSearch.place(decimals))
  }

  private func isWritable(_ scale: Fraction) -> Bool {
    ImportScale(scale: scale, offset: .zero, step: 1, shift: 0, source: .lattice)
      .isWritable(of: group)
  }

  /// The scale for the values.
  ///
  /// - Parameter forced: The scale that the user names; values are then rounded to it.
  func choose(forced: Fraction?) -> ImportScale {
    let one = unit.inLogUnits
    func scale(_ ratio: Fraction, _ source: ImportScale.Source, offset: Fraction = .zero)
      -> ImportScale
    {
      ImportScale(
        scale: ratio, offset: offset, step: ratio.value / one.value,
        shift: offset.value / one.value,
        source: source)
    }
    if let forced { return scale(forced, .given) }
    let step = isZero ? nil : lattice.step(from: smallest, to: largest)
    let place = ImportScaleSearch.place(decimals)
    if let candidate = fitting,
      candidate.isOwn || (step.map { candidate.step >= max($0.value, 4 * place) } ?? true)
    {
      return scale(
        candidate.scale, candidate.isOwn ? .file : .chip, offset: candidate.offset)
    }
    if isZero {
      return group == .temperature
        ? scale(Fraction(1, 100), .lattice) : scale(candidates[0].scale, .chip)
    }
    if group != .temperature, let step, let ratio = ImportRatio.product(step, one),
      isWritable(ratio)
    {
      return scale(ratio, .lattice)
    }
    if group == .temperature {
      // Whole thousandths of a degree on both sides of the middle value.
      let middle = ((smallest + largest) / 2).rounded()
      let span = max(largest - middle, middle - smallest)
      let offset = Fraction(Int64(max(-1e9, min(middle, 1e9))), 1)
      let finest = max(plainDecimals ?? 0, scientificDecimals?.upperBound ?? 0)
      let step = ImportScaleSearch.place(min(finest, 6))
      let isExact = finest <= 6 && span <= 32767 * step
      let ratio = isExact ? step : max(span / 32767, 1e-9)
      return scale(
        ImportRatio.nearest(to: ratio) ?? Fraction(1, 100), isExact ? .lattice : .finest,
        offset: offset)
    }
    // One count less than the ends: those are what a chip has of values beyond its range.
    let range = max(largest, -smallest) * one.value
    let ratio = ImportRatio.nearest(to: range / 32766)
    // Exports are in SI unless said otherwise: values below what those write are near 0.
    if !(ratio.map(isWritable) ?? false),
      let coarse = candidates.first(where: { isWritable($0.scale) && holds($0.step) })
    {
      return scale(coarse.scale, .finest)
    }
    return scale(ratio ?? Fraction(1, 1), .finest)
  }
}

/// The largest decimal step of which every value is a whole multiple.
struct ImportLattice {
  /// In 10^`exponent`; 0 while every value is 0.
  private var step: UInt64 = 0
  private var exponent = 0
  /// Whether the values have too many digits for any step.
  private var isLost = false

  mutating func add(_ number: ImportDecimal) {
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
    let power = ImportDecimal.wholePowers[abs(exponent)]
    let value = Double(step) * (exponent < 0 ? 1 / Double(power) : Double(power))
    guard least > -32768.5 * value, most < 32767.5 * value, step < 1 << 40 else { return nil }
    if exponent < 0 { return Fraction(Int64(step), over: power) }
    let (product, overflow) = Int64(step).multipliedReportingOverflow(by: power)
    return overflow ? nil : Fraction(product, over: 1)
  }
}

/// A scale with its effect on values: count = (value − shift) / step.
struct ImportScale: Equatable {
  /// Where it comes from.
  enum Source {
    case given
    case file
    case chip
    case lattice
    case finest
    /// The values are counts.
    case counts
  }

  /// In the units of logs.
  var scale: Fraction
  var offset: Fraction
  /// In the unit of the file.
  var step: Double
  var shift: Double
  var source: Source

  /// Whether exports can write values in this scale, in SI and in g, °/s.
  func isWritable(of group: ImportGroup) -> Bool {
    let channels: ChannelSet =
      switch group {
      case .accelerometer: .accelerometer
      case .gyroscope: .gyroscope
      case .temperature: .temperature
      }
    return ExportPlan.isWritable(channels, scale, offset: offset)
  }
}
