// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

/// What the data sheet says of a chip, by register number.
struct STChip: Sendable, CustomTestStringConvertible {
  let run: SimulatedRun
  /// g, code, µg a count.
  let accelerations: [(Int, UInt8, Int64)]
  /// °/s, code, µ°/s a count.
  let rotations: [(Int, UInt8, Int64)]
  /// The codes of both ranges among the registers.
  let codes: @Sendable ([UInt8]) -> [UInt8]
  /// Counts of the temperature a degree.
  let perDegree: Int64
  /// Beyond the widest ranges in X, within them else, in g and °/s; and the counts of Y and Z.
  let extremes: (g: SIMD3<Double>, turning: SIMD3<Double>, counts: [Double])
  /// What another program left, the registers that it could change, and that of the increment.
  let leftovers: [(register: UInt8, value: UInt8)]
  let changed: [ClosedRange<Int>]
  let increment: Int
  /// What a dip of the supply loses first.
  let loss: ConfigurationCheck

  var testDescription: String { run.model.name }

  static let lsm6dsv = STChip(
    run: SimulatedRun(model: .lsm6dsv, chip: .lsm6dsv.ideal, address: I2CAddress(known: 0x6B)),
    accelerations: [(2, 0, 61), (4, 1, 122), (8, 2, 244), (16, 3, 488)],
    rotations: [
      (125, 0, 4375), (250, 1, 8750), (500, 2, 17500), (1000, 3, 35000), (2000, 4, 70000),
      (4000, 12, 140_000),
    ],
    codes: { [$0[0x17] & 3, $0[0x15] & 0x0F] }, perDegree: 256,
    extremes: (SIMD3(17, -15.9, 8), SIMD3(4600, -4000, 1), [-32582, 16393, -28571, 7]),
    // Low power, increment off, masked flags, offsets, self-test.
    leftovers: [
      (0x10, 0x56), (0x11, 0x54), (0x12, 0x00), (0x13, 0x08), (0x15, 0x74), (0x17, 0xE3),
      (0x18, 0x0B), (0x19, 0x05),
    ],
    changed: [0x01...0x01, 0x10...0x19], increment: 0x12,
    loss: .lost(register: 0x07, expected: 0x02, found: 0x00))

  static let lsm9ds1 = STChip(
    run: SimulatedRun(model: .lsm9ds1, chip: .lsm9ds1.ideal, address: I2CAddress(known: 0x6A)),
    accelerations: [(2, 0, 61), (4, 2, 122), (8, 3, 244), (16, 1, 732)],
    rotations: [(245, 0, 8750), (500, 1, 17500), (2000, 3, 70000)],
    codes: { [$0[0x20] >> 3 & 3, $0[0x10] >> 3 & 3] }, perDegree: 16,
    extremes: (SIMD3(30, -23.9, 16), SIMD3(2400, -2200, 1), [-32650, 21858, -31429, 14]),
    // As the Sense HAT's library does: 119 Hz, 500 °/s, high-pass filter, 8 g; increment off.
    leftovers: [
      (0x10, 0x69), (0x11, 0x03), (0x12, 0x44), (0x13, 0x07), (0x20, 0x7B), (0x21, 0x05),
      (0x22, 0x00),
    ],
    changed: [0x10...0x13, 0x1E...0x23], increment: 0x22,
    loss: .lost(register: 0x10, expected: 0xA8, found: 0x00))
}

/// The drivers against the data sheets: registers by number, and chips simulated independently of them.
@Suite("An LSM6DSV or LSM9DS1")
struct STChipTests {
  private static let chips = [STChip.lsm6dsv, .lsm9ds1]

  private func motion(_ g: SIMD3<Double>, _ turning: SIMD3<Double>) -> Motion {
    .steady(
      Motion.Truth(
        acceleration: g * Motion.standardGravity, angularRate: turning * (Double.pi / 180),
        temperature: 35))
  }

