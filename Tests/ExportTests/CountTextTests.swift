// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import TestSupport
import Testing

@Suite("Texts of counts")
struct CountTextTests {
  struct Scale: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var channel: Int
    var fraction: Fraction
    var units: ExportUnits
    /// The unit's value of one count and of count 0.
    var step: Double
    var zero = 0.0
  }

  static let scales: [Scale] = {
    var scales: [Scale] = []
    func add(_ name: String, _ channel: Int, _ fraction: Fraction, _ factor: Double) {
      scales.append(
        Scale(
          testDescription: name + " si", channel: channel, fraction: fraction, units: .si,
          step: fraction.value * factor))
      scales.append(
        Scale(
          testDescription: name + " g-dps", channel: channel, fraction: fraction, units: .gDps,
          step: fraction.value))
    }
    for range in [2, 4, 8, 16] as [Int64] {
      add("MPU \(range) g", 0, Fraction(range, 32768), 9.80665)
      add("LSM6DS \(range) g", 1, Fraction(61 * range / 2, 1_000_000), 9.80665)
    }
    add("DSO32 32 g", 2, Fraction(976, 1_000_000), 9.80665)
    for rate in [Fraction(1, 131), Fraction(2, 131), Fraction(5, 164), Fraction(5, 82)] {
      add("MPU \(rate.value) dps", 3, rate, .pi / 180)
    }
    for micro in [4375, 8750, 17500, 35000, 70000, 140_000] as [Int64] {
      add("LSM6DS \(micro) udps", 4, Fraction(micro, 1_000_000), .pi / 180)
    }
    add("2049 counts a g", 0, Fraction(1, 2049), 9.80665)
    add("14.29 counts a dps", 5, Fraction(100, 1429), .pi / 180)
    add("one dps a count", 5, Fraction(1, 1), .pi / 180)
    add("a thousand g a count", 0, Fraction(1000, 1), 9.80665)
    add("a billion counts a g", 0, Fraction(1, 1_000_000_000), 9.80665)
    add("an upside-down sensor", 2, Fraction(-1, 16384), 9.80665)
    for (fraction, zero) in [(Fraction(1, 340), 36.53), (Fraction(1, 256), 25)] {
      scales.append(
        Scale(
          testDescription: "temperature \(fraction.denominator)", channel: 6, fraction: fraction,
          units: .si, step: fraction.value, zero: zero))
    }
    return scales
  }()

  @Test(
    "every count has its own text, plain and nearer to it than to its neighbours",
    arguments: CaseSelection.sample(12, of: scales))
  func allCounts(_ scale: Scale) throws {
    let found =
      switch (scale.channel, scale.units) {
      case (0...2, .si): CountScale(scale.fraction, times: .standardGravity, decimals: 6)
      case (3...5, .si): CountScale(scale.fraction, times: .radiansPerDegree, decimals: 6)
      case (6, _):
        CountScale(
          scale.fraction, plus: scale.zero == 25 ? Fraction(25, 1) : Fraction(3653, 100),
          decimals: 4)
      default: CountScale(scale.fraction, decimals: 6)
      }
    let texts = try #require(found)
    let unit = (0..<texts.decimals).reduce(1.0) { power, _ in power * 10 }
    var wrong: [String] = []
    for count in Int16.min...Int16.max {
      let (characters, length) = texts.text(of: count)
      let exact = Double(count) * scale.step + scale.zero
      // Nearer than half a step to its own value: no two counts can have the same text.
      guard let units = Self.units(characters, length, decimals: texts.decimals),
        abs(Double(units) / unit - exact) < abs(scale.step) / 2
      else {
        wrong.append("\(count)")
        continue
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5)), seed \(CaseSelection.seed)")
  }

  /// A text's value in units of its last decimal; `nil` unless it is `-?(0|[1-9]digits)(.digits)?` without
  /// trailing zeros but for `.0`, without a minus before zero, and short enough.
  ///
  /// Arithmetic alone: it runs three million times.
  private static func units(_ characters: UInt128, _ length: Int, decimals: Int) -> Int64? {
    guard length <= CountScale.longestText, characters >> UInt128(8 * length) == 0 else {
      return nil
    }
    var words = (
      UInt64(truncatingIfNeeded: characters), UInt64(truncatingIfNeeded: characters >> 64)
    )
    var (value, digits, kept, last): (Int64, Int, Int, UInt8) = (0, 0, -1, 0)
    var isNegative = false
    for index in 0..<length {
      let byte = UInt8(truncatingIfNeeded: words.0)
      words.0 = words.0 >> 8 | words.1 << 56
      words.1 >>= 8
      last = byte
      if byte == 0x2D, index == 0 {
        isNegative = true
      } else if byte == 0x2E, kept < 0, digits > 0 {
        kept = 0
      } else if byte >= 0x30, byte <= 0x39 {
        // A zero may be followed by a point only.
        if kept < 0, digits == 1, value == 0 { return nil }
        value = value * 10 + Int64(byte - 0x30)
        if kept < 0 { digits += 1 } else { kept += 1 }
      } else {
        return nil
      }
    }
    guard digits > 0, kept != 0, kept >= min(1, decimals), kept <= decimals else { return nil }
    if kept > 1, last == 0x30 { return nil }
    if isNegative, value == 0 { return nil }
    for _ in max(0, kept)..<decimals { value *= 10 }
    return isNegative ? -value : value
  }

  @Test("a value that rounds to zero has no minus sign")
  func zero() throws {
    let scale = try #require(CountScale(Fraction(1, 1), plus: Fraction(-1, 1_000_000), decimals: 4))
    let (characters, length) = scale.text(of: 0)
    #expect(length == 3)
    #expect(characters == 0x30_2E_30)
  }

  @Test("every count in raw units is itself")
  func rawCounts() throws {
    let counts = Array(Int16.min...Int16.max)
    let description = TestLog.description(channels: .temperature)
    let text = try TestLog.ramp(description, counts).export(
      ExportOptions(format: .csv, units: .raw))
    let values = text.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[1] }
    #expect(values == counts.map { Substring(String($0)) })
  }

  @Test("a scale without usable numbers is refused, and its counts can be exported")
  func unusableScale() throws {
    for fraction in [Fraction(0, 1), Fraction(.max, 1), Fraction(1, .max), Fraction(.min, 3)] {
      let log = try TestLog.ramp(TestLog.description(accelerometerScale: fraction), [1])
      let words = "the scale of the accelerometer in the recording's header, \(fraction.numerator)/"
      expectRefusal(words, .damagedData) { _ = try log.export(ExportOptions(format: .csv)) }
      let counts = try log.export(ExportOptions(format: .csv, units: .raw))
      #expect(counts.hasSuffix("0,1,1,1,1,1,1,1\n"))
      let gyro = try log.export(ExportOptions(format: .csv, units: .gDps, channels: .gyro))
      #expect(gyro.hasSuffix("0,0.007634,0.007634,0.007634\n"))
    }
  }
}
