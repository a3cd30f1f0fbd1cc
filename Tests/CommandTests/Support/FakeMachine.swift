// SPDX-License-Identifier: Apache-2.0

import Doctor
import Testing

/// A machine that is made of files, and what `doctor` finds on it.
struct FakeMachine {
  let bench = Bench()

  var root: String { bench.directory.path + "/machine" }

  /// Writes a file of the machine.
  func write(_ text: String, to path: String) {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    shell("mkdir -p 'machine/\(folder)'")
    bench.directory.write(Array(text.utf8), to: "machine/" + path)
  }

  /// Runs a line of the shell beside the machine.
  func shell(_ line: String) { _ = bench.shell(line) }

  /// The checks by name, and the exit status.
  func doctor(_ more: String...) throws -> (checks: [String: JSON], status: Int32) {
    shell("mkdir -p machine")
    let outcome = bench.run(["doctor", "--json", "--root", root] + more)
    let checks = try FakeMachine.checks(outcome)
    for (name, check) in checks {
      #expect(check["words"].text?.count ?? 0 <= 200, "\(name): \(check["words"].text ?? "")")
    }
    return (checks, outcome.status)
  }

  static func checks(_ outcome: Outcome) throws -> [String: JSON] {
    let checks = try outcome.json()["checks"].items
    for check in checks {
      // A number at the end stands in the help as N.
      let words = (check["name"].text ?? "").split(separator: " ")
      let isNumbered = words.last?.first?.isNumber ?? false
      let name =
        isNumbered ? words.dropLast().joined(separator: " ") + " N" : words.joined(separator: " ")
      #expect(DoctorCheck.all.contains { $0.lines.contains { $0.key == name } }, "\(name)")
    }
    return Dictionary(
      checks.map { check in
        let sensor = check["sensor"].text.map { " \($0)" } ?? ""
        return ((check["name"].text ?? "") + sensor, check)
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Files of a Raspberry Pi.
  static let pi = [
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
    "proc/device-tree/compatible": "raspberrypi,4-model-b\0brcm,bcm2711\0",
    overrides: "",
  ]
  /// A parameter of its device tree, as the trees of Raspberry Pi's kernels have them.
  static let overrides = "proc/device-tree/__overrides__/i2c_arm"
  /// Files of its bus 1; the node is a file, which no program takes for an adapter.
  static let bus = [
    "sys/class/i2c-dev/i2c-1/name": "bcm2835 (i2c@7e804000)\n", "dev/i2c-1": "",
  ]

  func makePi() { for (path, text) in FakeMachine.pi { write(text, to: path) } }

  /// A system that systemd runs.
  func runSystemd() { shell("mkdir -p machine/run/systemd/system") }

  /// The service as its package installs it: unit and user.
  func installService() {
    runSystemd()
    write("[Unit]\n", to: "usr/lib/systemd/system/imulog.service")
    write(
      "imulog:x:990:990::/var/lib/imulog:/usr/sbin/nologin\nperson:x:4001:4001::/home/person:/bin/sh\n",
      to: "etc/passwd")
    write("i2c:x:998:\ngpio:x:997:\nimulog:x:990:\n", to: "etc/group")
  }

  /// Raspberry Pi OS, whose program switches I2C on.
  func addRaspiConfig() { write("", to: "usr/bin/raspi-config") }

  /// A Raspberry Pi whose bus 1 is there.
  func makePiWithBus() {
    makePi()
    for (path, text) in FakeMachine.bus { write(text, to: path) }
  }

  /// A multiplexer at 0x70 of bus 1, whose channels have the adapters 3 to 10.
  func addMultiplexer() {
    write("pca9548\n", to: "sys/bus/i2c/devices/1-0070/name")
    shell(
      "cd machine/sys/bus/i2c/devices; for k in 0 1 2 3 4 5 6 7; do mkdir -p i2c-$((k+3)); "
        + "ln -s ../i2c-$((k+3)) 1-0070/channel-$k; ln -s ../../1-0070 i2c-$((k+3))/mux_device; done"
    )
  }

  /// Has a kernel driver take a chip.
  func bind(_ driver: String, to place: String, as name: String) {
    write(name + "\n", to: "sys/bus/i2c/devices/\(place)/name")
    shell(
      "mkdir -p 'machine/sys/bus/i2c/drivers/\(driver)'; "
        + "ln -s '../../drivers/\(driver)' machine/sys/bus/i2c/devices/\(place)/driver")
  }
}

extension JSON {
  /// The commands of a check.
  var commands: [String] { self["commands"].items.compactMap(\.text) }

  /// A check is in a state, its words have some, and its commands are these.
  func expect(
    _ state: String, _ words: String, _ commands: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(says(state, words), "\(self)", sourceLocation: sourceLocation)
    #expect(self.commands == commands, sourceLocation: sourceLocation)
  }

  /// Whether a check is in a state, and its words have some.
  func says(_ state: String, _ words: String = "") -> Bool {
    self["state"].text == state && (words.isEmpty || self["words"].text?.contains(words) == true)
  }
}
