// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Bring-up")
struct BringUpTests {
  @Test("an MPU-6050 is reset, woken, configured, read back and left to settle, in this order")
  func mpu6050Order() throws {
    let bus = TraceBus.mpu6050()
    var sensor = try polled(bus, .mpu6050)
    let waits = try bringUp(&sensor)
    #expect(
      bus.trace == [
        .read(0x75, 1), .write(0x6B, 0x80), .read(0x6B, 1), .read(0x6B, 1),
        .write(0x6B, 0x01), .read(0x6B, 1),
        .write(0x6C, 0x00), .write(0x1A, 0x06), .write(0x19, 0x00), .write(0x1B, 0x08),
        .write(0x1C, 0x08), .write(0x37, 0x20), .write(0x38, 0x01),
        .read(0x19, 1), .read(0x1A, 1), .read(0x1B, 1), .read(0x1C, 1), .read(0x37, 1),
        .read(0x38, 1), .read(0x6B, 1), .read(0x6C, 1),
      ] + Array(repeating: [.read(0x37, 1), .read(0x38, 1)], count: 6).joined()
        + [.read(0x37, 18), .read(0x37, 18)])
    #expect(
      waits == [5_000_000, 2_000_000, 5_000_000] + Array(repeating: 10_000_000, count: 6)
        + [1_100_000, 1_100_000])
  }

  @Test("an LSM6DSO is kept from I3C before and after its reset, and its data rates are set last")
  func lsm6dsoOrder() throws {
    let bus = TraceBus.lsm6ds()
    bus.hasReplacingFIFO()
    var sensor = try polled(
      bus, .lsm6dso, SensorConfiguration(rate: hertz(100), busClock: 400_000))
    let waits = try bringUp(&sensor)
    let setUp: [TraceBus.Transfer] = [
      .read(0x0F, 1), .write(0x01, 0x00), .write(0x18, 0xE2), .write(0x11, 0x00),
      .write(0x15, 0x00), .write(0x10, 0x60), .write(0x12, 0x01), .read(0x12, 1), .read(0x12, 1),
      .write(0x01, 0x00), .write(0x18, 0xE2), .write(0x12, 0x44), .write(0x13, 0x02),
      .write(0x15, 0x05), .write(0x17, 0x20), .write(0x10, 0x6A), .write(0x11, 0x64),
      // Two words, continuous, limited.
      .write(0x07, 0x02), .write(0x08, 0x80), .write(0x09, 0x66), .write(0x0A, 0x06),
      .read(0x01, 1), .read(0x07, 1), .read(0x08, 1), .read(0x09, 1), .read(0x0A, 1),
      .read(0x10, 1), .read(0x11, 1), .read(0x12, 1), .read(0x13, 1),
      .read(0x15, 1), .read(0x17, 1), .read(0x18, 1),
    ]
    let turnOnReads = [TraceBus.Transfer](repeating: .read(0x10, 1), count: waits.count - 4)
    let first: [TraceBus.Transfer] = [
      .read(0x20, 2), .read(0x0F, 1), .read(0x01, 1), .read(0x07, 4), .read(0x10, 9),
      .read(0x78, 14), .read(0x78, 14),
    ]
    #expect(bus.trace == setUp + turnOnReads + first)
    #expect(waits[0] == 50_000)
    #expect(waits[1] == 1_000_000)
    let turnOn = waits.dropFirst(2).dropLast(2)
    #expect(waits[waits.count - 2] == 5_552_883)
    #expect((70_000_000...110_000_000).contains(turnOn.reduce(0, +)))
    #expect(turnOn.allSatisfy { $0 <= 10_000_000 })
    #expect(waits.last == 2_644_230)
  }

  @Test("an LSM6DSL has no I3C to disable, an LSM6DS3 has axes to enable")
  func generations() throws {
    for (model, identity, control9) in [
      (SensorModel.lsm6dsl, UInt8(0x6A), [UInt8]()), (.lsm6ds3, 0x69, [0x38]),
    ] {
      let bus = TraceBus.lsm6ds(identity: identity)
      _ = try broughtUp(bus, model)
      let written = bus.trace.compactMap { transfer -> UInt8? in
        if case .write(0x18, let value) = transfer { return value }
        return nil
      }
      #expect(written == control9)
      #expect(bus.trace.contains(.write(0x19, 0x38)) == (model == .lsm6ds3))
    }
  }

  @Test("a chip that ignores the first wake-up is woken again after 100 ms")
  func ignoredWakeUp() throws {
    let bus = TraceBus.mpu6050()
    let store = bus.onWrite
    var ignored = 0
    bus.onWrite = { bus, register, value in
      if register == 0x6B, value == 0x01, ignored < 2 {
        ignored += 1
      } else {
        store(bus, register, value)
      }
    }
    var sensor = try polled(bus, .mpu6050)
    let waits = try bringUp(&sensor)
    #expect(waits.filter { $0 == 100_000_000 }.count == 2)
  }

  @Test("bring-up stops after three attempts to wake a chip, and the error names the register")
  func neverWakes() throws {
    let bus = TraceBus.mpu6050()
    let store = bus.onWrite
    bus.onWrite = { bus, register, value in
      if register != 0x6B || value & 0x80 != 0 { store(bus, register, value) }
    }
    var sensor = try polled(bus, .mpu6050)
    let error = bringUpError(&sensor)
    #expect(bus.trace.filter { $0 == .write(0x6B, 0x01) }.count == 3)
    #expect(
      error
        == .readBack(
          .mpu6050, address: bus.address, MPU6050Register.power1, written: 0x01, read: 0x40))
  }

  @Test("bring-up stops after about 100 ms when a reset does not end", arguments: [true, false])
  func endlessReset(isMPU: Bool) throws {
    let fixture = SensorModelFixture.all[isMPU ? 0 : 10]
    let bus =
      isMPU ? TraceBus.mpu6050(resetReads: .max) : TraceBus.lsm6ds(resetReads: .max)
    var sensor = try polled(bus, fixture.model)
    var waited: Int64 = 0
    let error = try #require(throws: SensorError.self) {
      while case .wait(let nanoseconds) = try sensor.bringUp() { waited += nanoseconds }
    }
    guard case .resetUnfinished = error else { throw error }
    #expect((40_000_000...110_000_000).contains(waited))
  }

  @Test("nothing is written to a chip with another identity", arguments: SensorModelFixture.all)
  func foreignIdentity(fixture: SensorModelFixture) throws {
    let bus = TraceBus.chip(fixture)
    bus.registers[fixture.isMPU ? 0x75 : 0x0F] = 0x42
    var sensor = try polled(bus, fixture.model)
    #expect(
      bringUpError(&sensor)
        == .foreignIdentity(
          fixture.model, address: bus.address, expected: fixture.identity, found: 0x42))
    #expect(bus.trace == [.read(fixture.isMPU ? 0x75 : 0x0F, 1)])
  }

  @Test("a forced model is brought up on a chip with another identity, which the description keeps")
  func forcedModel() throws {
    var bus = TraceBus.mpu6050(identity: 0x72)
    let identity = try SensorIdentity.identify(on: &bus, choice: SensorChoice(model: .mpu6500))
    var sensor = try PolledSensor(
      bus: bus, identity: identity, configuration: SensorConfiguration(rate: hertz(10)))
    _ = try bringUp(&sensor)
    #expect(sensor.description.model == "MPU-6500")
    #expect(sensor.description.identity == 0x72)
    #expect(try sensor.checkConfiguration() == .intact)
  }

  @Test("waits from power-on to the first sample stay near the data sheets' times")
  func startUpBudget() throws {
    for fixture in SensorModelFixture.all {
      for rate: UInt32 in [1, 10, 50, 100, 250, 500, 1000] {
        let bus = TraceBus.chip(fixture)
        if !fixture.isMPU { bus.hasReplacingFIFO() }
        var sensor = try polled(bus, fixture.model, SensorConfiguration(rate: hertz(rate)))
        let total = try bringUp(&sensor).reduce(0, +)
        // Gyroscopes: 60 or 70 ms; an LSM6DS at 1666 Hz has 135 samples, 81 ms, more to discard.
        let asked: Int64 = fixture.isMPU ? 60_000_000 : rate > 500 ? 151_000_000 : 70_000_000
        #expect(total >= asked)
        // A FIFO is left alone for more than two samples: 11 ms at 208 Hz.
        #expect(total <= asked + (fixture.isMPU ? 50_000_000 : 66_000_000))
      }
    }
  }

  @Test("a chip that gives no samples is reported after a limited wait")
  func noSamples() throws {
    let bus = TraceBus.mpu6050()
    bus.beforeRead = { _, _, _ in }
    var sensor = try polled(bus, .mpu6050)
    let error = bringUpError(&sensor)
    #expect(error == .noSamples(.mpu6050, address: bus.address, MPU6050Register.interruptStatus))
  }

  @Test("after bring-up there is nothing more to do, and the bus can be released")
  func ready() throws {
    let bus = TraceBus.lsm6ds()
    var sensor = try broughtUp(bus, .lsm6dso)
    let transfers = bus.trace.count
    #expect(try sensor.bringUp() == .ready)
    #expect(bus.trace.count == transfers)
    let returned = sensor.releaseBus()
    #expect(returned === bus)
  }
}
