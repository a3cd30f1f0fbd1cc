// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel

extension MPU6050Profile {
  /// The self-test: RM-MPU-6000A 4.1 to 4.5 and PS-MPU-6000A 6.1 and 6.2 (±14 % of the trim).
  ///
  /// No document gives the bounds of the ratio for the MPU-6500, MPU-9250 and 9255; 0.5 to 1.5 are those of the maker's
  /// driver as users share it. The ICM-20689 has the same registers, and is assumed to have the same trim. No document says
  /// how long an answer takes: drivers wait 50 to 200 ms.
  @Sendable
  static func selfTest(_ model: SensorModel) -> SelfTestPlan {
    typealias Map = MPU6050Register
    let isFirst = model == .mpu6050
    let (accelerometer, gyroscope) = (model.accelerometer[isFirst ? 2 : 0], model.gyroscope[0])
    let off: RegisterList = [Map.gyroscope: gyroscope.code, Map.accelerometer: accelerometer.code]
    // Awake, all axes on, 1 kHz with a filter of about 94 Hz, no self-test, data-ready flagged.
    var setUp: RegisterList = [
      Map.power1: Map.clockFromGyroscope, Map.power2: 0x00, Map.configuration: 0x02,
      Map.sampleRateDivider: 0x00,
    ]
    setUp.append(off)
    if !isFirst { setUp.append(Map.accelerometer2, 0x02) }
    setUp.append(Map.interruptEnable, Map.dataReady)
    let pass = SelfTestPass(
      channels: 0..<6,
      place: SelfTestPass.Place(
        register: Map.interruptStatus.address, count: 15, ready: Map.dataReady,
        acceleration: 1, angularRate: 9, isBigEndian: true),
      // A sample in five: 20 of them last long enough for a movement to show.
      period: 5_000_000, count: 20, settle: 200_000_000, answer: 200_000_000,
      // All axes.
      on: [Map.gyroscope: gyroscope.code | 0xE0, Map.accelerometer: accelerometer.code | 0xE0],
      off: off)
    return SelfTestPlan(
      accelerometer: accelerometer, gyroscope: gyroscope,
      criterion: .trim(isFirst ? firstTrim : .later([0x0D, 0x0E, 0x0F, 0x00, 0x01, 0x02])),
      setUp: setUp, passes: [pass])
  }

  /// The MPU-6050's trim, of five bits an axis.
  ///
  ///     0D  XA[4:2] XG[4:0]     0E  YA[4:2] YG[4:0]     0F  ZA[4:2] ZG[4:0]     10  – – XA[1:0] YA[1:0] ZA[1:0]
  ///
  /// Acceleration in a range of 8 g: 4096·0.34·(0.92/0.34)^((n−1)/30) counts. Angular rate in one of 250 °/s:
  /// 25·131·1.046^(n−1), in Y negative.
  private static let firstTrim = FactoryTrim(
    registers: [0x0D, 0x0E, 0x0F, 0x10],
    codes: { bytes in
      let low = [bytes[3] >> 4, bytes[3] >> 2, bytes[3]]
      let accelerations = (0..<3).map { (axis: Int) -> Int in
        Int(bytes[axis] & 0xE0) >> 3 | Int(low[axis] & 3)
      }
      return accelerations + (0..<3).map { Int(bytes[$0] & 0x1F) }
    },
    largest: 31,
    response: { channel, code in
      let steps = Double(code - 1)
      guard channel >= 3 else { return 4096 * 0.34 * pow(0.92 / 0.34, steps / 30) }
      return (channel == 4 ? -25 : 25) * 131 * pow(1.046, steps)
    },
    ratio: 0.86...1.14, isSigned: true)
}

extension FactoryTrim {
  /// The successors' trim, of eight bits an axis, the accelerometer's first: 2620·1.01^(n−1) counts in the finest ranges.
  static func later(_ registers: [UInt8]) -> FactoryTrim {
    FactoryTrim(
      registers: registers, codes: { bytes in bytes.map { Int($0) } }, largest: 255,
      response: { _, code in 2620 * pow(1.01, Double(code - 1)) },
      ratio: 0.5...1.5, isSigned: false)
  }
}
