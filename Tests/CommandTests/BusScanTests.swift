// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import SimulatedIMU
import Testing
import TestSupport

@testable import imulog

/// What `imulog boards --scan` draws, on simulated buses and machines that are made of files.
@Suite("imulog boards --scan", .waitsForPrograms)
struct BusScanTests {
  private let clock = VirtualClock()

  private func bus(_ chips: [(SimulatedChip, String)]) throws -> SimulatedBus<VirtualClock> {
    var bus = SimulatedBus(clock: clock, busHertz: 400_000)
    for (chip, text) in chips {
      bus.attach(chip, at: try #require(SensorChoice("auto@\(text)")?.address))
    }
    return bus
  }

  private func place(_ path: String, _ chips: [BusScan.Chip]) throws -> BusScan.Place {
    BusScan.Place(path: try #require(BusPath(path)), name: "pca9548", chips: chips)
  }

  @Test("names each chip by what it answers, and writes nothing")
  func identities() throws {
    var bus = try bus([
      (.mpu6050, "0x68"), (SimulatedChip.mpu6050.answering(0x19), "0x69"), (.lsm6dso, "0x6b"),
    ])
    let found = BusScan.chips(on: &bus, free: SensorFamily.allAddresses) {}
    #expect(found.note == nil)
    #expect(
      found.chips.map { "\($0.address) \($0.words)" } == [
        "0x68 MPU-6050", "0x69 WHO_AM_I (0x75) reads 0x19, as no known chip does",
        "0x6b LSM6DSO or LSM6DSOX or LSM6DSO32",
      ])
    // Asleep, as its power-on leaves it.
    let power = try bus.read(SensorModel.mpu6050.addresses[0], register: 0x6B)
    #expect(power == 0x40)
  }

  @Test("ends at a line that is held low, which would hold up each read for a second")
  func heldLow() throws {
    var bus = try bus([(.mpu6050, "0x68")])
    bus.inject(.fail(.timeout, errno: 110, transfers: 1000))
    let found = BusScan.chips(on: &bus, free: SensorFamily.allAddresses) {}
    #expect(found.chips.isEmpty && found.note?.contains("held low") == true)
    #expect(bus.transferCount < 8)
  }

  @Test(
    "gives a chip one place: a channel's also answers on the bus, and the bus's on each channel")
  func drawing() throws {
    func chip(_ text: String, _ model: SensorModel) throws -> BusScan.Chip {
      BusScan.Chip(
        address: try #require(SensorChoice("auto@\(text)")?.address), model: model,
        words: model.name)
    }
    let (trunk, own) = (try chip("0x69", .mpu6050), try chip("0x68", .mpu6050))
    let other = try chip("0x6a", .lsm6dso)
    // Channel 2 was selected last.
    var root = try place("1", [own, trunk])
    var channels = [
      try place("1/mux@70/0", [trunk]), try place("1/mux@70/1", [trunk, other]),
      try place("1/mux@70/2", [own, trunk]),
    ]
    BusScan.sort(&root, &channels)
    #expect(
      BusScan.lines([root] + channels) == [
        "i2c-1  pca9548",
        "  0x69  MPU-6050 (on each channel: here, or each has one)",
        "  i2c-1/mux@70/1  pca9548", "    0x6a  LSM6DSO", "  i2c-1/mux@70/2  pca9548",
        "    0x68  MPU-6050",
      ])
    #expect(BusScan.lines([try place("3", [])]) == ["i2c-3  pca9548", "  no sensor answers"])
  }

  @Test("names a kernel driver's chip, and a bus that it may not read")
  func machines() throws {
    let machine = FakeMachine()
    machine.makePiWithBus()
    machine.addMultiplexer()
    machine.write("i2c-1-mux (chan_id 0)\n", to: "sys/class/i2c-dev/i2c-3/name")
    machine.bind("rtc-ds1307", to: "1-0068", as: "ds3231")
    let lines = machine.bench.run("boards", "--scan", "--root", machine.root).lines
    #expect(
      lines == [
        "i2c-1  bcm2835 (i2c@7e804000)", "  0x68  the kernel's driver rtc-ds1307 has it",
        "  this is not an I2C adapter",
      ])
    let empty = machine.bench.run("boards", "--scan", "--root", machine.bench.directory.path)
    #expect(empty.status == 0 && empty.output.hasPrefix("no I2C bus is open"))
    machine.bench.refuses("boards --scan simulator", 64, "exclude each other")
  }
}
