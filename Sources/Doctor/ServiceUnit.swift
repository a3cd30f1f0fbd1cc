// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
package import LinuxIO

/// The service's unit with its drop-ins (systemd.unit(5)): the service's user, and whether what it hides is known.
package struct ServiceUnit {
  /// The user; `nil` where the machine has none of that name.
  package let user: MachineUser?
  /// Whether the user is the one that `imulog install` and the package make.
  let isUsual: Bool
  /// Whether the unit is as `imulog install` writes it for any path, without drop-ins: only then is known what it hides.
  package let isOwn: Bool

  /// Directories of units, in the order of their precedence.
  private static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map {
    "\($0)/systemd/system"
  }

  /// The store of a service whose configuration names none.
  package static let store = "/var/lib/imulog/recordings"
  /// How a refusal of what the unit hides begins.
  package static let hides = "the service's unit hides"
  /// The most bytes of a file that a person writes.
  package static let longestFile = 1 << 20

  /// `nil` where the service is not installed, or masked: then its file is empty.
  ///
  /// - Parameter usual: The unit that `imulog install` writes, with no path of a program.
  package init?(_ tree: SystemTree, usual: String) {
    let units = ServiceUnit.folders.map { "\($0)/imulog.service" }
    guard let unit = units.first(where: { access(tree.path($0), F_OK) == 0 }),
      let text = tree.text(unit, limit: 1 << 16), !text.isEmpty
    else { return nil }
    let folders = units.map { "\($0).d" } + ServiceUnit.folders.map { "\($0)/service.d" }
    let dropIns = tree.settings(in: folders, suffix: ".conf")
    // Drop-ins of all directories apply in the order of their names.
    func last(_ path: String) -> Substring { path.split(separator: "/").last ?? "" }
    let files = dropIns.sorted { last($0) < last($1) }
    let texts = [text] + files.map { tree.text($0, limit: 1 << 16) ?? "" }
    let lines = texts.flatMap { $0.split(whereSeparator: \.isNewline) }
    let own = usual.split(whereSeparator: \.isNewline)
    isOwn = files.isEmpty && lines.elementsEqual(own) { $0 == $1 || $1 == "ExecStart= daemon" }
    let name = lines.last { $0.hasPrefix("User=") }.map { String($0.dropFirst(5)) } ?? "imulog"
    isUsual = name == "imulog"
    var user = MachineUser.named(name, tree)
    // Group= and SupplementaryGroups= of the unit.
    user?.groups.formUnion(
      ["imulog", "i2c", "gpio"].compactMap { MachineUser.groupNumber($0, tree) })
    self.user = user
  }

  package static let shut = "a directory above it is closed to the service's user"

  /// Whether a directory above `path` is closed to the service's user, as far as that can be seen.
  package func isShut(above path: String) -> Bool {
    let path = realPath(path) ?? path
    guard let user, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      return false
    }
    let above = String(path[..<slash])
    return access(above, F_OK) == 0 && !user.mayUse(above, .live, bits: 0o1)
  }
}
