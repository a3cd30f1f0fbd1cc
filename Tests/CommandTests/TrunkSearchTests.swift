// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import Recorder
import SimulatedIMU
import TestSupport
import Testing

@testable import imulog

/// A chip that answers on a channel may be before the multiplexer, where it answers on all of them.
@Suite("A chip on a channel")
struct TrunkSearchTests {
  private let machine = FakeMachine()
  private let chips = [
    SensorIdentity(model: .mpu6050, address: SensorModel.mpu6050.addresses[0]),
    SensorIdentity(model: .lsm6dso, address: SensorModel.lsm6dso.addresses[1]),
  ]

  @Test(
    "is told from one before the multiplexer, also where each channel has one",
    arguments: [0, 1])
  func trunk(index: Int) throws {
    machine.addMultiplexer()
    let path = try #require(BusPath("1/mux@70/3"))
    let search = TrunkSearch(path, SystemTree(root: machine.root), 6)
    #expect(search.others == [3, 4, 5, 7, 8, 9, 10])
    let chip = chips[index]
    let clock = VirtualClock()
    func bus() -> SimulatedBus<VirtualClock> {
      SimulatedBus(
        clock: clock, chip: index == 0 ? .mpu6050 : .lsm6dso, address: chip.address)
    }
    var own = bus()
    func isOnTrunk(_ read: (Int, UInt8) throws -> UInt8?) throws -> Bool {
      try search.isOnTrunk(chip, on: &own, .default, read: read)
    }
    // The last of the other channels is empty.
    #expect(try !isOnTrunk { adapter, _ in adapter == 10 ? nil : chip.identity })
    #expect(try !isOnTrunk { adapter, _ in adapter == 10 ? 0x19 : chip.identity })
    // Each has a chip of its own.
    var other = bus()
    #expect(try !isOnTrunk { try other.read(chip.address, register: $1) })
    // There is one chip: what was written on the one channel is read on the other.
    let trunk = TrunkBus(bus())
    var view = trunk
    #expect(
      try search.isOnTrunk(chip, on: &view, .default) { try trunk.read(chip.address, $1) })
  }

  @Test("is given by its multiplexer's address and its channel, with its own address or without")
  func option() throws {
    for (text, bus, chip) in [
      ("a=lsm6dso@i2c-1/mux@70/3/0x6a rate=208", "1/mux@70/3", "lsm6dso@0x6a"),
      ("a=auto@i2c-1/mux@70/3", "1/mux@70/3", "auto"), ("a=auto@i2c-4/0x6a", "4", "auto@0x6a"),
      ("a=auto@i2c-4", "4", "auto"), ("a=auto@0x69", nil, "auto@0x69"),
    ] {
      let sensor = try NamedSensor(option: text)
      #expect(sensor.bus == bus && sensor.chip == chip, "\(text)")
      _ = try ConfigurationFile.read([], file: "", options: sensor.options)
    }
    let bench = Bench()
    for (place, words) in [
      ("i2c-1/mux@70", "N/mux@70/3"), ("i2c-1/mux@99/3/0x6a", "N/mux@70/3"),
      ("i2c-1/mux@70/3/mux@71/2", "--sensor"), ("i2c-1/mux@70/3/0x68", "--sensor"),
    ] {
      bench.refuses("record --sensor a=lsm6dso@\(place)", 64, words)
    }
    bench.refuses(
      "record --sensor a=lsm6dso@i2c-99/mux@70/3/0x6a", 69,
      "the kernel has no multiplexer at 0x70")
  }

  @Test("of a multiplexer that is not there is named by doctor with what adds it")
  func doctor() throws {
    machine.makePiWithBus()
    let missing = try machine.doctor("--bus", "1/mux@70/3").checks["bus"]
    #expect(missing?.says("wrong", "the kernel has no multiplexer at 0x70") == true)
    machine.addMultiplexer()
    let found = try machine.doctor("--bus", "1/mux@70/3").checks["bus"]
    #expect(
      found?["words"].text?.contains("there is no such bus") == true, "\(String(describing: found))"
    )
    machine.write(
      "sensor.a = mpu6050@0x68\nsensor.b = mpu6050@i2c-1/mux@70/3/0x68\n",
      to: "etc/imulog/imulog.conf")
    let twins = try machine.doctor().checks["sensors"]
    #expect(twins?.says("wrong", "one on the bus before a multiplexer answers on each") == true)
  }
}

/// One chip, which a channel and another one reach.
private final class TrunkBus: I2CBus, @unchecked Sendable {
  // Safe: one test's thread uses it.
  private var bus: SimulatedBus<VirtualClock>

  init(_ bus: consuming SimulatedBus<VirtualClock>) { self.bus = bus }

  var longestRead: Int { bus.longestRead }
  func nextEdge() -> InterruptEdge? { nil }

  func read(
    _ address: I2CAddress, register: UInt8, into buffer: UnsafeMutableRawBufferPointer
  ) throws(BusError) {
    try bus.read(address, register: register, into: buffer)
  }

  func write(_ address: I2CAddress, register: UInt8, value: UInt8) throws(BusError) {
    try bus.write(address, register: register, value: value)
  }

  func read(_ address: I2CAddress, _ register: UInt8) throws -> UInt8? {
    try bus.read(address, register: register)
  }
}
