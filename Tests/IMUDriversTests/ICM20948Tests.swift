// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import SimulatedIMU
import Testing

/// The driver's ICM-20948 against the data sheet: registers by number, and a chip simulated independently of it.
@Suite("An ICM-20948")
struct ICM20948Tests {
  private static let address = I2CAddress(known: 0x68)

  private let run = SimulatedRun(model: .icm20948, chip: .icm20948.ideal, address: address)

  @Test("scales, ranges and temperature are the data sheet's")
  func table() {
    let model = SensorModel.icm20948
    #expect(model.accelerometerRanges == [2, 4, 8, 16])
    #expect(model.gyroscopeRanges == [250, 500, 1000, 2000])
    #expect(
      [2, 4, 8, 16].map { model.accelerometerScale(range: $0)?.denominator }
        == [16384, 8192, 4096, 2048])
    #expect(
      [250, 500, 1000, 2000].map { model.gyroscopeScale(range: $0) }
        == [Fraction(1, 131), Fraction(10, 655), Fraction(10, 328), Fraction(10, 164)])
    #expect(model.temperature.offset == Fraction(21, 1))
    #expect(abs(3338.7 * model.temperature.scale.value - 10) < 1e-9)
  }

  @Test("ranges, filters and dividers are in the registers of bank 2, and bank 0 is selected again")
  func registers() throws {
    for (index, accelerometer) in [2, 4, 8, 16].enumerated() {
      for (code, gyroscope) in [250, 500, 1000, 2000].enumerated() {
        var configuration = SensorConfiguration(
          rate: hertz(100), accelerometerRange: accelerometer, gyroscopeRange: gyroscope)
        let (registers, description) = try run(configuration) { sensor, _ in
          let check = try sensor.checkConfiguration()
          #expect(check == .intact)
        }
        // DLPFCFG 3, the filter in use.
        #expect(registers[0x01] == 0x19 | UInt8(code) << 1)
        #expect(registers[0x14] == 0x19 | UInt8(index) << 1)
        #expect([0x00, 0x02, 0x09, 0x10, 0x11, 0x15].map { registers[$0] } == [0, 0, 1, 0, 0, 0])
        #expect(description.outputDataRate == 1125)
        #expect(description.filter == "ACCEL_DLPFCFG 3: 50.4 Hz, GYRO_DLPFCFG 3: 51.2 Hz")
        configuration.readsFIFO = true
        configuration.rate = try #require(SampleRate(1125, per: 201))
        let slow = try run(configuration)
        #expect([0x00, 0x10, 0x11].map { slow.registers[$0] } == [200, 0, 200])
        #expect(slow.description.outputDataRate == 1125 / 201.0)
        #expect(slow.description.filter == "ACCEL_DLPFCFG 6: 5.7 Hz, GYRO_DLPFCFG 6: 5.7 Hz")
      }
    }
  }

  @Test("acceleration, angular rate, temperature: high byte first, signed, up to both ends")
  func signs() throws {
    let bus = TraceBus.icm20948()
    var sensor = try broughtUp(bus, .icm20948)
    bus.forgetTrace()
    let bytes: [UInt8] = [
      0x80, 0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0x00, 0x01, 0x80, 0x01, 0xFF, 0x00, 0xFD, 0xF7,
    ]
    bus.registers.replaceSubrange(0x2D..<0x3B, with: bytes)
    var sample = RawSample()
    #expect(try sensor.read(into: &sample) == .fresh)
    #expect(
      sample
        == RawSample(ax: -32768, ay: 32767, az: -1, gx: 1, gy: -32767, gz: -256, temperature: -521))
    #expect(bus.trace == [.read(0x1A, 33)])
    #expect(sensor.evidence.isConfigured)
    // 0 proves nothing, and the flags of another register are no sample's.
    for (status, reading) in [(0x00, Reading.stale), (0x03, .doubtful), (0xFF, .doubtful)] {
      bus.beforeRead = { bus, _, _ in bus.registers[0x1A] = UInt8(status) }
      #expect(try sensor.read(into: &sample) == reading)
      #expect(!sensor.evidence.isConfigured)
    }
  }

  @Test("counts are those of a motion in each range")
  func counts() throws {
    let motion = Motion.steady(
      Motion.Truth(
        acceleration: SIMD3(0.25, -0.5, 1) * Motion.standardGravity,
        angularRate: SIMD3(10, -20, 40) * (Double.pi / 180), temperature: 36))
    for (range, rate, one, degree) in [(2, 250, 16384.0, 131.0), (16, 2000, 2048, 16.4)] {
      let configuration = SensorConfiguration(
        rate: hertz(100), accelerometerRange: range, gyroscopeRange: rate, busClock: 400_000)
      _ = try run(configuration, motion: motion) { sensor, clock in
        let sample = try SimulatedRun.sample(&sensor, clock)
        let expected = [0.25 * one, -0.5 * one, one, 10 * degree, -20 * degree, 40 * degree, 5008]
        #expect((0..<7).map { Int(sample[$0]) } == expected.map { Int($0.rounded()) })
      }
    }
  }

  @Test("each register flipped in each bit is noticed, in both banks")
  func flipped() throws {
    let bus = TraceBus.icm20948()
    var sensor = try broughtUp(bus, .icm20948, SensorConfiguration(rate: hertz(100)))
    bus.forgetTrace()
    #expect(try sensor.checkConfiguration() == .intact)
    #expect(bus.trace.count == 7 && bus.registers[0x7F] == 0)
    for (bank, registers) in [
      (0, [0x03, 0x05, 0x06, 0x07, 0x0F, 0x11, 0x66, 0x67, 0x69]),
      (2, [0x00, 0x01, 0x02, 0x09, 0x10, 0x11, 0x14, 0x15]),
    ] {
      for register in registers {
        for bit in 0..<8 {
          func flip() {
            if bank == 0 { bus.registers[register] ^= 1 << bit }
            if bank == 2 { bus.banks[2][register] ^= 1 << bit }
          }
          flip()
          let check = try sensor.checkConfiguration()
          guard case .lost(let lost, _, _) = check else {
            Issue.record("bank \(bank), \(register): \(check)")
            continue
          }
          #expect(lost == UInt8(bank == 0 ? register : 0x80 | register))
          flip()
        }
      }
    }
    bus.registers[0x00] = 0x68
    #expect(try sensor.checkConfiguration() == .foreign(identity: 0x68))
  }

  @Test("after a failure at transfer N of a check, for every N, no other bank is read for samples")
  func otherBank() throws {
    for number in 0..<10 {
      let bus = TraceBus.icm20948()
      var sensor = try broughtUp(bus, .icm20948)
      bus.registers.replaceSubrange(0x2D..<0x3B, with: (1...14).map { UInt8($0) })
      bus.forgetTrace()
      bus.failure = { $0 == number ? .timeout : nil }
      do {
        #expect(try sensor.checkConfiguration() == .intact)
        #expect(number >= 7)
      } catch {
        #expect(number < 7)
      }
      bus.failure = { _ in nil }
      var sample = RawSample()
      #expect(try sensor.read(into: &sample) == .fresh)
      #expect(sample.ax == 0x0102 && bus.registers[0x7F] == 0)
      #expect(try sensor.checkConfiguration() == .intact)
    }
  }

  @Test(
    "a chip that was left in another bank is brought up once it is asked for by name, and known then"
  )
  func leftBehind() throws {
    var bus = TraceBus.icm20948()
    try bus.write(bus.address, register: 0x7F, value: 0x20)
    bus.registers[0x00] = 0x0A
    #expect(throws: SensorError.self) { _ = try SensorIdentity.identify(on: &bus) }
    let asked = SensorChoice(model: .icm20948)
    let unknown = try SensorIdentity.identify(on: &bus, choice: asked)
    #expect(unknown.identity == 0x0A)
    var forced = try PolledSensor(
      bus: bus, identity: unknown, configuration: SensorConfiguration(rate: hertz(10)))
    _ = try bringUp(&forced)
    #expect(try forced.checkConfiguration() == .foreign(identity: 0xEA))
    #expect(
      try SensorIdentity.identify(on: &bus)
        == SensorIdentity(model: .icm20948, address: bus.address))
  }

  @Test(
    "packets are acceleration and angular rate, high byte first; the temperature is beside them",
    arguments: [
      ChannelSet.all, [.accelerometer, .gyroscope], .accelerometer, .gyroscope,
      [.gyroscope, .temperature],
    ])
  func packets(_ channels: ChannelSet) throws {
    let bus = FIFOBus(.icm20948)
    let before = bus.chip.beforeRead
    bus.chip.beforeRead = { chip, register, count in
      before(chip, register, count)
      if register == 0x39 { chip.registers.replaceSubrange(0x39...0x3A, with: [0xFE, 0x0C]) }
    }
    var sensor = try started(bus, .icm20948, channels)
    #expect(bus.chip.registers[0x03] == 0x40)
    #expect(
      bus.chip.registers[0x67]
        == (channels.contains(.accelerometer) ? 0x10 : 0)
        | (channels.contains(.gyroscope) ? 0x0E : 0))
    var bytes: [UInt8] = []
    for values in FIFODecodingTests.values {
      bytes += bigEndian(
        (0..<6).filter { channels.contains(ChannelSet(rawValue: 1 << $0)) }.map { values[$0] })
    }
    bus.fill(bytes, unit: 1)
    let expected = FIFODecodingTests.values.map { values in
      var sample = RawSample(temperature: channels.contains(.temperature) ? -500 : 0)
      for axis in 0..<6 where channels.contains(ChannelSet(rawValue: 1 << axis)) {
        sample[axis] = values[axis]
      }
      return sample
    }
    #expect(drained(&sensor) == .success(expected))
  }

  @Test("a count from 476 bytes on is an overrun, whether the FIFO has 512 bytes or 4096")
  func overrun() throws {
    let bus = FIFOBus(.icm20948)
    var sensor = try started(bus, .icm20948)
    let capacity = sensor.capacity
    #expect(capacity == 39)
    for (count, isOverrun) in [(12, false), (468, false), (476, true), (512, true), (4096, true)] {
      bus.statusBytes = [UInt8(count >> 8), UInt8(count & 0xFF), 0, 0]
      #expect(try sensor.readFill().isOverrun == isOverrun, "\(count)")
    }
    bus.statusBytes = [0x10, 0x01, 0, 0]
    #expect(throws: FIFOError.impossibleCount(4097)) { _ = try sensor.readFill() }
  }

  @Test("a rate that the chip or the bus lacks is refused with the arithmetic")
  func refusals() {
    #expect(
      refusal(SensorConfiguration(rate: hertz(1001)), .icm20948)
        == "the ICM-20948 can be polled at 1000 Hz at most, 1001 Hz was requested: its data rate is "
        + "1125 Hz, and a tick needs a tenth more than one sample; by its own clock it makes 562.5 or 1125 Hz"
    )
    #expect(
      refusal(SensorConfiguration(rate: hertz(400), busClock: 100_000), .icm20948)
        == "a 33-byte burst takes 327 bit times, 3.27 ms at 100 kHz, and 0.05 ms in the kernel: "
        + "301 Hz at most, 400 Hz was requested; set the bus's clock to 400 kHz: `imulog boards ID` "
        + "shows how")
  }
}
