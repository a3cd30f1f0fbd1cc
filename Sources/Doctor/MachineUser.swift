// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
package import LinuxIO
import Text

/// A user of the machine, by /etc/passwd and /etc/group.
package struct MachineUser: Equatable, Sendable {
  let name: String
  let user: UInt32
  /// The home directory; `nil` where the file has none.
  package let home: String?
  /// The groups of the next login.
  var groups: Set<UInt32>

  private init?(_ tree: SystemTree, where isMeant: (_ name: Substring, _ user: UInt32) -> Bool) {
    let users = MachineUser.rows("/etc/passwd", tree)
    let row = users.first { row in
      UInt32(row.count > 3 ? row[2] : "").map { isMeant(row[0], $0) } ?? false
    }
    guard let row, let user = UInt32(row[2]), let group = UInt32(row[3]) else { return nil }
    (name, self.user) = (String(row[0]), user)
    home = row.count > 5 && !row[5].isEmpty ? String(row[5]) : nil
    let member = row[0]
    groups = Set(
      MachineUser.rows("/etc/group", tree).filter {
        $0.count > 3 && $0[3].split(separator: ",").contains(member)
      }.compactMap { UInt32($0[2]) } + [group])
  }

  static func named(_ name: String, _ tree: SystemTree) -> MachineUser? {
    MachineUser(tree) { found, _ in found == name }
  }

  /// Who sits at the keyboard: who started `sudo`, else the user of this process.
  package static func person(_ tree: SystemTree) -> MachineUser? {
    let caller = getuid() == 0 ? Environment.value("SUDO_UID").flatMap { UInt32($0) } : nil
    let user = caller ?? getuid()
    return MachineUser(tree) { _, found in found == user }
  }

  static func group(_ identifier: UInt32, _ tree: SystemTree) -> String? {
    rows("/etc/group", tree).first { $0.count > 2 && $0[2] == "\(identifier)" }
      .map { String($0[0]) }
  }

  static func groupNumber(_ name: String, _ tree: SystemTree) -> UInt32? {
    rows("/etc/group", tree).first { $0.count > 2 && $0[0] == name }.flatMap { UInt32($0[2]) }
  }

  /// Whether the user may use a node and enter the directories above it, by their modes.
  ///
  /// - Parameter bits: The bits of a mode that the use needs: 6 to read and write.
  package func mayUse(_ path: String, _ tree: SystemTree, bits: UInt32 = 0o6) -> Bool {
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex,
      !mayUse(String(path[..<slash]), tree, bits: 0o1)
    {
      return false
    }
    var status = stat()
    guard stat(tree.path(path), &status) == 0 else { return false }
    let shift: mode_t = status.st_uid == user ? 6 : groups.contains(status.st_gid) ? 3 : 0
    return user == 0 || status.st_mode >> shift & bits == bits
  }

  private static func rows(_ path: String, _ tree: SystemTree) -> [[Substring]] {
    (tree.text(path, limit: 1 << 18) ?? "").split(whereSeparator: \.isNewline).map {
      $0.split(separator: ":", omittingEmptySubsequences: false)
    }
  }
}
