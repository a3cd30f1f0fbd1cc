// SPDX-License-Identifier: Apache-2.0

import Boards
import Glibc
import IMUModel
import LinuxIO

/// Whether the bus is there at the next start, too, and what the person at the keyboard may do on it.
struct BusModuleChecks {
  let tree: SystemTree
  let number: Int

  func run() -> [Check] {
    let all: [(String, Finding?)] = [
      ("module", module()), ("bus at start", overlay()), ("group", group()),
    ]
    return all.compactMap { name, finding in finding.map { Check(name, $0) } }
  }

  /// A module that was loaded by hand is gone after the next start.
  private func module() -> Finding? {
    let loaded = (tree.text("/proc/modules", limit: 1 << 17) ?? "").split(separator: "\n")
    guard loaded.contains(where: { $0.hasPrefix("i2c_dev ") }) else { return nil }
    let folders = ["/etc/modules-load.d", "/run/modules-load.d", "/usr/lib/modules-load.d"]
    let files = ["/etc/modules"] + tree.settings(in: folders, suffix: ".conf")
    let isKept = files.contains { path in
      (tree.text(path, limit: 1 << 16) ?? "").split(whereSeparator: \.isNewline).contains { line in
        let name = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first
        return name == "i2c-dev" || name == "i2c_dev"
      }
    }
    return isKept
      ? .ok("i2c-dev is loaded, and at each start")
      : .advice("i2c-dev is loaded, and no file asks for it at the next start", [.keepModule])
  }

  /// A Raspberry Pi's firmware switches the bus on by a line of its configuration. In a tree without parameters it is on.
  private func overlay() -> Finding? {
    let adapter = tree.i2cAdapters().first { $0.number == number }
    guard let adapter, ["bcm2835", "Synopsys"].contains(where: { adapter.name.hasPrefix($0) }),
      tree.hasTreeParameters, let boot = BootConfiguration(tree), !boot.asksForI2C
    else { return nil }
    return .advice(
      "the bus is on, and no line of \(boot.path) asks for it: it is off after the next start",
      Mend.switchOn(tree))
  }

  /// With `sudo`, whose rights hide what the person lacks.
  private func group() -> Finding? {
    let path = "/dev/i2c-\(number)"
    guard let person = MachineUser.person(tree), person.user != 0, geteuid() == 0,
      tree.i2cAdapters().contains(where: { $0.number == number }), !person.mayUse(path, tree)
    else { return nil }
    let right = NodeRight(path, .bus, tree)
    return .wrong("without sudo: \(right.words)", right.mends)
  }
}
