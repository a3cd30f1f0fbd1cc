// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO

/// Whether the bus is there at the next start, too, and what the person at the keyboard may do on it.
struct BusModuleChecks {
  let tree: SystemTree
  let number: Int

  func run() -> [Check] { [module(), overlay(), group()].compactMap { $0 } }

  /// A module that was loaded by hand is gone after the next start.
  private func module() -> Check? {
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
      ? Check("module", .ok, "i2c-dev is loaded, and at each start")
      : Check(
        "module", .advice, "i2c-dev is loaded, and no file asks for it at the next start",
        mends: [.keepModule])
  }

  /// A Raspberry Pi's firmware switches the bus on by a line of its configuration.
  private func overlay() -> Check? {
    let adapter = tree.i2cAdapters().first { $0.number == number }
    guard let adapter, ["bcm2835", "Synopsys"].contains(where: { adapter.name.hasPrefix($0) }),
      let boot = BootConfiguration(tree), !boot.asksForI2C
    else { return nil }
    return Check(
      "bus at start", .advice,
      "the bus is on, and no line of \(boot.path) asks for it: it is off after the next start",
      mends: Mend.switchOn(tree))
  }

  /// With `sudo`, whose rights hide what the person lacks.
  private func group() -> Check? {
    guard let person = MachineUser.person(tree), person.user != 0, geteuid() == 0 else {
      return nil
    }
    let path = "/dev/i2c-\(number)"
    guard tree.i2cAdapters().contains(where: { $0.number == number }),
      !person.mayUse(path, tree)
    else { return nil }
    let right = NodeRight(path, .bus, tree)
    return Check("group", .wrong, "without sudo: \(right.words)", mends: right.mends)
  }
}