  @Test(
    "each pair of ranges has the data sheet's codes and scales, and measures the motion",
    arguments: chips)
  func ranges(chip: STChip) throws {
    let (g, turning) = (SIMD3(0.31, -0.72, 1.13), SIMD3(11.5, -47.25, 123.0))
    for (accelerometer, accelerometerCode, micro) in chip.accelerations {
      for (gyroscope, gyroscopeCode, microDegrees) in chip.rotations {
        let configuration = SensorConfiguration(
          rate: hertz(100), accelerometerRange: accelerometer, gyroscopeRange: gyroscope,
          busClock: 400_000)
        let (registers, description) = try chip.run(
          configuration, motion: motion(g, turning)
        ) { sensor, clock in
          let sample = try SimulatedRun.sample(&sensor, clock)
          for axis in 0..<3 {
            let counts = g[axis] * 1e6 / Double(micro)
            #expect(abs(Double(sample[axis]) - counts) <= 0.5)
            let turns = turning[axis] * 1e6 / Double(microDegrees)
            #expect(abs(Double(sample[axis + 3]) - turns) <= 0.5)
          }
          #expect(Int64(sample.temperature) == 10 * chip.perDegree)
        }
        #expect(chip.codes(registers) == [accelerometerCode, gyroscopeCode])
        #expect(description.model == chip.run.model.name)
        #expect(description.accelerometerScale == Fraction(micro, 1_000_000))
        #expect(description.gyroscopeScale == Fraction(microDegrees, 1_000_000))
        #expect(description.temperatureScale == Fraction(1, chip.perDegree))
        #expect(description.temperatureOffset == Fraction(25, 1))
      }
    }
  }

  @Test("values beyond the registers saturate with their sign", arguments: chips, [1.0, -1.0])
  func extremes(chip: STChip, sign: Double) throws {
    let (g, turning, counts) = chip.extremes
    let configuration = SensorConfiguration(
      rate: hertz(10), accelerometerRange: 16, gyroscopeRange: chip.rotations.last?.0 ?? 0)
    _ = try chip.run(configuration, motion: motion(g * sign, turning * sign)) { sensor, clock in
      let sample = try SimulatedRun.sample(&sensor, clock)
      #expect([sample.ax, sample.gx].allSatisfy { $0 == (sign > 0 ? 32767 : -32768) })
      for (channel, count) in zip([1, 2, 4, 5], counts) {
        #expect(abs(Double(sample[channel]) - sign * count) <= 1)
      }
    }
  }

  @Test("settings that another program left are overwritten", arguments: chips)
  func afterAnotherProgram(chip: STChip) throws {
    let configuration = SensorConfiguration(rate: hertz(100), busClock: 400_000)
    let clean = try chip.run(configuration).registers
    let mended = try chip.run(
      configuration,
      before: { bus in
        for (register, value) in chip.leftovers {
          try bus.write(chip.run.address, register: register, value: value)
        }
      }
    ).registers
    for range in chip.changed { #expect(mended[range] == clean[range]) }
    #expect(mended[chip.increment] == 0x44)
  }

  @Test("each sensor can be recorded alone, and a dip of the supply is noticed", arguments: chips)
  func alone(chip: STChip) throws {
    for channels in [ChannelSet.accelerometer, .gyroscope] {
      let configuration = SensorConfiguration(
        rate: hertz(100), channels: channels, busClock: 400_000)
      let (registers, _) = try chip.run(configuration, motion: .tumble) { sensor, clock in
        let sample = try SimulatedRun.sample(&sensor, clock)
        #expect((sample.ax != 0) == (channels == .accelerometer))
        #expect((sample.gy != 0) == (channels == .gyroscope))
        #expect(sample.temperature == 0)
        #expect(try sensor.checkConfiguration() == .intact)
      }
      guard chip.run.model == .lsm6dsv else { continue }
      #expect(registers[0x11] == (channels == .gyroscope ? 0x08 : 0x00))
    }
    let clock = VirtualClock()
    let address = chip.run.address
    var bus = SimulatedBus(clock: clock, chip: chip.run.chip, address: address)
    bus.inject(.brownOut, at: .time(MonotonicTime(nanoseconds: 1_000_000_000)))
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: chip.run.model, address: address),
      configuration: SensorConfiguration(rate: hertz(10), busClock: 400_000))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
    clock.sleep(until: MonotonicTime(nanoseconds: 1_000_000_000))
    #expect(throws: BusError.self) { try sensor.checkConfiguration() }
    clock.advance(by: 20_000_000)
    #expect(try sensor.checkConfiguration() == chip.loss)
  }
}
