// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Testing

@Suite("The kernel's files")
final class SystemTreeTests {
  // Properties, because a local fixture may go away before the last use of its tree.
  let blank = TemporaryTree()
  let fixture = TemporaryTree()
  let raspberryPi = TemporaryTree.raspberryPi()
  let sensor = I2CAddress(known: 0x68)

  @Test("name the adapters in the order of their numbers")
  func adapters() {
    let fixture = raspberryPi
    fixture.file("/sys/class/i2c-dev/i2c-10/name", "rp1")
    fixture.directory("/sys/class/i2c-dev/i2c-2")
    fixture.directory("/sys/class/i2c-dev/i2c-x")
    let adapters = fixture.tree.i2cAdapters()
    #expect(adapters.map(\.number) == [0, 1, 2, 10])
    #expect(
      adapters.map(\.name) == [
        "bcm2835 (i2c@7e205000)", "bcm2835 (i2c@7e804000)", "unnamed", "rp1",
      ])
    #expect(blank.tree.i2cAdapters().isEmpty)
  }

  @Test(
    "give the bus clock, most significant byte first, by any of the directory's names",
    arguments: [
      "/sys/class/i2c-adapter/i2c-1", "/sys/bus/i2c/devices/i2c-1",
      "/sys/class/i2c-dev/i2c-1/device",
    ])
  func clock(directory: String) {
    fixture.file("\(directory)/of_node/clock-frequency", [0x00, 0x06, 0x1A, 0x80])
    #expect(fixture.tree.i2cClock(bus: 1) == 400_000)
    #expect(fixture.tree.i2cClock(bus: 0) == nil)
  }

  @Test(
    "report no bus clock that is not a number above 0 of four bytes",
    arguments: [[], [0, 6, 26], [0, 0, 0, 0], [0, 0, 0, 0, 0, 6, 26, 0x80]] as [[UInt8]])
  func oddClock(bytes: [UInt8]) {
    fixture.file("/sys/class/i2c-adapter/i2c-1/of_node/clock-frequency", bytes)
    #expect(fixture.tree.i2cClock(bus: 1) == nil)
  }

  @Test("name the driver that holds a chip, and the chip")
  func driver() {
    let device = "/sys/bus/i2c/devices/1-0068"
    fixture.file("\(device)/name", "mpu6050\n")
    #expect(fixture.tree.i2cDriver(bus: 1, address: sensor) == nil)
    fixture.link("\(device)/driver", to: "../../../../bus/i2c/drivers/inv-mpu6050-i2c")
    #expect(fixture.tree.i2cDriver(bus: 1, address: sensor) == "inv-mpu6050-i2c")
    #expect(fixture.tree.i2cDeviceName(bus: 1, address: sensor) == "mpu6050")
    #expect(fixture.tree.i2cDriver(bus: 0, address: sensor) == nil)
    #expect(fixture.tree.i2cDeviceName(bus: 1, address: I2CAddress(known: 0x08)) == nil)
  }

  @Test("name the board up to the device tree's NUL, from either place")
  func board() {
    #expect(blank.tree.boardModel() == nil)
    #expect(raspberryPi.tree.boardModel() == "Raspberry Pi 4 Model B Rev 1.4")
    fixture.file("/sys/firmware/devicetree/base/model", "Radxa ZERO 3\0junk")
    #expect(fixture.tree.boardModel() == "Radxa ZERO 3")
    fixture.file("/proc/device-tree/compatible", "radxa,zero-3w\0rockchip,rk3566\0")
    #expect(fixture.tree.boardCompatibles() == ["radxa,zero-3w", "rockchip,rk3566"])
    #expect(blank.tree.boardCompatibles() == [])
  }

  @Test("name the host")
  func host() {
    #expect(fixture.tree.hostName() == nil)
    fixture.file("/proc/sys/kernel/hostname", "pi4\n")
    #expect(fixture.tree.hostName() == "pi4")
    #expect(SystemTree.live.hostName() == line(of: "/proc/sys/kernel/hostname"))
  }

  @Test("give the processor's temperature, in whole thousandths of a degree")
  func temperature() {
    #expect(blank.tree.cpuTemperature() == nil)
    let thermal = "/sys/class/thermal"
    fixture.file("\(thermal)/thermal_zone0/type", "gpu-thermal\n")
    fixture.file("\(thermal)/thermal_zone0/temp", "39000\n")
    fixture.file("\(thermal)/cooling_device0/type", "cpu\n")
    #expect(fixture.tree.cpuTemperature() == 39)
    fixture.file("\(thermal)/thermal_zone10/type", "cpu-thermal\n")
    fixture.file("\(thermal)/thermal_zone10/temp", "51121\n")
    #expect(fixture.tree.cpuTemperature() == 51.121)
    fixture.file("\(thermal)/thermal_zone10/temp", "-5000\n")
    #expect(fixture.tree.cpuTemperature() == -5)
    // A zone that is switched off has no text; the next best one counts.
    fixture.file("\(thermal)/thermal_zone10/temp", "")
    #expect(fixture.tree.cpuTemperature() == 39)
  }

  @Test("report the free space for any user")
  func space() {
    var status = statvfs()
    statvfs(fixture.root, &status)
    let free = fixture.tree.freeBytes(at: "/")
    // Others write to the same file system meanwhile.
    let expected = Double(status.f_bavail) * Double(status.f_frsize)
    #expect(abs(Double(free ?? 0) - expected) < 1e9)
    #expect(fixture.tree.freeBytes(at: "/missing") == nil)
  }

  @Test("are found under a root with or without a slash at its end")
  func roots() {
    #expect(SystemTree(root: "/x/").path("/dev/null") == "/x/dev/null")
    #expect(SystemTree(root: "/").path("/dev/null") == "/dev/null")
    #expect(SystemTree.live.path("/dev/null") == "/dev/null")
  }
}
