// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import Testing

@Suite("Checking the configuration")
struct ConfigurationCheckTests {
  @Test("each register flipped in each bit is noticed", arguments: SensorModelFixture.all)
  func flipped(fixture: SensorModelFixture) throws {
    let bus = TraceBus.chip(fixture)
    var sensor = try broughtUp(bus, fixture.model, SensorConfiguration(rate: hertz(100)))
    let written = bus.writtenRegisters
    bus.forgetTrace()
    #expect(try sensor.checkConfiguration() == .intact)
    #expect(bus.trace.count <= 4)
    for register in written {
      let value = bus.registers[Int(register)]
      for bit in 0..<8 {
        let found = value ^ (1 << bit)
        bus.registers[Int(register)] = found
        let check = try sensor.checkConfiguration()
        #expect(check == .lost(register: register, expected: value, found: found))
      }
      bus.registers[Int(register)] = value
    }
    bus.registers[fixture.isMPU ? 0x75 : 0x0F] = 0x00
    #expect(try sensor.checkConfiguration() == .foreign(identity: 0x00))
  }

  @Test("a brown-out is noticed, and bring-up repairs it", arguments: SensorModelFixture.all)
  func brownOut(fixture: SensorModelFixture) throws {
    let bus = TraceBus.chip(fixture)
    var sensor = try broughtUp(bus, fixture.model)
    bus.registers = TraceBus.chip(fixture).registers
    let check = try sensor.checkConfiguration()
    guard case .lost = check else {
      Issue.record("\(check)")
      return
    }
    sensor.restart()
    _ = try bringUp(&sensor)
    #expect(try sensor.checkConfiguration() == .intact)
  }

  @Test("one corrupted byte does not count as a lost configuration")
  func garbled() throws {
    for (register, offset) in [(UInt8(0x75), 0), (0x19, 1), (0x6B, 0)] {
      let bus = TraceBus.mpu6050()
      var sensor = try broughtUp(bus, .mpu6050)
      let place = Int(register) + offset
      let value = bus.registers[place]
      var isGarbled = false
      bus.beforeRead = { bus, first, _ in
        guard first == register, !isGarbled else { return }
        isGarbled = true
        bus.registers[place] = value ^ 0x40
      }
      bus.afterRead = { bus, _, _ in bus.registers[place] = value }
      #expect(try sensor.checkConfiguration() == .intact)
      #expect(isGarbled)
    }
  }

  @Test("a bus that fails is reported after three attempts")
  func deadBus() throws {
    let bus = TraceBus.lsm6ds()
    var sensor = try broughtUp(bus, .lsm6dso)
    bus.forgetTrace()
    bus.failure = { _ in .noAcknowledge }
    #expect(throws: BusError.self) { try sensor.checkConfiguration() }
    #expect(bus.trace.count == 3)
  }
}
