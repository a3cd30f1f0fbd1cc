// SPDX-License-Identifier: Apache-2.0

import IMUModel
import IMUDrivers
import SimulatedIMU
import Testing

@Suite("Identification")
struct SensorIdentityTests {
  private func failure(_ bus: inout TraceBus, _ forced: SensorModel? = nil) -> String {
    do throws(SensorError) {
      let identity = try SensorIdentity.identify(on: &bus, choice: SensorChoice(model: forced))
      return "found \(identity.model)"
    } catch {
      return error.description
    }
  }

  @Test(
    "each chip is known by its identity at both of its addresses", arguments: SensorModelFixture.all
  )
  func known(fixture: SensorModelFixture) throws {
    for address in fixture.model.addresses {
      let register: UInt8 = fixture.isMPU ? 0x75 : 0x0F
      var bus = TraceBus(address.rawValue)
      bus.registers[Int(register)] = fixture.identity
      let found = try SensorIdentity.identify(on: &bus)
      #expect(found.address == address)
      #expect(found.identity == fixture.identity)
      #expect(found.model == fixture.model || found.alternatives.contains(fixture.model))
      #expect(bus.trace.contains(.read(register, 1)))
      #expect(bus.trace.allSatisfy { [.read(0x75, 1), .read(0x0F, 1)].contains($0) })
    }
  }

  @Test("a relative with twice the range cannot be recognised and must be declared")
  func declared() throws {
    var bus = TraceBus.lsm6ds(0x6B)
    let found = try SensorIdentity.identify(on: &bus)
    #expect(found.model == .lsm6dso)
    #expect(found.alternatives == [.lsm6dsox, .lsm6dso32])
    let forced = try SensorIdentity.identify(on: &bus, choice: SensorChoice(model: .lsm6dso32))
    #expect(forced.model == .lsm6dso32)
    #expect(forced.address.rawValue == 0x6B)
    var wide = TraceBus.lsm6ds(identity: 0x70)
    let relative = try SensorIdentity.identify(on: &wide)
    #expect(relative.model == .lsm6dsv)
    #expect(relative.alternatives == [.lsm6dsv16x, .lsm6dsv32x])
  }

  @Test("an identity counts only for families at that address")
  func family() {
    // An LSM9DS1 answers at 0x6A as an MPU-6050 does at 0x68.
    var bus = TraceBus.lsm6ds(identity: 0x68)
    #expect(failure(&bus) == "found lsm9ds1")
    var mpu = TraceBus.mpu6050(identity: 0x68)
    #expect(failure(&mpu) == "found mpu6050")
  }

