// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

/// The driver's LSM9DS1 against the data sheet: registers by number, and a chip simulated independently of it.
@Suite("An LSM9DS1")
struct LSM9DS1Tests {
  private static let address = I2CAddress(known: 0x6A)

  private let run = SimulatedRun(model: .lsm9ds1, chip: .lsm9ds1.ideal, address: address)

  /// g, FS_XL, µg a count.
  private static let accelerations: [(Int, UInt8, Int64)] = [
    (2, 0, 61), (4, 2, 122), (8, 3, 244), (16, 1, 732),
  ]
  /// °/s, FS_G, µ°/s a count.
  private static let rotations: [(Int, UInt8, Int64)] = [
    (245, 0, 8750), (500, 1, 17500), (2000, 3, 70000),
  ]

  @Test(
    "each pair of ranges has the data sheet's codes and scales, and measures the motion")
  func ranges() throws {
    let (g, turning) = (SIMD3(0.31, -0.72, 1.13), SIMD3(11.5, -47.25, 123.0))
    let motion = Motion.steady(
      Motion.Truth(
        acceleration: g * Motion.standardGravity, angularRate: turning * (Double.pi / 180),
        temperature: 35))
    for (accelerometer, accelerometerCode, micro) in Self.accelerations {
      for (gyroscope, gyroscopeCode, microDegrees) in Self.rotations {
        let configuration = SensorConfiguration(
          rate: hertz(100), accelerometerRange: accelerometer, gyroscopeRange: gyroscope,
          busClock: 400_000)
        let (registers, description) = try run(configuration, motion: motion) { sensor, clock in
          let sample = try SimulatedRun.sample(&sensor, clock)
          for axis in 0..<3 {
            let counts = g[axis] * 1e6 / Double(micro)
            #expect(abs(Double(sample[axis]) - counts) <= 0.5)
            let turns = turning[axis] * 1e6 / Double(microDegrees)
            #expect(abs(Double(sample[axis + 3]) - turns) <= 0.5)
          }
          #expect(sample.temperature == 160)
        }
        #expect(registers[0x20] >> 3 & 3 == accelerometerCode)
        #expect(registers[0x10] >> 3 & 3 == gyroscopeCode)
        #expect(description.accelerometerScale == Fraction(micro, 1_000_000))
        #expect(description.gyroscopeScale == Fraction(microDegrees, 1_000_000))
        #expect(description.temperatureScale == Fraction(1, 16))
        #expect(description.temperatureOffset == Fraction(25, 1))
      }
    }
  }

  @Test("values beyond the registers saturate with their sign", arguments: [1.0, -1.0])
  func extremes(sign: Double) throws {
    let motion = Motion.steady(
      Motion.Truth(
        acceleration: SIMD3(30, -23.9, 16) * sign * Motion.standardGravity,
        angularRate: SIMD3(2400, -2200, 1) * sign * (Double.pi / 180)))
    let configuration = SensorConfiguration(
      rate: hertz(10), accelerometerRange: 16, gyroscopeRange: 2000)
    _ = try run(configuration, motion: motion) { sensor, clock in
      let sample = try SimulatedRun.sample(&sensor, clock)
      #expect(sample.ax == (sign > 0 ? 32767 : -32768))
      #expect(abs(Double(sample.ay) + sign * 32650) <= 1)
      #expect(abs(Double(sample.az) - sign * 21858) <= 1)
      #expect(sample.gx == (sign > 0 ? 32767 : -32768))
      #expect(abs(Double(sample.gy) + sign * 31429) <= 1)
      #expect(abs(Double(sample.gz) - sign * 14) <= 1)
    }
  }

  @Test(
    "both sensors run at the rate that leaves room for two bursts",
    arguments: [
      (10, 10_000, 14.9, 1), (10, 25_000, 59.5, 2), (10, 50_000, 119, 3), (10, 100_000, 238, 4),
      (10, 400_000, 476, 5), (432, 400_000, 476, 5), (433, 400_000, 952, 6),
      (865, 400_000, 952, 6),
    ] as [(UInt32, Int, Double, UInt8)])
  func dataRates(rate: UInt32, busClock: Int, dataRate: Double, code: UInt8) throws {
    let configuration = SensorConfiguration(rate: hertz(rate), busClock: busClock)
    let (registers, description) = try run(configuration)
    #expect(description.outputDataRate == dataRate)
    #expect(registers[0x10] >> 5 == code)
    #expect(registers[0x20] >> 5 == code)
  }

