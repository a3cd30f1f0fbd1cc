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
    let (registers, description) = try run(SensorConfiguration(rate: hertz(100), busClock: 400_000))
    #expect(description.filter == "accelerometer BW_XL 3: 50 Hz, gyroscope LPF2 BW_G 1: 28 Hz")
    // BW_SCAL_ODR and BW_XL 3; OUT_SEL 2; BW_G 1.
    #expect(registers[0x20] & 0x07 == 0x07)
    #expect(registers[0x11] == 0x02)
    #expect(registers[0x10] & 0x03 == 0x01)
    let fast = try run(SensorConfiguration(rate: hertz(800), busClock: 400_000))
    #expect(fast.description.filter == "accelerometer BW_XL 0: 408 Hz, gyroscope LPF1: 100 Hz")
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
        + "the bus's clock to 400 kHz: `imulog boards ID` shows how")
    #expect(
      refusal(SensorConfiguration(rate: hertz(10), gyroscopeRange: 1000), .lsm9ds1)
        == "the LSM9DS1's gyroscope has no range of 1000 dps; it has 245, 500 and 2000 dps")
  }
}
