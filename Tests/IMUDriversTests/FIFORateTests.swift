// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Testing

@Suite("The rates of a FIFO")
struct FIFORateTests {
  /// The sentence that refuses a rate; empty when it is not refused.
  private func refusal(
    _ model: SensorModel, _ rate: SampleRate, _ channels: ChannelSet = .all,
    busClock: Int? = 400_000, isStamped: Bool = false
  ) -> String {
    var configuration = SensorConfiguration(
      rate: rate, accelerometerRange: model.accelerometerRanges[1],
      gyroscopeRange: model.gyroscopeRanges[1], channels: channels, busClock: busClock)
    (configuration.readsFIFO, configuration.stampsSamples) = (true, isStamped)
    return IMUDriversTests.refusal(configuration, model)
  }

  @Test("of an MPU-6050 are 1 kHz divided by 1 to 256")
  func divided() throws {
    let rates = SensorModel.mpu6050.fifoRates(channels: .all)
    #expect(rates.count == 256)
    #expect(rates.last == hertz(1000))
    #expect(rates.first == SampleRate(1000, per: 256))
    #expect(zip(rates, rates.dropFirst()).allSatisfy { $0.hertz < $1.hertz } as Bool)
    #expect(rates.contains(try #require(SampleRate(1000, per: 3))))
    // Of an ICM-20948 it is 1125 Hz.
    let others = SensorModel.icm20948.fifoRates(channels: .all)
    #expect(others == (1...256).reversed().map { SampleRate(1125, per: $0) })
  }