  @Test("filters suit the rate, and the description names them")
  func filters() throws {
    let (registers, description) = try run(
      SensorConfiguration(rate: hertz(100), busClock: 400_000))
    #expect(
      description.filter == "accelerometer BW_XL 3: 50 Hz, gyroscope LPF2 BW_G 1: 28 Hz")
    // BW_SCAL_ODR and BW_XL 3; OUT_SEL 2; BW_G 1.
    #expect(registers[0x20] & 0x07 == 0x07)
    #expect(registers[0x11] == 0x02)
    #expect(registers[0x10] & 0x03 == 0x01)
    let fast = try run(SensorConfiguration(rate: hertz(800), busClock: 400_000))
    #expect(fast.description.filter == "accelerometer BW_XL 0: 408 Hz, gyroscope LPF1: 100 Hz")
  }

  @Test("settings that the Sense HAT's own library left are overwritten")
  func afterItsLibrary() throws {
    let configuration = SensorConfiguration(rate: hertz(100), busClock: 400_000)
    let clean = try run(configuration)
    let mended = try run(
      configuration,
      before: { bus in
        // 119 Hz, 500 °/s, high-pass filter, 8 g; increment off.
        for (register, value) in [
          (UInt8(0x10), UInt8(0x69)), (0x11, 0x03), (0x12, 0x44), (0x13, 0x07), (0x20, 0x7B),
          (0x21, 0x05), (0x22, 0x00),
        ] {
          try bus.write(Self.address, register: register, value: value)
        }
      })
    #expect(mended.registers[0x10...0x13] == clean.registers[0x10...0x13])
    #expect(mended.registers[0x1E...0x23] == clean.registers[0x1E...0x23])
    #expect(mended.registers[0x22] == 0x44)
  }

  @Test("each sensor can be recorded alone, and a dip of the supply is noticed")
  func alone() throws {
    for channels in [ChannelSet.accelerometer, .gyroscope] {
      let configuration = SensorConfiguration(
        rate: hertz(100), channels: channels, busClock: 400_000)
      _ = try run(configuration, motion: .tumble) { sensor, clock in
        let sample = try SimulatedRun.sample(&sensor, clock)
        #expect((sample.ax != 0) == (channels == .accelerometer))
        #expect((sample.gy != 0) == (channels == .gyroscope))
        #expect(sample.temperature == 0)
        #expect(try sensor.checkConfiguration() == .intact)
      }
    }
    let clock = VirtualClock()
    var bus = SimulatedBus(clock: clock, chip: .lsm9ds1, address: Self.address)
    bus.inject(.brownOut, at: .time(MonotonicTime(nanoseconds: 1_000_000_000)))
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: .lsm9ds1, address: Self.address),
      configuration: SensorConfiguration(rate: hertz(10)))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
    clock.sleep(until: MonotonicTime(nanoseconds: 1_000_000_000))
    #expect(throws: BusError.self) { try sensor.checkConfiguration() }
    clock.advance(by: 20_000_000)
    #expect(try sensor.checkConfiguration() == .lost(register: 0x10, expected: 0x88, found: 0x00))
  }

  @Test("a rate or range that the chip or the bus lacks is refused with the arithmetic")
  func refusals() {
    #expect(
      refusal(SensorConfiguration(rate: hertz(866)), .lsm9ds1)
        == "the LSM9DS1 can be polled at 865 Hz at most, 866 Hz was requested: its fastest data rate "
        + "is 952 Hz, and a tick needs a tenth more than one sample")
    #expect(
      refusal(SensorConfiguration(rate: hertz(400), busClock: 100_000), .lsm9ds1)
        == "bursts of 13 and 12 bytes, and in one tick of 25 of 12 more, take 291 bit times, 2.91 ms "
        + "at 100 kHz, and 0.1 ms in the kernel: 332 Hz at most, 400 Hz was requested; set "
        + "dtparam=i2c_arm_baudrate=400000")
    #expect(
      refusal(SensorConfiguration(rate: hertz(10), gyroscopeRange: 1000), .lsm9ds1)
        == "the LSM9DS1's gyroscope has no range of 1000 dps; it has 245, 500 and 2000 dps")
  }
}
