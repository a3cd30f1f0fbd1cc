// SPDX-License-Identifier: Apache-2.0

import LinuxIO
import Testing

/// A Raspberry Pi's config.txt, of which only what applies to the model counts.
@Suite("The configuration of a Raspberry Pi's firmware")
struct BootConfigurationTests {
  private func boot(
    _ lines: String, model: String = "Raspberry Pi 4 Model B Rev 1.4", serial: String? = nil,
    other: String? = nil
  ) -> BootConfiguration? {
    let fixture = TemporaryTree()
    fixture.file("/proc/device-tree/model", model + "\0")
    if let serial { fixture.file("/proc/device-tree/serial-number", serial + "\0") }
    if let other { fixture.file("/boot/firmware/usercfg.txt", other) }
    fixture.file("/boot/firmware/config.txt", lines)
    return BootConfiguration(fixture.tree)
  }

  @Test(
    "a line in a section for another model does not count, one for this model does",
    arguments: [
      ("[pi3]", false), ("[pi4]", true), ("[cm4]", false), ("[pi400]", false), ("[pi5]", false),
      ("[none]", false), ("[tryboot]", false), ("[all]", true), ("  [pi3] # old", false),
    ])
  func sections(section: String, counts: Bool) {
    #expect(boot("\(section)\ndtparam=i2c_arm=on\n")?.asksForI2C == counts)
    #expect((boot("\(section)\ndtoverlay=mpu6050\n")?.sensorOverlay != nil) == counts)
  }

  @Test(
    "each model has its sections",
    arguments: [
      ("Raspberry Pi 5 Model B Rev 1.0", "[pi5]"), ("Raspberry Pi 500 Rev 1.0", "[pi500]"),
      ("Raspberry Pi 400 Rev 1.0", "[pi4]"), ("Raspberry Pi 3 Model B Plus Rev 1.3", "[pi3+]"),
      ("Raspberry Pi 3 Model B Plus Rev 1.3", "[pi3]"), ("Raspberry Pi Zero 2 W Rev 1.0", "[pi02]"),
      ("Raspberry Pi Zero 2 W Rev 1.0", "[pi0]"),
      ("Raspberry Pi Compute Module 4 Rev 1.1", "[cm4]"),
      ("Raspberry Pi Compute Module 4S Rev 1.0", "[cm4s]"),
      ("Raspberry Pi Compute Module 5 Rev 1.0", "[pi5]"),
    ])
  func models(model: String, section: String) {
    #expect(boot("\(section)\ndtparam=i2c_arm=on\n", model: model)?.asksForI2C == true)
    #expect(boot("[pi2]\ndtparam=i2c_arm=on\n", model: model)?.asksForI2C == false)
  }

  @Test("a section ends with the next one of its kind, and all end with [all]")
  func ends() {
    #expect(boot("[pi3]\narm_freq=1\n[all]\ndtparam=i2c_arm=on\n")?.asksForI2C == true)
    #expect(boot("[pi3]\narm_freq=1\n[pi4]\ndtparam=i2c_arm=on\n")?.asksForI2C == true)
    // Of two kinds both have to hold.
    let lines = "[pi3]\n[0x1234]\ndtparam=i2c_arm=on\n"
    #expect(boot(lines, serial: "0000000000001234")?.asksForI2C == false)
    #expect(boot("[0x1234]\ndtparam=i2c_arm=on\n", serial: "1000000000005678")?.asksForI2C == false)
    #expect(boot("[0x1234]\ndtparam=i2c_arm=on\n", serial: "0000000000001234")?.asksForI2C == true)
    // What a monitor answers is not known here.
    #expect(boot("[EDID=VSC-TD2220]\ndtparam=i2c_arm=on\n")?.asksForI2C == true)
  }

  @Test("the last line about the bus counts, in any of its spellings")
  func last() {
    #expect(boot("dtparam=i2c_arm=on\ndtparam=i2c_arm=off\n")?.asksForI2C == false)
    #expect(boot("dtparam=i2c_arm=off\n\tdtparam=spi=on,i2c1=yes\r\n")?.asksForI2C == true)
    #expect(boot("dtparam=i2c_arm_baudrate=400000\n")?.asksForI2C == false)
    #expect(boot("dtoverlay=i2c1-pi5\n")?.asksForI2C == true)
    #expect(boot("#dtparam=i2c_arm=on\n")?.asksForI2C == false)
  }

  @Test("a file that it includes is a part of it")
  func included() {
    let lines = "[pi4]\ninclude usercfg.txt\n"
    #expect(boot(lines, other: "dtparam=i2c_arm=on\n")?.asksForI2C == true)
    #expect(boot("[pi3]\ninclude usercfg.txt\n", other: "dtparam=i2c=on\n")?.asksForI2C == false)
    // A file that includes itself ends.
    #expect(boot(lines, other: "include usercfg.txt\n")?.asksForI2C == false)
  }

  @Test("a line belongs into the file that is there, or where the system has its partition")
  func place() {
    let fixture = TemporaryTree()
    #expect(BootConfiguration.path(fixture.tree) == "/boot/firmware/config.txt")
    fixture.file("/boot/cmdline.txt", "quiet")
    #expect(BootConfiguration.path(fixture.tree) == "/boot/config.txt")
    fixture.file("/boot/firmware/cmdline.txt", "quiet")
    #expect(BootConfiguration.path(fixture.tree) == "/boot/firmware/config.txt")
    fixture.file("/boot/config.txt", "dtparam=audio=on")
    #expect(BootConfiguration.path(fixture.tree) == "/boot/config.txt")
  }

  @Test("a line that no filter known here keeps from the model counts, also by its older name")
  func unknownFilters() {
    #expect(boot("[pi5]\n[board-type=0x11]\ndtparam=i2c_arm=on\n")?.asksForI2C == true)
    #expect(boot("device_tree_param=i2c_arm=on\n")?.asksForI2C == true)
    // Other buses of the board.
    #expect(boot("dtoverlay=i2c-gpio,bus=3\ndtoverlay=i2c0,pins_44_45\n")?.asksForI2C == false)
  }

  @Test("whether another section asks for the bus is known")
  func elsewhere() {
    #expect(boot("[pi5]\ndtparam=i2c_arm=on\n")?.asksElsewhere == true)
    #expect(boot("[pi4]\ndtparam=i2c_arm=on\n")?.asksElsewhere == false)
    #expect(boot("#dtparam=i2c_arm=on\n")?.asksElsewhere == false)
  }
}
