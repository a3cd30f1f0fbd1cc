// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// How a sensor's counts become those of CWA, which knows only full scales by powers of two.
///
///     accelerometer   1 / 2^(8 + code) g a count      codes 3…6: ±16…±2 g
///     gyroscope       8000 / 2^code / 32768 °/s       codes 1…6: ±4000…±125 °/s
struct CWAScale {
  let code: UInt16
  /// Counts of CWA in one count of the recording.
  private let factor: Double

  /// - Throws: Where the scale is not positive, or the format does not hold the counts.
  init(of sensor: SensorDescription, ofChannel channel: Int, counts: ClosedRange<Int>)
    throws(ExportError)
  {
    let scale = sensor.scale(ofChannel: channel)
    guard scale.numerator > 0 else { throw .unusableScale(ofChannel: channel, sensor) }
    let found =
      channel < 3
      ? CWAScale(scale, counts, codes: 3...6) { 1 / Double(1 << (8 + $0)) }
      : CWAScale(scale, counts, codes: 1...6) { 8000 / Double(1 << $0) / 32768 }
    guard let found else {
      let held = channel < 3 ? "accelerations up to 16 g" : "angular rates up to 4000 deg/s"
      throw .refused(
        "cwa holds \(held), and the recording has larger ones",
        remedy: ExportError.choosePartOrFormat)
    }
    self = found
  }

  /// The coarsest unit that is as fine as the recording's, within 0.1 %, and holds all its counts; where one is too large
  /// for it a coarser one. `nil` when none holds them.
  private init?(
    _ scale: Fraction, _ counts: ClosedRange<Int>, codes: ClosedRange<Int>, unit: (Int) -> Double
  ) {
    let first = codes.first { unit($0) <= scale.value.magnitude * 1.001 } ?? codes.upperBound
    let code = (codes.lowerBound...first).last { code in
      [counts.lowerBound, counts.upperBound].allSatisfy {
        (-32768...32767).contains((Double($0) * (scale.value / unit(code))).rounded())
      }
    }
    guard let code else { return nil }
    (self.code, factor) = (UInt16(code), scale.value / unit(code))
  }

  /// Whether each count has one of its own, exactly.
  var isExact: Bool { factor >= 1 && factor.rounded() == factor }

  /// A count of CWA, rounded half away from zero; of counts beyond those that the scale was chosen for the nearest one.
  func count(_ count: Int16) -> Int16 {
    Int16(max(-32768, min(32767, (Double(count) * factor).rounded())))
  }
}
