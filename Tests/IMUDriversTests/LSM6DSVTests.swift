// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

/// The driver's LSM6DSV against the data sheet: registers by number, and a chip simulated independently of it.
@Suite("An LSM6DSV")
struct LSM6DSVTests {
  private static let address = I2CAddress(known: 0x6B)
  private let run = SimulatedRun(model: .lsm6dsv, chip: .lsm6dsv.ideal, address: address)

  @Test("an LSM6DSV32X that is declared has twice the range in the same codes")
  func declared() throws {
    let model = SensorModel.lsm6dsv32x
    #expect(model.accelerometerRanges == [4, 8, 16, 32])
    #expect(model.accelerometerScale(range: 32) == Fraction(976, 1_000_000))
    #expect(model.gyroscopeRanges == SensorModel.lsm6dsv16x.gyroscopeRanges)
    let clock = VirtualClock()
    let bus = SimulatedBus(clock: clock, chip: .lsm6dsv, address: Self.address)
    var sensor = try PolledSensor(
      bus: bus, identity: SensorIdentity(model: model, address: Self.address),
      configuration: SensorConfiguration(rate: hertz(10), accelerometerRange: 32))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
    var back = sensor.releaseBus()
    #expect(try back.read(Self.address, register: 0x17) & 3 == 3)
  }

  @Test("its FIFO takes both sensors at their rate")
  func fifoRates() throws {
    let clock = VirtualClock()
    var sensor = try FIFOSensor(
      bus: SimulatedBus(clock: clock, chip: .lsm6dsv, address: Self.address),
      identity: SensorIdentity(model: .lsm6dsv, address: Self.address),
      configuration: SensorConfiguration(rate: hertz(480), busClock: 400_000))
    while case .wait(let nanoseconds) = try sensor.bringUp() { clock.advance(by: nanoseconds) }
    try sensor.startFIFO()
    var back = sensor.releaseBus()
    #expect(try back.read(Self.address, register: 0x09) == 0x88)
  }

  @Test(
    "both sensors run at the rate that leaves room for two bursts",
    arguments: [
      (5, 2_500, 7.5, 2), (10, 5_000, 15, 3), (10, 10_000, 30, 4), (10, 25_000, 60, 5),
      (10, 50_000, 120, 6), (218, 100_000, 240, 7), (219, 100_000, 480, 8), (10, 400_000, 480, 8),
      (436, 400_000, 480, 8), (437, 400_000, 960, 9), (872, 400_000, 960, 9),
      (872, 1_000_000, 960, 9),
    ] as [(UInt32, Int, Double, UInt8)])
  func dataRates(rate: UInt32, busClock: Int, dataRate: Double, code: UInt8) throws {
    let configuration = SensorConfiguration(rate: hertz(rate), busClock: busClock)
    let (registers, description) = try run(configuration)
    #expect(description.outputDataRate == dataRate)
    // High performance, [6:4], and the rate.
    #expect(registers[0x10] == code)
    #expect(registers[0x11] == code)
  }

  @Test(
    "filters suit the rate, and the description names them",
    arguments: [
      (10, "accelerometer LPF2 ODR/45: 10.67 Hz, gyroscope LPF1_G_BW 6: 28.4 Hz", 0x62, 1, 0x61, 8),
      (100, "accelerometer LPF2 ODR/10: 48 Hz, gyroscope LPF1_G_BW 6: 28.4 Hz", 0x62, 1, 0x21, 8),
      (250, "accelerometer LPF2 ODR/4: 120 Hz, gyroscope LPF1_G_BW 2: 131 Hz", 0x22, 1, 0x01, 8),
      (436, "accelerometer LPF2 ODR/4: 120 Hz, gyroscope LPF2: 187 Hz", 0x02, 0, 0x01, 8),
      (872, "accelerometer LPF2 ODR/4: 240 Hz, gyroscope LPF2: 342 Hz", 0x02, 0, 0x01, 8),
    ] as [(UInt32, String, UInt8, UInt8, UInt8, UInt8)])
  func filters(
    rate: UInt32, words: String, control6: UInt8, control7: UInt8, control8: UInt8, control9: UInt8
  ) throws {
    let (registers, description) = try run(
      SensorConfiguration(rate: hertz(rate), busClock: 400_000))
    #expect(description.filter == words)
    #expect(Array(registers[0x15...0x18]) == [control6, control7, control8, control9])
  }

  @Test("at 16 g the filter leaves enough noise to show that a chip at rest is not stuck")
  func coarseRange() throws {
    for rate: UInt32 in [1, 10, 40] {
      let (registers, description) = try run(
        SensorConfiguration(rate: hertz(rate), accelerometerRange: 16, busClock: 400_000))
      #expect(description.filter.hasPrefix("accelerometer LPF2 ODR/20: 24 Hz"))
      #expect(registers[0x17] == 0x43)
    }
  }

  @Test("a rate or range that the chip or the bus lacks is refused with the arithmetic")
  func refusals() {
    #expect(
      refusal(SensorConfiguration(rate: hertz(873)), .lsm6dsv)
        == "the LSM6DSV can be polled at 872 Hz at most, 873 Hz was requested: it would need a data rate "
        + "of 1920 Hz, 0.52 ms a sample, and where the registers are read twice the bursts of a tick take "
        + "0.78 ms at 400 kHz; by its own clock it makes 480 or 960 Hz")
    #expect(
      refusal(SensorConfiguration(rate: hertz(500), busClock: 100_000), .lsm6dsv16x)
        == "a burst of 14 bytes, and in one tick of 2 of 7 more, take 203 bit times, 2.03 ms "
        + "at 100 kHz, and 0.05 ms in the kernel: 480 Hz at most, 500 Hz was requested; set "
        + "the bus's clock to 400 kHz: `imulog boards ID` shows how")
    #expect(
      refusal(SensorConfiguration(rate: hertz(10), accelerometerRange: 32), .lsm6dsv)
        == "the LSM6DSV's accelerometer has no range of 32 g; it has 2, 4, 8 and 16 g")
  }
}
