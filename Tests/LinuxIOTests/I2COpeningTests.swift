// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import LinuxIO
import Testing

@Suite("Opening a bus")
final class I2COpeningTests {
  // Properties, because a local fixture may go away before the last use of its tree.
  let blank = TemporaryTree()
  let raspberryPi = TemporaryTree.raspberryPi()

  /// The error of opening bus `number`, or `nil` when it opened.
  private func error(_ number: Int, _ fixture: TemporaryTree) -> LinuxIOError? {
    do throws(LinuxIOError) {
      _ = try LinuxI2CBus(number: number, tree: fixture.tree)
      return nil
    } catch {
      return error
    }
  }

  @Test("that does not exist names the ones that do")
  func missing() {
    let fixture = raspberryPi
    let error = error(7, fixture)
    #expect(
      error?.description
        == "opening I2C bus 7 (\(fixture.root)/dev/i2c-7): there is no such bus"
        + " (errno 2, No such file or directory). Use another one:"
        + " there are 0 (bcm2835 (i2c@7e205000)), 1 (bcm2835 (i2c@7e804000)).")
  }

  @Test("on a Raspberry Pi with I2C off names the command that switches it on")
  func off() {
    let fixture = blank
    fixture.file("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    // Ubuntu and Debian do not have the program.
    let bare = error(1, fixture)
    #expect(bare?.kind == .i2cOff)
    #expect(
      bare?.remedy
        == "Add the lines `[all]` and `dtparam=i2c_arm=on` to /boot/firmware/config.txt and start again."
    )
    fixture.file("/usr/bin/raspi-config")
    #expect(error(1, fixture)?.remedy == "Run `sudo raspi-config nonint do_i2c 0`.")
  }

  @Test("on another machine without I2C does not speak of Raspberry Pis")
  func offElsewhere() {
    let error = error(1, blank)
    #expect(error?.kind == .i2cOff)
    #expect(error?.remedy.contains("raspi-config") == false)
    #expect(error?.remedy.contains("device tree") == true)
  }

  @Test("without device nodes names the module")
  func moduleMissing() {
    let fixture = blank
    fixture.directory("/sys/bus/i2c/devices/i2c-1")
    let error = error(1, fixture)
    #expect(error?.kind == .i2cOff)
    #expect(error?.remedy.hasPrefix("Run `sudo modprobe i2c-dev`") == true)
  }

  @Test("that is a directory or another device is reported as no adapter")
  func noAdapter() {
    let fixture = raspberryPi
    fixture.directory("/dev/i2c-0")
    #expect(error(0, fixture)?.finding == "this is not an I2C adapter")
    fixture.link("/dev/i2c-1", to: "/dev/null")
    let error = error(1, fixture)
    #expect(error?.errno == ENOTTY && error?.finding == "this is not an I2C adapter")
  }

  @Test("without the right to names the node's group")
  func notPermitted() {
    let fixture = raspberryPi
    fixture.file("/dev/i2c-1")
    fixture.file("/etc/group", "root:x:0:\ni2c:x:4242:ann\nlast:x:4243:")
    chown(fixture.root + "/dev/i2c-1", .max, 4242)
    chmod(fixture.root + "/dev/i2c-1", 0o600)
    let shut = I2COpening(number: 1, tree: fixture.tree).refused(EACCES)
    #expect(shut.kind == .notPermitted)
    chmod(fixture.root + "/dev/i2c-1", 0o660)
    let error = I2COpening(number: 1, tree: fixture.tree).refused(EACCES)
    #expect(error.kind == .notPermitted)
    // Only root may give a file to a group that it is not in.
    if getuid() == 0 {
      #expect(error.remedy == "Run `sudo usermod -aG i2c $USER` and log in again.")
      // No new login helps where the group has no right.
      #expect(
        shut.remedy
          == "Its mode does not let its group: run `sudo chmod g+rw \(fixture.root)/dev/i2c-1`.")
    }
  }

  @Test("of a node that belongs to no group says how it gets one")
  func groupless() {
    let error = I2COpening(number: 1, tree: raspberryPi.tree).refused(EACCES)
    #expect(error.kind == .notPermitted)
    #expect(error.remedy.contains("sudo apt install i2c-tools"))
  }

  @Test("that a container's device rules forbid names them, and no group")
  func deviceRules() {
    let error = I2COpening(number: 1, tree: raspberryPi.tree).refused(EPERM)
    #expect(error.kind == .notPermitted && error.errno == EPERM)
    #expect(error.finding.contains("device rules"))
    #expect(error.remedy.contains("--device") && !error.remedy.contains("usermod"))
  }

  @Test("refused for any other reason keeps the reason")
  func other() {
    let error = I2COpening(number: 1, tree: .live).refused(EMFILE)
    #expect(error.kind == .system)
    #expect(error.errno == EMFILE)
    #expect(error.description.contains("Too many open files"))
  }
}
