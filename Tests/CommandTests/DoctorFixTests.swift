// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// `imulog doctor --fix`: asks at a terminal before each command, carries it out, and looks again.
@Suite("imulog doctor --fix", .waitsForPrograms)
struct DoctorFixTests {
  private let machine = FakeMachine()
  private var bench: Bench { machine.bench }

  private static let question = "carry it out? [y/N] "

  /// Answers each question by its command until no more comes; what was said.
  private func fix(_ answer: (_ command: String) -> String) -> (said: String, status: Int32) {
    let child = bench.atTerminal(
      ["doctor", "--fix", "--root", machine.root], columns: 200, rows: 100)
    func said() -> String {
      String(decoding: child.sent, as: UTF8.self)
    }
    func parts() -> [String] { said().pieces(between: DoctorFixTests.question) }
    var count = 1
    while child.waits({ _ in parts().count > count }) {
      let lines = parts()[count - 1].split(whereSeparator: \.isNewline)
      child.type(answer(String(lines.last ?? "")) + "\n")
      count += 1
    }
    return (said(), child.status())
  }

  @Test("without a terminal it says so, and carries out nothing; it goes with neither document")
  func noTerminal() {
    machine.makePi()
    bench.refuses("doctor --fix --root \(machine.root)", 64, "--fix needs a terminal")
    for option in ["--json", "--report"] {
      #expect(bench.run("doctor", "--fix", option).status == 64)
    }
  }

  @Test(
    "what is agreed to is carried out without a shell, what is not is left, and all is looked at again",
    .enabled(if: geteuid() == 0, "needs root"))
  func agreed() throws {
    machine.makePi()
    machine.write("bcm2835 (i2c@7e804000)\n", to: "sys/bus/i2c/devices/i2c-1/name")
    machine.shell("mkdir -p machine/usr/sbin machine/etc/modules-load.d")
    _ = bench.directory.script(
      "machine/usr/sbin/modprobe",
      """
      #!/bin/sh
      printf '%s\\n' "$#" "$@" "$SHELL" > '\(machine.root)/called'
      mkdir -p '\(machine.root)/sys/class/i2c-dev/i2c-1' '\(machine.root)/dev'
      echo 'bcm2835 (i2c@7e804000)' > '\(machine.root)/sys/class/i2c-dev/i2c-1/name'
      : > '\(machine.root)/dev/i2c-1'
      """)
    let (said, status) = fix { $0.hasPrefix("bus: sudo modprobe i2c-dev") ? "y" : "" }
    #expect(said.contains("looking again"), "\(said)")
    #expect(said.contains("not an I2C adapter"), "the second look finds the node")
    #expect(status == 1)
    #expect(bench.shell("cat machine/called").output == "1\ni2c-dev\n\n")
    // It was not agreed to.
    #expect(bench.shell("test -e machine/etc/modules-load.d/imulog-i2c.conf").status == 1)
  }

  @Test(
    "a module is kept for the next start by a file of its own",
    .enabled(if: geteuid() == 0, "needs root"))
  func keeping() {
    machine.makePiWithBus()
    machine.write("i2c_dev 16384 0 - Live 0x0\n", to: "proc/modules")
    machine.write("spidev", to: "etc/modules-load.d/imulog-i2c.conf")
    let (said, _) = fix { $0.contains("modules-load.d") ? "y" : "n" }
    #expect(said.contains("done"), "\(said)")
    #expect(
      bench.shell("cat machine/etc/modules-load.d/imulog-i2c.conf").output == "i2c-dev\n")
  }

  @Test("a chip is taken from its driver by one write", .enabled(if: geteuid() == 0, "needs root"))
  func unbind() {
    machine.makePi()
    machine.bind("inv-mpu6050-i2c", to: "1-0068", as: "mpu6050")
    machine.write("", to: "sys/bus/i2c/drivers/inv-mpu6050-i2c/unbind")
    let (said, _) = fix { $0.contains("unbind") ? "y" : "n" }
    #expect(said.contains("done"), "\(said)")
    #expect(
      bench.shell("cat machine/sys/bus/i2c/drivers/inv-mpu6050-i2c/unbind").output == "1-0068\n")
  }

  @Test("a command that fails says why", .enabled(if: geteuid() == 0, "needs root"))
  func failure() {
    machine.makePi()
    // It may not be executed.
    machine.addRaspiConfig()
    let (said, status) = fix { $0.contains("raspi-config") ? "y" : "n" }
    #expect(said.contains("failed: raspi-config is not installed"), "\(said)")
    #expect(status == 1)
  }

  @Test(
    "who is not root is told to be", .enabled(if: OtherUser.isPossible, "\(OtherUser.reason)"))
  func notRoot() {
    machine.makePi()
    machine.shell("chmod -R a+rX .")
    let child = bench.atTerminal(
      [
        "--reuid=4001", "--regid=4001", "--clear-groups", "--", Child.program, "doctor", "--fix",
        "--root", machine.root,
      ], columns: 200, rows: 60, program: "/usr/bin/setpriv")
    #expect(child.waits(for: "sudo imulog doctor --fix"))
    #expect(child.status() == 77)
  }
}

extension String {
  /// The pieces of the text before, between and after each place of `mark`.
  fileprivate func pieces(between mark: String) -> [String] {
    var (pieces, rest) = ([String](), self)
    while let range = rest.firstRange(of: mark) {
      pieces.append(String(rest[..<range.lowerBound]))
      rest = String(rest[range.upperBound...])
    }
    return pieces + [rest]
  }
}
