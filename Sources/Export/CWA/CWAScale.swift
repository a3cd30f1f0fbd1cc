// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// How a sensor's counts become those of CWA, which knows only full scales by powers of two.
///
///     accelerometer   1 / 2^(8 + code) g a count      codes 3…6: ±16…±2 g
///     gyroscope       8000 / 2^code / 32768 °/s       codes 1…6: ±4000…±125 °/s
struct CWAScale: Equatable {
  /// Three bits of each sector.
  let code: UInt16
  /// Counts of CWA in one count of the recording.
  let factor: Double

  private init(code: UInt16, factor: Double) {
    (self.code, self.factor) = (code, factor)
  }

  /// The coarsest unit that is as fine as the recording's, within 0.1 %, and holds all its counts; where one is too large
  /// for it a coarser one. `nil` when none holds them.
  init?(ofAccelerometer scale: Fraction, counts: ClosedRange<Int>) {
    self.init(scale, counts, codes: 3...6) { 1 / Double(1 << (8 + $0)) }
  }

  init?(ofGyroscope scale: Fraction, counts: ClosedRange<Int>) {
    self.init(scale, counts, codes: 1...6) { 8000 / Double(1 << $0) / 32768 }
  }

  private init?(
    _ scale: Fraction, _ counts: ClosedRange<Int>, codes: ClosedRange<Int>, unit: (Int) -> Double
  ) {
    let first = codes.first { unit($0) <= scale.value.magnitude * 1.001 } ?? codes.upperBound
    for code in (codes.lowerBound...first).reversed() {
      let candidate = CWAScale(code: UInt16(code), factor: scale.value / unit(code))
      let ends = [counts.lowerBound, counts.upperBound].map { Double($0) * candidate.factor }
      if ends.allSatisfy({ $0.rounded() >= -32768 && $0.rounded() <= 32767 }) {
        self = candidate
        return
      }
    }
    return nil
  }

  /// Whether each count has one of its own, exactly.
  var isExact: Bool { factor >= 1 && factor.rounded() == factor }

  /// A count of CWA, rounded half away from zero; of counts beyond those that the scale was chosen for the nearest one.
  func count(_ count: Int16) -> Int16 {
    Int16(max(-32768, min(32767, (Double(count) * factor).rounded())))
  }
}
