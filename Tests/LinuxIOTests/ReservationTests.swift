// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import LinuxIOTestSupport
import Testing
import TestSupport

extension LinuxI2CBusTests {
  @Test("reserves a chip that no one has, again and again")
  func reserve() throws {
    let bus = try open(Self.plain)
    try bus.reserve(chip)
    try bus.reserve(chip)
    try bus.reserve(stranger)
    #expect(adapter.pointee.transfers == 0)
  }

  @Test("names the process that has reserved a chip, until that ends", .waitsForPrograms)
  func reserved() throws {
    let bus = try open(Self.plain)
    let process = other(locking: 0x68)
    fixture.file("/proc/\(process)/cmdline", "/usr/bin/imulog\0--store\0/x\0daemon\0")
    let error = try #require(throws: LinuxIOError.self) { try bus.reserve(chip) }
    #expect(error.kind == .busy)
    #expect(
      error.description
        == "reserving chip 0x68 on I2C bus 1 (\(fixture.root)/dev/i2c-1): imulog daemon (process"
        + " \(process)) is using the sensor (errno 11, Resource temporarily unavailable). Wait"
        + " until it is done, or end it; a service ends with `sudo systemctl stop imulog`.")
    try bus.reserve(stranger)
    end_other_process(process)
    try bus.reserve(chip)
  }

  @Test("names a process of which nothing is known by its number", .waitsForPrograms)
  func nameless() throws {
    let bus = try open(Self.plain)
    let process = other(locking: 0x68)
    defer { end_other_process(process) }
    let error = try #require(throws: LinuxIOError.self) { try bus.reserve(chip) }
    #expect(error.finding == "process \(process) is using the sensor")
  }
}