  @Test("an ICM-20948 is known by another register than an MPU-6050, whatever it has in that one")
  func otherRegister() throws {
    for other: UInt8 in [0x00, 0x42, 0xFF] {
      for address: UInt8 in [0x68, 0x69] {
        var bus = TraceBus.icm20948(address)
        bus.registers[0x75] = other
        let found = try SensorIdentity.identify(on: &bus)
        #expect(found == SensorIdentity(model: .icm20948, address: bus.address))
        #expect(
          bus.trace.allSatisfy {
            [.read(0x75, 1), .read(0x00, 1), .read(0x0F, 1)].contains($0)
          })
      }
    }
    // An MPU-6500 whose trim there is EA.
    var mpu = TraceBus.mpu6050(identity: 0x70)
    mpu.registers[0x00] = 0xEA
    #expect(failure(&mpu) == "found mpu6500")
  }

  @Test(
    "an empty bus: the finding at each address, and the remedy",
    arguments: [
      (.generic, "no chip acknowledged"), (.bsc, "no chip acknowledged (errno 121)"),
      (.bscOfRaspberryPiOS, "bus error (errno 5)"), (.rp1, "no chip acknowledged (errno 121)"),
    ] as [(SimulatedAdapter, String)])
  func nobody(adapter: SimulatedAdapter, meaning: String) {
    var bus = TraceBus(0x50)
    bus.adapter = adapter
    #expect(
      failure(&bus)
        == "no usable sensor was found (0x68: \(meaning); 0x69: \(meaning); 0x6a: \(meaning); "
        + "0x6b: \(meaning)): check the bus number, the chip's power, SDA, SCL and pull-ups")
  }

  @Test("an unknown chip: its identity, the chips that have it, and how to force it")
  func unknown() {
    var bus = TraceBus.mpu6050(identity: 0x74)
    let text = failure(&bus)
    #expect(
      text.contains("0x68: WHO_AM_I (0x75) reads 0x74, as MPU-6515 does, which is not supported"))
    #expect(text.contains("force it with --sensor MODEL, one of mpu6050, mpu6500"))
    var strange = TraceBus.mpu6050(identity: 0x42)
    #expect(failure(&strange).contains("reads 0x42, as no known chip does"))
  }

  @Test("a chip that is known and not supported is named")
  func unsupported() {
    let chips: [(UInt8, String)] = [
      (0x11, "ICM-20600 does"), (0x12, "ICM-20602 does"), (0x20, "ICM-20690 does"),
      (0x74, "MPU-6515 does"), (0x78, "MPU-6880 does"), (0xA6, "ICM-20609 does"),
      (0xA9, "IAM-20680 does"), (0xAE, "ICM-20608 does"), (0xAF, "ICM-20608 does"),
      (0x22, "LSM6DSO16IS and ISM330IS do"), (0x6D, "LSM6DST does"),
      (0x71, "LSM6DSV16BX and ISM330BX do"), (0x73, "LSM6DSV80X and LSM6DSV320X do"),
    ]
    for (identity, names) in chips {
      let isMPU = !names.hasPrefix("LSM")
      var bus = TraceBus(isMPU ? 0x68 : 0x6A)
      bus.registers[isMPU ? 0x75 : 0x0F] = identity
      let words = "reads 0x\(String(identity, radix: 16)), as \(names), which is not supported"
      #expect(failure(&bus).contains(words))
    }
  }

  @Test("00 and FF are idle wires, not chips, forced or not", arguments: [UInt8(0x00), 0xFF])
  func wires(value: UInt8) {
    var bus = TraceBus.mpu6050(identity: value)
    let text = failure(&bus)
    #expect(text.contains("no chip"))
    #expect(text.contains("pull-ups"))
    #expect(!text.contains("--sensor"))
    #expect(failure(&bus, .mpu6050).contains("no chip"))
  }

  @Test("a chip that a kernel driver holds is reported as in use")
  func busy() {
    var bus = TraceBus.mpu6050()
    bus.failure = { _ in .busy }
    let text = failure(&bus)
    #expect(text.contains("0x68: the bus or the address is in use (errno 121)"))
    #expect(text.contains("free the chip"))
  }

  @Test("a forced model is searched at its family's addresses, and an unknown identity is accepted")
  func forced() throws {
    var bus = TraceBus.mpu6050(0x69, identity: 0x19)
    let found = try SensorIdentity.identify(on: &bus, choice: SensorChoice(model: .mpu6050))
    #expect(found == SensorIdentity(model: .mpu6050, address: bus.address, identity: 0x19))
    #expect(!bus.trace.contains { $0.register == 0x0F })
    #expect(failure(&bus, .lsm6dso).contains("0x6a: no chip acknowledged"))
  }

  @Test("a transient failure does not hide a chip")
  func passingFailure() throws {
    var bus = TraceBus.mpu6050()
    bus.failure = { $0 < 2 ? .arbitrationLost : nil }
    #expect(try SensorIdentity.identify(on: &bus).model == .mpu6050)
  }

  @Test("a chip with the identity of another known model is refused, with both names")
  func otherKnownModel() {
    for asked in SensorModelFixture.all {
      for there in SensorModelFixture.all where there.identity != asked.identity {
        for address in there.model.addresses {
          var bus = TraceBus(address.rawValue)
          bus.registers[there.isMPU ? 0x75 : 0x0F] = there.identity
          let text = failure(&bus, asked.model)
          #expect(text.hasPrefix("no \(asked.model.name) was found: the chip at \(address) "))
          #expect(text.contains("give --sensor "))
          // The first of the models with that identity.
          let name = SensorModel.allCases.first { $0.identity == there.identity }?.name ?? ""
          #expect(text.contains("itself as an \(name) ("))
        }
      }
    }
  }

  @Test("of two sensors the first is used and the other named; either can be chosen by address")
  func two() throws {
    let (low, high) = (I2CAddress(known: 0x68), I2CAddress(known: 0x69))
    let lsm6dso = I2CAddress(known: 0x6A)
    var bus = CrowdedBus([low: 0x68, high: 0x68, lsm6dso: 0x6C])
    let found = try SensorIdentity.identify(on: &bus)
    #expect(found.address == low)
    #expect(found.others.map(\.address) == [high, lsm6dso])
    #expect(found.others.map(\.model) == [.mpu6050, .lsm6dso])
    for (choice, address, others) in [
      (SensorChoice(address: high), high, []),
      (SensorChoice(model: .mpu6050, address: high), high, []),
      (SensorChoice(model: .mpu6050), low, [high]),
      (SensorChoice(model: .lsm6dsox), lsm6dso, []),
      (SensorChoice(address: lsm6dso), lsm6dso, []),
    ] {
      let found = try SensorIdentity.identify(on: &bus, choice: choice)
      #expect(found.address == address)
      #expect(found.others.map(\.address) == others)
    }
  }
}

/// Chips by address, of which only the identity can be read.
private struct CrowdedBus: I2CBus {
  let identities: [I2CAddress: UInt8]

  init(_ identities: [I2CAddress: UInt8]) { self.identities = identities }

  mutating func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    guard let identity = identities[address] else {
      throw BusError(.noAcknowledge, .read, address: address, register: register)
    }
    buffer[0] = identity
  }

  mutating func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {
    throw BusError(.unsupported, .write, address: address, register: register)
  }
}
