// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Data rates and filters")
struct DataRateTests {
  private func mpu(_ model: SensorModel, _ rate: UInt32) throws -> (TraceBus, SensorDescription) {
    let bus = TraceBus.mpu6050(identity: model.identity)
    return (bus, try broughtUp(bus, model, SensorConfiguration(rate: hertz(rate))).description)
  }

  private func lsm(
    _ model: SensorModel, _ rate: UInt32, _ busClock: Int?, _ channels: ChannelSet = .all
  ) throws -> (TraceBus, SensorDescription) {
    let bus = TraceBus.lsm6ds(identity: model.identity)
    let configuration = SensorConfiguration(
      rate: hertz(rate), channels: channels, busClock: busClock)
    return (bus, try broughtUp(bus, model, configuration).description)
  }

  @Test(
    "an MPU-6050's filter is the widest of about half the rate",
    arguments: [
      (1, 6), (10, 6), (18, 6), (20, 5), (40, 4), (80, 3), (100, 3), (180, 2), (200, 2), (400, 1),
      (500, 1),
    ] as [(UInt32, UInt8)])
  func mpu6050Filter(rate: UInt32, code: UInt8) throws {
    let (bus, description) = try mpu(.mpu6050, rate)
    #expect(bus.registers[0x1A] == code)
    #expect(bus.registers[0x19] == 0)
    #expect(description.outputDataRate == 1000)
  }

  @Test("above 500 Hz an MPU-6050 runs at 2 kHz, its successors at 8 kHz")
  func fast() throws {
    let (old, oldDescription) = try mpu(.mpu6050, 1000)
    #expect(old.registers[0x1A] == 0)
    #expect(old.registers[0x19] == 3)
    #expect(oldDescription.outputDataRate == 2000)
    #expect(oldDescription.filter == "DLPF_CFG 0: gyroscope 256 Hz, accelerometer 260 Hz")
    let (new, newDescription) = try mpu(.mpu6500, 1000)
    #expect(new.registers[0x1A] == 0)
    #expect(new.registers[0x1D] == 0)
    #expect(newDescription.outputDataRate == 8000)
  }

  @Test("the accelerometer's own filter is set where there is one; otherwise FF_THR is not written")
  func ownFilter() throws {
    for (model, rate, code) in [
      (SensorModel.mpu6500, UInt32(10), UInt8(6)), (.mpu9250, 100, 3), (.mpu9255, 500, 1),
      (.icm20689, 1000, 7), (.icm20689, 500, 1), (.icm20689, 10, 6),
    ] {
      let (bus, _) = try mpu(model, rate)
      #expect(bus.registers[0x1D] == code)
    }
    let (bus, _) = try mpu(.mpu6050, 10)
    #expect(!bus.trace.contains { $0.register == 0x1D })
  }

  @Test(
    "an LSM6DS leaves 2 ms, or the time of two bursts, between updates, and is faster than it is polled",
    arguments: [
      (10, 400_000, 416), (378, 400_000, 416), (379, 400_000, 833), (500, 400_000, 833),
      (757, 400_000, 833), (758, 400_000, 1666), (1000, 400_000, 1666), (10, 100_000, 208),
      (100, 100_000, 208), (200, 100_000, 416), (10, nil, 208), (250, nil, 416),
      (400, nil, 833), (1000, nil, 1666), (10, 10_000, 26),
    ] as [(UInt32, Int?, Double)])
  func lsm6dsDataRate(rate: UInt32, busClock: Int?, dataRate: Double) throws {
    let (bus, description) = try lsm(.lsm6dso, rate, busClock)
    #expect(description.outputDataRate == dataRate)
    let code: [Double: UInt8] = [26: 2, 208: 5, 416: 6, 833: 7, 1666: 8]
    #expect(bus.registers[0x10] >> 4 == code[dataRate])
    #expect(bus.registers[0x11] >> 4 == code[dataRate])
  }

