// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import Text

@testable import Import

@Suite("Scales of values whose unit is stated")
struct ScaleFitTests {
  struct Case: Sendable {
    let group: Group
    let unit: Unit
    let values: String
    let scale: Scale
    let origin: ScaleFit.Choice.Origin
    let stated: Scale?

    init(
      _ group: Group, _ unit: Unit, _ values: String, _ ratio: Fraction,
      _ origin: ScaleFit.Choice.Origin = .chip, offset: Fraction = .zero, stated: Fraction? = nil
    ) {
      (self.group, self.unit, self.values, self.origin) = (group, unit, values, origin)
      (scale, self.stated) = (Scale(ratio: ratio, offset: offset), stated.map { Scale(ratio: $0) })
    }
  }

  static let cases = [
    // 16384 a g: −3, 8191, 16384, 5; and the same to six digits.
    Case(
      .accelerometer, .g, "-0.00018310546875,0.49993896484375,1,0.00030517578125",
      Fraction(1, 16384)),
    Case(.accelerometer, .g, "-0.000183,0.499939,1.000000,0.000305", Fraction(1, 16384)),
    // 8192 a g in m/s²; and as phyphox and NumPy write them, each with a power of ten.
    Case(
      .accelerometer, .metrePerSecondSquared, "0.0011971,-0.0035913,9.8054529", Fraction(1, 8192)),
    Case(
      .accelerometer, .metrePerSecondSquared,
      "1.197100830E-03,-3.591302490E-03,9.805452899E+00,-9.806650000E+00", Fraction(1, 8192)),
    Case(
      .accelerometer, .metrePerSecondSquared,
      "1.197100830078124930e-03,-2.035071411132812272e-02,9.816226806640624858e+00",
      Fraction(1, 8192)),
    // In mm/s²: 0.061 mg is 0.59820565 mm/s².
    Case(
      .accelerometer, .milliMetrePerSecondSquared, "0.598206,-1.794617,9806.385220",
      Fraction(61, 1_000_000)),
    // 131 a °/s: 1, −262, 4585. 16.4 a °/s in rad/s: 3, −50, 1640.
    Case(.gyroscope, .degreePerSecond, "0.007634,-2,35", Fraction(1, 131)),
    Case(
      .gyroscope, .radianPerSecond, "0.003192675,-0.053211258,1.745329252", Fraction(10, 164)),
    // A lattice of 1/256 m/s², as a BNO08x has.
    Case(
      .accelerometer, .metrePerSecondSquared, "9.80078125,-0.00390625,0.01953125",
      Fraction(625, 1_569_064), .lattice),
    // Of the file; and where the file's does not fit, hundredths.
    Case(
      .gyroscope, .degreePerSecond, "0.14,-0.21,3.5", Fraction(7, 100), .file,
      stated: Fraction(7, 100)),
    Case(
      .gyroscope, .degreePerSecond, "0.14,-0.22,3.51", Fraction(1, 100), .lattice,
      stated: Fraction(7, 100)),
    Case(
      .temperature, .degreeCelsius, "36.53,36.5888,36.18", Fraction(1, 340),
      offset: Fraction(3653, 100)),
    Case(.temperature, .degreeCelsius, "21.031,23.007", Fraction(1, 1000), .lattice),
    Case(.gyroscope, .degreePerSecond, "0,0.0", Fraction(1, 131)),
  ]

  private static func fit(_ item: Case) -> ScaleFit {
    var fit = ScaleFit(item.group, item.unit, stated: item.stated)
    for number in numbers(item.values) { fit.add(number) }
    return fit
  }

  private static func numbers(_ values: String) -> [Decimal] {
    values.split(separator: ",").compactMap { text in
      Array(text.utf8).withUnsafeBytes {
        if case .number(let number) = DecimalField($0) { number } else { nil }
      }
    }
  }

  @Test("are those that reproduce what is written", arguments: cases.indices)
  func found(_ index: Int) {
    let item = ScaleFitTests.cases[index]
    let choice = ScaleFitTests.fit(item).choose(given: nil)
    #expect(choice.scale == item.scale)
    #expect(choice.origin == item.origin)
    #expect(choice.scale.isHeld)
    let numbers = ScaleFitTests.numbers(item.values)
    for number in numbers {
      let count = ((number.value - choice.shift) / choice.step).rounded()
      #expect(
        (count * choice.step + choice.shift - number.value).magnitude <= 0.5001
          * max(number.lastPlace, 1e-6))
    }
  }

  @Test(
    "are the finest that hold all values, which have more digits than 16 bits")
  func finest() {
    var fit = ScaleFit(.accelerometer, .g, stated: nil)
    for number in ScaleFitTests.numbers("0.123456789123,-1.999999912345,0.700000000001") {
      fit.add(number)
    }
    let choice = fit.choose(given: nil)
    #expect(choice.origin == .finest)
    #expect((1.999999912345 / choice.step).rounded() == 32766)
  }

  @Test("are not taken where exports could not write them")
  func held() {
    #expect(Scale(ratio: Fraction(1, 16384)).isHeld)
    #expect(!Scale(ratio: Fraction(1, 100_000_000_000)).isHeld)
    #expect(!Scale(ratio: Fraction(10_000_000, 1)).isHeld)
    #expect(!Scale(ratio: Fraction(1, 1_000_000_000), offset: Fraction(1000, 1)).isHeld)
  }
}
