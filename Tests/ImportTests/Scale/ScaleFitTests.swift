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
    let ratio: Fraction
    var offset = Fraction.zero
    let origin: ScaleFit.Choice.Origin
    var stated: Scale?
  }

  static let cases = [
    // 16384 a g: −3, 8191, 16384, 5.
    Case(
      group: .accelerometer, unit: .g,
      values: "-0.00018310546875,0.49993896484375,1,0.00030517578125",
      ratio: Fraction(1, 16384), origin: .chip),
    // The same to six digits.
    Case(
      group: .accelerometer, unit: .g, values: "-0.000183,0.499939,1.000000,0.000305",
      ratio: Fraction(1, 16384), origin: .chip),
    // 8192 a g in m/s².
    Case(
      group: .accelerometer, unit: .metrePerSecondSquared, values: "0.0011971,-0.0035913,9.8054529",
      ratio: Fraction(1, 8192), origin: .chip),
    // As phyphox and NumPy write them, each with a power of ten.
    Case(
      group: .accelerometer, unit: .metrePerSecondSquared,
      values: "1.197100830E-03,-3.591302490E-03,9.805452899E+00,-9.806650000E+00",
      ratio: Fraction(1, 8192), origin: .chip),
    Case(
      group: .accelerometer, unit: .metrePerSecondSquared,
      values: "1.197100830078124930e-03,-2.035071411132812272e-02,9.816226806640624858e+00",
      ratio: Fraction(1, 8192), origin: .chip),
    // In mm/s²: 0.061 mg is 0.59820565 mm/s².
    Case(
      group: .accelerometer, unit: .milliMetrePerSecondSquared,
      values: "0.598206,-1.794617,9806.385220",
      ratio: Fraction(61, 1_000_000), origin: .chip),
    // 131 a °/s: 1, −262, 4585.
    Case(
      group: .gyroscope, unit: .degreePerSecond, values: "0.007634,-2,35", ratio: Fraction(1, 131),
      origin: .chip),
    // 16.4 a °/s in rad/s: 3, −50, 1640.
    Case(
      group: .gyroscope, unit: .radianPerSecond, values: "0.003192675,-0.053211258,1.745329252",
      ratio: Fraction(10, 164), origin: .chip),
    // A lattice of 1/256 m/s², as a BNO08x has.
    Case(
      group: .accelerometer, unit: .metrePerSecondSquared,
      values: "9.80078125,-0.00390625,0.01953125",
      ratio: Fraction(625, 1_569_064), origin: .lattice),
    // Of the file.
    Case(
      group: .gyroscope, unit: .degreePerSecond, values: "0.14,-0.21,3.5", ratio: Fraction(7, 100),
      origin: .file, stated: Scale(ratio: Fraction(7, 100))),
    // The file's does not fit: hundredths.
    Case(
      group: .gyroscope, unit: .degreePerSecond, values: "0.14,-0.22,3.51", ratio: Fraction(1, 100),
      origin: .lattice, stated: Scale(ratio: Fraction(7, 100))),
    Case(
      group: .temperature, unit: .degreeCelsius, values: "36.53,36.5888,36.18",
      ratio: Fraction(1, 340),
      offset: Fraction(3653, 100), origin: .chip),
    Case(
      group: .temperature, unit: .degreeCelsius, values: "21.031,23.007", ratio: Fraction(1, 1000),
      offset: Fraction(22, 1), origin: .lattice),
    Case(
      group: .gyroscope, unit: .degreePerSecond, values: "0,0.0", ratio: Fraction(1, 131),
      origin: .chip),
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
    #expect(choice.scale == Scale(ratio: item.ratio, offset: item.offset))
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
