// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension ICM20948 {
  /// As of an MPU-9250, with the codes in bank 1 (DS-000189, sections 9.1 to 9.6).
  @Sendable
  static func selfTest(_ model: SensorModel) -> SelfTestPlan {
    let (acceleration, rate) = (model.accelerometer[0], model.gyroscope[0])
    // Awake, all axes on, 1125 Hz with a filter of some 110 Hz, no self-test, data-ready flagged.
    let setUp: RegisterList = [
      power1: 0x01, power2: 0x00, lowPower: 0x00, gyroscope: 0x11 | rate.code, gyroscope2: 0x00,
      accelerometer: 0x11 | acceleration.code, accelerometer2: 0x00, gyroscopeDivider: 0x00,
      accelerometerDivider1: 0x00, accelerometerDivider2: 0x00, interruptEnable: 0x01,
    ]
    let pass = SelfTestPass(
      channels: 0..<6,
      place: SelfTestPass.Place(
        register: status.address, count: 33, ready: 0x01, acceleration: 19, angularRate: 25,
        isBigEndian: true),
      period: 5_000_000, count: 20, settle: 200_000_000, answer: 200_000_000,
      on: [gyroscope2: 0x38, accelerometer2: 0x1C], off: [gyroscope2: 0x00, accelerometer2: 0x00])
    let codes: [UInt8] = [0x0E, 0x0F, 0x10, 0x02, 0x03, 0x04]
    return SelfTestPlan(
      accelerometer: acceleration, gyroscope: rate,
      criterion: .trim(.later(codes.map { Register(bank: 1, $0, "SELF_TEST").address })),
      setUp: setUp, passes: [pass])
  }
}
