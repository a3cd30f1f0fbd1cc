// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO

/// The service's unit with its drop-ins (systemd.unit(5)): who the service is, and what it sees.
struct ServiceUnit {
  /// The user; `nil` where the machine has none of that name.
  let user: MachineUser?
  /// Whether the user is the one that `imulog install` and the package make.
  let isUsual: Bool
  private let lines: [Substring]

  /// The unit's own and those of a machine that has it by a package, in the order of their precedence.
  private static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map {
    "\($0)/systemd/system"
  }

  /// `nil` where the service is not installed.
  init?(_ tree: SystemTree) {
    let units = ServiceUnit.folders.map { "\($0)/imulog.service" }
    guard let unit = units.first(where: { access(tree.path($0), F_OK) == 0 }) else { return nil }
    let dropIns = tree.settings(in: units.map { "\($0).d" }, suffix: ".conf")
    // Those of all directories count in the order of their names.
    func last(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }
    let files = dropIns.sorted { last($0) < last($1) }
    let lines = ([unit] + files).flatMap {
      (tree.text($0, limit: 1 << 16) ?? "").split(whereSeparator: \.isNewline)
    }
    self.lines = lines
    let name = ServiceUnit.values("User", lines).last ?? "imulog"
    isUsual = name == "imulog"
    var user = MachineUser.named(name, tree)
    // Group= and SupplementaryGroups= of the unit.
    user?.groups.formUnion(
      ["imulog", "i2c", "gpio"].compactMap { MachineUser.groupNumber($0, tree) })
    self.user = user
  }

  private func values(_ key: String) -> [String] { ServiceUnit.values(key, lines) }

  private static func values(_ key: String, _ lines: [Substring]) -> [String] {
    lines.filter { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.utf8.count + 1)) }
  }

  private func isOn(_ key: String) -> Bool {
    ["yes", "true", "on", "1"].contains(values(key).last ?? "no")
  }

  /// What is between the service and a file of this machine, whatever the file's own mode; `nil` where nothing is, and
  /// where that cannot be known.
  func barrier(_ path: String, isWritten: Bool = false) -> String? {
    let path = realPath(path) ?? path
    func isBelow(_ folders: [String]) -> Bool {
      folders.contains { path == $0 || path.hasPrefix("\($0)/") }
    }
    let hidden =
      (isOn("ProtectHome") ? ["/home", "/root", "/run/user"] : [])
      + (isOn("PrivateTmp") ? ["/tmp", "/var/tmp"] : [])
    if isBelow(hidden) { return "the service's unit hides the directory that it is in" }
    let open = values("ReadWritePaths").flatMap { $0.split(separator: " ") }
      .map { String($0.drop { "-+".contains($0) }) }
    if isWritten, values("ProtectSystem").last == "strict",
      !isBelow(open + [DoctorCommand.serviceStore])
    {
      return
        "the service's unit forbids to write it: add [Service] and ReadWritePaths= with `sudo systemctl edit imulog`"
    }
    guard let user, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
    let above = String(path[..<slash])
    return access(above, F_OK) != 0 || user.mayUse(above, .live, bits: 0o1)
      ? nil : "a directory above it is closed to the service's user"
  }
}
