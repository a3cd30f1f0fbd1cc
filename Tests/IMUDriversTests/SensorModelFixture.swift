// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

/// The data sheets' facts about each model, written down a second time to check the drivers' tables.
struct SensorModelFixture: Sendable, CustomTestStringConvertible {
  let model: SensorModel
  let name: String
  let identity: UInt8
  let isMPU: Bool
  /// In °/s; those of the accelerometer in g.
  let gyroscopeRanges: [Int]
  let accelerometerRanges: [Int]
  /// °C at the count beside it.
  let temperature: (count: Double, celsius: Double)

  var testDescription: String { name }

  static let lsm = [125, 250, 500, 1000, 2000]
  static let mpu = [250, 500, 1000, 2000]
  static let common = [2, 4, 8, 16]

  static let all: [SensorModelFixture] = [
    .init(.mpu6050, "MPU-6050", 0x68, true, mpu, common, (-521, 35)),
    .init(.mpu6500, "MPU-6500", 0x70, true, mpu, common, (3338.7, 31)),
    .init(.mpu9250, "MPU-9250", 0x71, true, mpu, common, (3338.7, 31)),
    .init(.mpu9255, "MPU-9255", 0x73, true, mpu, common, (3338.7, 31)),
    .init(.icm20689, "ICM-20689", 0x98, true, mpu, common, (3268, 35)),
    .init(.lsm6ds3, "LSM6DS3", 0x69, false, lsm, common, (160, 35)),
    .init(.lsm6ds33, "LSM6DS33", 0x69, false, lsm, common, (160, 35)),
    .init(.lsm6dsl, "LSM6DSL", 0x6A, false, lsm, common, (2560, 35)),
    .init(.lsm6dsm, "LSM6DSM", 0x6A, false, lsm, common, (2560, 35)),
    .init(.lsm6ds3trc, "LSM6DS3TR-C", 0x6A, false, lsm, common, (2560, 35)),
    .init(.lsm6dso, "LSM6DSO", 0x6C, false, lsm, common, (2560, 35)),
    .init(.lsm6dsox, "LSM6DSOX", 0x6C, false, lsm, common, (2560, 35)),
    .init(.lsm6dso32, "LSM6DSO32", 0x6C, false, lsm, [4, 8, 16, 32], (2560, 35)),
    .init(.lsm6dsr, "LSM6DSR", 0x6B, false, lsm + [4000], common, (2560, 35)),
  ]

  init(
    _ model: SensorModel, _ name: String, _ identity: UInt8, _ isMPU: Bool,
    _ gyroscopeRanges: [Int], _ accelerometerRanges: [Int],
    _ temperature: (count: Double, celsius: Double)
  ) {
    self.model = model
    self.name = name
    self.identity = identity
    self.isMPU = isMPU
    self.gyroscopeRanges = gyroscopeRanges
    self.accelerometerRanges = accelerometerRanges
    self.temperature = temperature
  }
}
