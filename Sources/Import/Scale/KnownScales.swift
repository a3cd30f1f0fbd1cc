// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// What one count means on the chips that are common, from their data sheets.
enum KnownScales {
  /// The scales of a group.
  static func scales(of group: Group) -> [Scale] {
    switch group {
    case .accelerometer: accelerometer.map { Scale(ratio: $0) }
    case .gyroscope: gyroscope.map { Scale(ratio: $0) }
    case .temperature: temperature
    }
  }

  /// g a count: 2 to 16 g of InvenSense's, Bosch's and Analog Devices' chips (1/16384 to 1/2048) and of Axivity's files
  /// (1/256 besides), of ST's LSM6DS (0.061 mg and its multiples) and LSM9DS1 (0.732 mg).
  static let accelerometer: [Fraction] =
    (0...6).map { Fraction(1, 16384 >> $0) } + [Fraction(61, 2_000_000)]
    + (0...4).map { Fraction(61 << Int64($0), 1_000_000) } + [Fraction(732, 1_000_000)]

  /// °/s a count: InvenSense's MPU (1/131 and on), ST's (4.375 m°/s and its multiples), and Bosch's, whose 32768 counts
  /// are 125 to 4000 °/s.
  static let gyroscope: [Fraction] =
    [Fraction(1, 131), Fraction(10, 655), Fraction(10, 328), Fraction(10, 164)]
    + (0...5).map { Fraction(4375 << Int64($0), 1_000_000) }
    + (0...5).map { Fraction(125 << Int64($0), 32768) }

  /// MPU-6050, MPU-6500, MPU-9250, ICM-20600; LSM6DSL and later, LSM6DS3 and LSM9DS1.
  private static let temperature: [Scale] = [
    Scale(ratio: Fraction(1, 340), offset: Fraction(3653, 100)),
    Scale(ratio: Fraction(100, 33387), offset: Fraction(21, 1)),
    Scale(ratio: Fraction(10, 3268), offset: Fraction(25, 1)),
    Scale(ratio: Fraction(1, 256), offset: Fraction(25, 1)),
    Scale(ratio: Fraction(1, 16), offset: Fraction(25, 1)),
  ]
}
