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

  /// Whether a setting such as `PrivateTmp=yes` is in force.
  func has(_ setting: String) -> Bool {
    let words = setting.split(separator: "=")
    let value = values(String(words[0])).last ?? ""
    return ["yes", "true", "on", "1"].contains(value) ? words[1] == "yes" : value == words[1]
  }

  /// Directories that a drop-in lets the service write.
  var writable: [String] {
    values("ReadWritePaths").flatMap { $0.split(separator: " ") }
      .map { String($0.drop { "-+".contains($0) }) }
  }

  static let shut = "a directory above it is closed to the service's user"

  /// Whether that is so of a path; not where it cannot be known.
  func isShut(above path: String) -> Bool {
    let path = realPath(path) ?? path
    guard let user, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      return false
    }
    let above = String(path[..<slash])
    return access(above, F_OK) == 0 && !user.mayUse(above, .live, bits: 0o1)
  }
}
