// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Export
@testable import Import

@Suite("Scales that exports can write")
struct ScaleHeldTests {
  /// From steps far below those of chips to far above, and both sides of the bounds.
  static let ratios: [Fraction] =
    [Fraction(1, 16384), Fraction(61, 1_000_000), Fraction(10, 655), Fraction(2000, 32768)]
    + (0...12).map {
      Fraction(
        1,
        Int64([1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000][$0 % 8])
          * ($0 < 8 ? 1 : 10_000))
    }
    + [Fraction(1_000_000, 1), Fraction(1, 10_000_000_000), Fraction(3, 29_000_000_000)]

  private func isWritten(_ ratio: Fraction, offset: Fraction = .zero, of channels: [Int]) -> Bool {
    let sensor = TestLog.description(
      accelerometerScale: ratio, gyroscopeScale: ratio, temperatureScale: ratio,
      temperatureOffset: offset
    ).sensor
    return channels.allSatisfy { channel in
      [ExportUnits.si, .gDps].allSatisfy { ExportPlan.scale(ofChannel: channel, $0, sensor) != nil }
    }
  }

  @Test("are written by exports in every unit", arguments: ratios)
  func held(_ ratio: Fraction) {
    guard Scale(ratio: ratio).isHeld else { return }
    #expect(isWritten(ratio, of: [0, 3, 6]), "\(ratio)")
  }

  @Test("with an offset are those of temperatures that exports write")
  func offsets() {
    for offset in [Fraction(3653, 100), Fraction(25, 1), Fraction(-40, 1), Fraction(100_000, 1)] {
      for ratio in ScaleHeldTests.ratios where Scale(ratio: ratio, offset: offset).isHeld {
        #expect(isWritten(ratio, offset: offset, of: [6]), "\(ratio) \(offset)")
      }
    }
  }
}