  @Test("LSM6DS filters suit the rate")
  func lsm6dsFilters() throws {
    let cases: [(SensorModel, UInt32, [Int: UInt8], String)] = [
      // ODR/45 and FTYPE 6 settle soon enough; narrower ones do not.
      (
        .lsm6dso, 10, [0x10: 0x6A, 0x13: 0x02, 0x15: 0x06, 0x17: 0x60],
        "accelerometer LPF2 ODR/45: 9.24 Hz, gyroscope LPF1 FTYPE 6: 24.6 Hz"
      ),
      (
        .lsm6dsr, 500, [0x10: 0x7A, 0x13: 0x02, 0x15: 0x00, 0x17: 0x00],
        "accelerometer LPF2 ODR/4: 208.25 Hz, gyroscope LPF1 FTYPE 0: 239.2 Hz"
      ),
      (
        .lsm6dsl, 100, [0x10: 0x68, 0x13: 0x02, 0x15: 0x02, 0x17: 0xC8],
        "accelerometer LPF2 ODR/9: 46.22 Hz, gyroscope LPF1 FTYPE 2: 121 Hz"
      ),
      (
        .lsm6dsl, 400, [0x10: 0x7A, 0x13: 0x02, 0x15: 0x01, 0x17: 0x00],
        "accelerometer LPF1 ODR/4: 208.25 Hz, gyroscope LPF1 FTYPE 1: 195 Hz"
      ),
      (
        .lsm6ds3, 100, [0x10: 0x6B, 0x13: 0x81, 0x15: 0x00, 0x17: 0x00],
        "accelerometer BW_XL 3: 50 Hz, gyroscope LPF1 off"
      ),
    ]
    for (model, rate, registers, words) in cases {
      let (bus, description) = try lsm(model, rate, 400_000)
      for (register, value) in registers { #expect(bus.registers[register] == value) }
      #expect(description.filter == words)
    }
  }

  @Test("an LSM6DS's gyroscope has the widest filter of about half the rate that settles soon")
  func gyroscopeFilters() throws {
    // Rates at which the next filter begins, FTYPE and bandwidth: LSM6DSL data sheet, table 68 (from 833 Hz on); LSM6DSO data
    // sheet, table "Gyroscope LPF1 bandwidth selection".
    let cases: [(SensorModel, Int, [(UInt32, Int, String)])] = [
      (.lsm6dsl, 100_000, [(10, 3, "67"), (121, 3, "67"), (122, 0, "67")]),
      (
        .lsm6dsl, 400_000,
        [
          (10, 2, "121"), (239, 1, "131"), (251, 0, "138"), (379, 1, "195"), (446, 0, "245"),
          (533, 3, "293"), (758, 0, "315"), (918, 0, "315"), (919, 3, "505"),
        ]
      ),
      (.lsm6dso, 100_000, [(10, 6, "23.1"), (79, 5, "43.2"), (114, 4, "62.4"), (122, 0, "67")]),
      (
        .lsm6dso, 400_000,
        [
          (87, 6, "24.6"), (88, 5, "48"), (158, 4, "86.7"), (219, 2, "120.3"), (238, 1, "130.5"),
          (249, 0, "136.6"), (250, 3, "137.1"), (379, 1, "192.4"), (435, 0, "239.2"),
          (513, 3, "281.8"), (758, 0, "304.2"), (824, 3, "453.2"),
        ]
      ),
    ]
    for (model, busClock, rows) in cases {
      for (rate, code, bandwidth) in rows {
        let filter = try lsm(model, rate, busClock, .gyroscope).1.filter
        #expect(filter == "gyroscope LPF1 FTYPE \(code): \(bandwidth) Hz", "\(model) at \(rate) Hz")
      }
    }
  }

  @Test("bandwidths are rounded to hundredths of a hertz")
  func bandwidths() throws {
    for (rate, busClock, words) in [
      (UInt32(50), 100_000, "accelerometer LPF2 ODR/9: 23.11 Hz"),
      (30, 400_000, "accelerometer LPF2 ODR/50: 8.32 Hz"),
      (10, 10_000, "accelerometer LPF1 ODR/4: 6.5 Hz"),
    ] {
      let (_, description) = try lsm(.lsm6dsl, rate, busClock, .accelerometer)
      #expect(description.filter == words)
    }
  }

  @Test("an unused gyroscope stays off; an unused accelerometer shows its noise at 2 g")
  func oneSensor() throws {
    let (bus, description) = try lsm(.lsm6dso, 100, 400_000, .accelerometer)
    #expect(bus.registers[0x11] == 0)
    #expect(description.filter == "accelerometer LPF2 ODR/10: 41.6 Hz")
    let (other, gyroscope) = try lsm(.lsm6dso, 100, 400_000, .gyroscope)
    #expect(other.registers[0x10] == 0x60)
    #expect(!gyroscope.filter.contains("accelerometer"))
  }
}
