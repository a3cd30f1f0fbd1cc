// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Configurations")
struct SensorConfigurationTests {
  @Test("4 g and 500 dps unless given")
  func defaults() {
    let configuration = SensorConfiguration(rate: hertz(10))
    #expect(configuration.accelerometerRange == 4)
    #expect(configuration.gyroscopeRange == 500)
    #expect(configuration.channels == .all)
    for model in SensorModel.allCases { #expect(refusal(configuration, model).isEmpty) }
  }

  @Test("a range that the chip lacks is refused with those it has")
  func ranges() {
    #expect(
      refusal(SensorConfiguration(rate: hertz(10), accelerometerRange: 32), .mpu6050)
        == "the MPU-6050's accelerometer has no range of 32 g; it has 2, 4, 8 and 16 g")
    #expect(
      refusal(SensorConfiguration(rate: hertz(10), accelerometerRange: 2), .lsm6dso32)
        == "the LSM6DSO32's accelerometer has no range of 2 g; it has 4, 8, 16 and 32 g")
    #expect(
      refusal(SensorConfiguration(rate: hertz(10), gyroscopeRange: 4000), .lsm6dso)
        == "the LSM6DSO's gyroscope has no range of 4000 dps; it has 125, 250, 500, 1000 and 2000 dps"
    )
  }

  @Test("a rate that the bus cannot carry is refused with the arithmetic and the setting")
  func busTooSlow() {
    #expect(
      refusal(SensorConfiguration(rate: hertz(1000), busClock: 100_000), .mpu6050)
        == "an 18-byte burst takes 192 bit times, 1.92 ms at 100 kHz, and 0.05 ms in the "
        + "kernel: 507 Hz at most, 1000 Hz was requested; "
        + "set the bus's clock to 400 kHz: `imulog boards ID` shows how")
    #expect(
      refusal(SensorConfiguration(rate: hertz(500), busClock: 100_000), .lsm6dso)
        == "a burst of 14 bytes, and in one tick of 2 of 7 more, take 203 bit times, 2.03 ms at "
        + "100 kHz, and 0.05 ms in the kernel: 480 Hz at most, 500 Hz was requested; "
        + "set the bus's clock to 400 kHz: `imulog boards ID` shows how"
    )
    #expect(
      refusal(SensorConfiguration(rate: hertz(400), busClock: 100_000), .lsm6ds3)
        == "bursts of 2, 12 and 3 bytes, and in one tick of 3 of 6 and 3 more, take 290 bit times, 2.90 ms at "
        + "100 kHz, and 0.15 ms in the kernel: 327 Hz at most, 400 Hz was requested; "
        + "set the bus's clock to 400 kHz: `imulog boards ID` shows how"
    )
    #expect(refusal(SensorConfiguration(rate: hertz(507), busClock: 100_000), .mpu6050).isEmpty)
    #expect(!refusal(SensorConfiguration(rate: hertz(508), busClock: 100_000), .mpu6050).isEmpty)
    #expect(refusal(SensorConfiguration(rate: hertz(480), busClock: 100_000), .lsm6dso).isEmpty)
    #expect(!refusal(SensorConfiguration(rate: hertz(481), busClock: 100_000), .lsm6dso).isEmpty)
    #expect(refusal(SensorConfiguration(rate: hertz(1000), busClock: 400_000), .lsm6dso).isEmpty)
    #expect(refusal(SensorConfiguration(rate: hertz(1000)), .lsm6dso).isEmpty)
  }

  @Test("a rate that the chip cannot be polled at is refused with the reason")
  func chipTooSlow() {
    #expect(
      refusal(SensorConfiguration(rate: hertz(2000)), .mpu6050)
        == "the MPU-6050 can be polled at 1000 Hz at most, 2000 Hz was requested: its accelerometer "
        + "samples 1000 times a second; by its own clock it makes 1000 Hz")
    #expect(
      refusal(SensorConfiguration(rate: hertz(1001)), .lsm6dso)
        == "the LSM6DSO can be polled at 1000 Hz at most, 1001 Hz was requested: it would need a data "
        + "rate of 3333 Hz, 0.30 ms a sample, and a 16-byte burst takes 0.44 ms at 400 kHz; by its own "
        + "clock it makes 833 or 1666 Hz")
  }

  @Test(
    "bit times of bursts",
    arguments: [(2, 48), (6, 84), (12, 138), (14, 156), (28, 282), (32, 318)])
  func bitTimes(byteCount: Int, bits: Int) {
    #expect(BusTiming.bits(ofBurst: byteCount) == bits)
  }

  @Test("a bus carries the rate that the wire, further bursts and the kernel allow")
  func busRates() {
    #expect(BusTiming.maximumRate(.mpu6050, busClock: 100_000) == 507)
    #expect(BusTiming.maximumRate(.mpu6050, busClock: 400_000) == 1886)
    #expect(BusTiming.maximumRate(.lsm9ds1, busClock: 100_000) == 332)
    #expect(BusTiming.maximumRate(.lsm6dso, busClock: 100_000) == 480)
    #expect(BusTiming.maximumRate(.lsm6dso, busClock: 400_000) == 1793)
    #expect(BusTiming.maximumRate(.lsm6dsl, busClock: 100_000) == 327)
    #expect(BusTiming.maximumRate(.lsm6dsl, busClock: 400_000) == 1142)
    #expect(BusTiming.bits(ofTick: .lsm6dso) == 156)
    #expect(BusTiming.bits(ofTick: .lsm6dsv) == 156)
    #expect(BusTiming.bits(ofTick: .lsm6dsl) == 243)
    #expect(BusTiming.bits(ofTick: .lsm9ds1) == 285)
  }
}