  @Test("of an LSM6DS are its output data rates; the LSM6DS3's gyroscope ends at 1666 Hz")
  func dataRates() throws {
    let all = [12.5, 26, 52, 104, 208, 416, 833, 1666, 3332, 6664]
    for model in [
      SensorModel.lsm6dsl, .lsm6dsm, .lsm6ds3trc, .lsm6dso, .lsm6dsox, .lsm6dso32, .lsm6dsr,
    ] {
      #expect(model.fifoRates(channels: .all).map(\.hertz) == all)
    }
    for model in [SensorModel.lsm6ds3, .lsm6ds33] {
      #expect(model.fifoRates(channels: .gyroscope).map(\.hertz) == all.dropLast(2))
      #expect(model.fifoRates(channels: .accelerometer).map(\.hertz) == all)
    }
    for model in [SensorModel.lsm6dsv, .lsm6dsv16x, .lsm6dsv32x] {
      #expect(
        model.fifoRates(channels: .all).map(\.hertz)
          == [7.5, 15, 30, 60, 120, 240, 480, 960, 1920, 3840, 7680])
    }
    #expect(SensorModel.lsm9ds1.fifoRates(channels: .all).isEmpty)
  }

  @Test("may be asked for as they are rounded to two decimals")
  func rounded() throws {
    let model = SensorModel.mpu6050
    for rate in model.fifoRates(channels: .all) {
      let hundredths = UInt32(rate.hertz * 100 + 0.5)
      let asked = try #require(SampleRate(hundredths, per: 100))
      #expect(model.fifoRate(asked, channels: .all) == rate)
      #expect(model.fifoRate(rate, channels: .all) == rate)
    }
    #expect(model.fifoRate(hertz(333), channels: .all) == nil)
    let third = try #require(SampleRate(decimal: "333.33"))
    var sensor = try started(FIFOBus(model), model, rate: third)
    let (rate, dataRate) = (sensor.rate, sensor.description.outputDataRate)
    #expect(rate == SampleRate(1000, per: 3))
    #expect(dataRate == 1000 / 3.0)
    sensor.restart()
  }

  @Test("that a chip lacks are refused with its nearest ones")
  func neighbours() throws {
    let grid = "--clock grid, which is clock = grid in the service's configuration"
    #expect(
      refusal(.mpu6050, hertz(700))
        == "the MPU-6050 has no 700 Hz in its FIFO: ask for 500 or 1000 Hz, or give \(grid)")
    #expect(
      refusal(.mpu6050, hertz(300))
        == "the MPU-6050 has no 300 Hz in its FIFO: ask for 250 or 333.33 Hz, or give \(grid)")
    #expect(
      refusal(.mpu6050, hertz(2000))
        == "the MPU-6050 has no 2000 Hz in its FIFO: ask for 1000 Hz")
    #expect(
      refusal(.mpu6050, hertz(1))
        == "the MPU-6050 has no 1 Hz in its FIFO: ask for 3.91 Hz, or give \(grid)")
    #expect(
      refusal(.icm20948, hertz(100))
        == "the ICM-20948 has no 100 Hz in its FIFO: ask for 93.75 or 102.27 Hz, or give \(grid)")
    #expect(
      refusal(.lsm6dso, hertz(400))
        == "the LSM6DSO has no 400 Hz in its FIFO: ask for 208 or 416 Hz, or give \(grid)")
    #expect(
      refusal(.lsm6ds3, hertz(3332), .gyroscope)
        == "the LSM6DS3 has no 3332 Hz in its FIFO: ask for 1666 Hz")
    #expect(
      refusal(.lsm9ds1, hertz(238))
        == "the LSM9DS1 cannot keep the time, because imulog does not read its FIFO: give \(grid)")
  }

  @Test("of a chip with a foreign identity are not known")
  func clone() throws {
    let error = try #require(throws: SensorError.self) {
      _ = try FIFOSensor(
        bus: FIFOBus(.mpu6050),
        identity: SensorIdentity(model: .mpu6050, address: I2CAddress(known: 0x68), identity: 0x72),
        configuration: SensorConfiguration(rate: hertz(500)))
    }
    #expect(
      error.description
        == "the chip answers 0x72, which no MPU-6050 does, so its FIFO is not trusted, and it "
        + "cannot keep the time: give --clock grid, which is clock = grid in the service's "
        + "configuration")
    #expect(error.exitStatus == .configuration)
  }

  @Test("that a bus of 400 kHz carries: 1 kHz, 1666 Hz with both sensors, 3332 Hz with one")
  func carried() {
    #expect(refusal(.mpu6050, hertz(1000)).isEmpty)
    #expect(refusal(.mpu6050, hertz(500), busClock: 100_000).isEmpty)
    for model in [SensorModel.lsm6dso, .lsm6dsl, .lsm6ds3, .lsm6dsr] {
      #expect(refusal(model, hertz(1666)).isEmpty)
      #expect(refusal(model, hertz(3332), .accelerometer).isEmpty)
      #expect(refusal(model, hertz(416), busClock: 100_000).isEmpty)
      #expect(refusal(model, hertz(1666), busClock: nil).isEmpty)
    }
    #expect(refusal(.lsm6dsr, hertz(3332), busClock: 1_000_000).isEmpty)
    #expect(refusal(.lsm6dsr, hertz(3332), busClock: nil).isEmpty)
    #expect(refusal(.lsm6dsv, hertz(1920)).isEmpty)
    #expect(refusal(.lsm6dsv, hertz(3840), .gyroscope).isEmpty)
  }

  @Test("that a bus of 1 MHz carries: all with one sensor, 6664 and 3840 Hz with both")
  func fastest() {
    #expect(refusal(.lsm6dsr, hertz(6664), busClock: 1_000_000).isEmpty)
    #expect(refusal(.lsm6dsv, hertz(3840), busClock: 1_000_000).isEmpty)
    #expect(refusal(.lsm6dsv, hertz(7680), .accelerometer, busClock: 1_000_000).isEmpty)
    #expect(
      refusal(.lsm6dsv, hertz(7680), busClock: 1_000_000).hasSuffix("; ask for 3840 Hz or less"))
    #expect(refusal(.lsm6dso, hertz(6664), .accelerometer).hasSuffix("; ask for 3332 Hz or less"))
  }

  @Test("of which time stamps leave fewer")
  func stamped() {
    #expect(refusal(.lsm6dso, hertz(1666), isStamped: true).isEmpty)
    let both = refusal(.lsm6dso, hertz(3332), isStamped: true)
    #expect(both.hasPrefix("3332 samples of 21 bytes a second and 50 drains take"))
    #expect(both.hasSuffix("ask for 1666 Hz or less"))
    let one = refusal(.lsm6dso, hertz(3332), .gyroscope, isStamped: true)
    #expect(one.hasSuffix("ask for 1666 Hz or less, or ask for no time stamps"))
    let slow = refusal(.mpu6050, hertz(1000), busClock: 100_000, isStamped: true)
    #expect(slow.hasSuffix("set the bus's clock to 400 kHz: `imulog boards ID` shows how"))
  }

  @Test("that a bus does not carry are refused with the arithmetic")
  func arithmetic() {
    #expect(
      refusal(.lsm6dso, hertz(3332))
        == "3332 samples of 14 bytes a second and 50 drains take 423732 bit times, 106 % of a bus "
        + "of 400 kHz, and at most 90 % can be used; ask for 1666 Hz or less")
    #expect(refusal(.lsm6dsr, hertz(3332)).contains("; set the bus's clock to 1000 kHz: "))
    #expect(
      refusal(.mpu6050, hertz(1000), busClock: 100_000)
        == "1000 samples of 14 bytes a second and 50 drains take 129900 bit times, 130 % of a bus "
        + "of 100 kHz, and at most 90 % can be used; set the bus's clock to 400 kHz: "
        + "`imulog boards ID` shows how")
    #expect(
      refusal(.lsm6dso, hertz(3332), busClock: nil)
        == refusal(.lsm6dso, hertz(3332), busClock: 400_000))
  }

  @Test("that a bus does not carry in blocks of 32 bytes are refused with that arithmetic")
  func blocks() throws {
    let bus = FIFOBus(.lsm6dso)
    bus.longestRead = 32
    let error = try #require(throws: SensorError.self) {
      _ = try FIFOSensor(
        bus: bus, identity: SensorIdentity(model: .lsm6dso, address: I2CAddress(known: 0x6A)),
        configuration: SensorConfiguration(
          rate: hertz(833), channels: [.accelerometer, .gyroscope], busClock: 125_000))
    }
    #expect(error.description.contains("50 drains in bursts of 28 bytes take 119"))
    #expect(error.description.contains("; set the bus's clock to 400 kHz: "))
  }

  @Test("give the filters of that rate")
  func filters() throws {
    for (model, rate, filter) in [
      (SensorModel.mpu6050, 1000, "DLPF_CFG 1: gyroscope 188 Hz, accelerometer 184 Hz"),
      (.mpu6050, 200, "DLPF_CFG 2: gyroscope 98 Hz, accelerometer 94 Hz"),
      (.lsm6dso, 416, "accelerometer ODR/2: 208 Hz, gyroscope LPF1 FTYPE 3: 137.1 Hz"),
      (.lsm6dso, 1666, "accelerometer ODR/2: 833 Hz, gyroscope LPF1 FTYPE 3: 453.2 Hz"),
      (.lsm6dsv, 1920, "accelerometer ODR/2: 960 Hz, gyroscope LPF2: 491 Hz"),
      (.lsm6dsv, 3840, "accelerometer ODR/2: 1920 Hz, gyroscope LPF2"),
      (.lsm6dsv, 7680, "gyroscope LPF2: 537 Hz"),
      (.lsm6dsl, 3332, "accelerometer ODR/2: 1666 Hz, gyroscope LPF1 FTYPE 3: 925 Hz"),
      (.lsm6dsl, 6664, "accelerometer ODR/2: 3332 Hz, gyroscope LPF1 FTYPE 3: 937 Hz"),
      (.lsm6dso, 3332, "accelerometer ODR/2: 1666 Hz, gyroscope LPF1 FTYPE 3: 559.2 Hz"),
      (.lsm6dsr, 6664, "accelerometer ODR/2: 3332 Hz, gyroscope LPF1 FTYPE 3: 609 Hz"),
    ] as [(SensorModel, UInt32, String)] {
      let sensor = try FIFOSensor(
        bus: FIFOBus(model), identity: SensorIdentity(model: model, address: model.addresses[0]),
        configuration: SensorConfiguration(
          rate: hertz(rate), channels: rate == 7680 ? .gyroscope : .all,
          busClock: rate > 1920 ? 1_000_000 : 400_000))
      let description = sensor.description
      #expect(description.filter == filter)
      #expect(description.outputDataRate == Double(rate))
    }
  }
}
