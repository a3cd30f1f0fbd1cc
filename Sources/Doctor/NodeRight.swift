// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
package import LinuxIO
import Text

/// Why a person may not use a node, and what gives the right.
struct NodeRight {
  /// The groups that rules give such nodes to. Another group may give its members more, and its name may be a person's.
  private static let groups: Set = ["i2c", "gpio", "dialout", "imulog"]

  let words: String
  let mends: [Mend]

  /// - Parameters:
  ///   - rule: What gives such nodes to a group.
  ///   - bits: The bits of a group's mode that the use needs: 6 to read and write.
  ///   - tree: Where the node, users, groups and rules are.
  ///   - place: The node's own path, where it is not in the tree.
  init(
    _ path: String, _ rule: NodeRule, bits: mode_t = 0o6, _ tree: SystemTree,
    at place: String? = nil
  ) {
    let person = MachineUser.person(tree)
    let place = place ?? tree.path(path)
    var status = stat()
    guard stat(place, &status) == 0 else {
      (words, mends) = ("a directory above it is closed to you", [])
      return
    }
    func membership(_ group: String) -> [Mend] {
      let number = MachineUser.groupNumber(group, tree)
      let isMember = number.map { person?.groups.contains($0) ?? false } ?? false
      return isMember ? [] : [.join(group, person)]
    }
    // Rules may bring the group, so that the person joins last.
    func rules() -> [Mend] {
      let rules = NodeRule.mends([rule], tree)
      return rules.isEmpty ? [] : rules + membership(rule.group)
    }
    guard status.st_gid != 0, let group = MachineUser.group(status.st_gid, tree),
      NodeRight.groups.contains(group)
    else {
      words =
        "it belongs to \(status.st_gid == 0 ? "root alone" : "another group"), not to the group \(rule.group)"
      mends = rules()
      return
    }
    guard status.st_mode >> 3 & bits == bits else {
      words =
        "its mode is \(NodeRight.octal(status.st_mode)), which does not let its group \(group) "
        + (bits == 0o6 ? "read and write" : "use it")
      mends =
        rule.subsystem == nil ? [NodeRule.widen(place, bits)] + membership(group) : rules()
      return
    }
    if let person, person.groups.contains(status.st_gid) {
      words =
        "you are in the group \(group), and this login is older than that: log out and in, or start a shell that knows it"
      mends = [.shown("newgrp \(group)")]
    } else {
      words = "you may not use it: it is for the group \(group), and you are not a member"
      mends = [.join(group, person)]
    }
  }

  /// A mode as `chmod` takes it, such as `0660`.
  static func octal(_ mode: mode_t) -> String {
    let digits = String(mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// What gives the nodes of a kind to a group: a rule of udev, or the service's unit.
struct NodeRule: Equatable, Sendable {
  let group: String
  /// The kernel's; `nil` where no rule makes the node.
  let subsystem: String?
  /// How the nodes' names begin.
  let prefix: String

  static let bus = NodeRule(group: "i2c", subsystem: "i2c-dev", prefix: "i2c-")
  static let line = NodeRule(group: "gpio", subsystem: "gpio", prefix: "gpiochip")
  static let latency = NodeRule(group: "imulog", subsystem: "misc", prefix: "cpu_dma_latency")
  static let service = NodeRule(group: "imulog", subsystem: nil, prefix: "")
  static let all = [bus, line, latency]

  /// Makes the groups and gives them the nodes, whatever other rules say; nothing where no rule makes the nodes, or a node
  /// has another group, whose members would lose it.
  static func mends(_ rules: [NodeRule], _ tree: SystemTree) -> [Mend] {
    let given = rules.flatMap { rule -> [Mend] in
      let (group, number) = (rule.group, MachineUser.groupNumber(rule.group, tree))
      let others = tree.names(in: "/dev").filter { name in
        var status = stat()
        return name.hasPrefix(rule.prefix) && stat(tree.path("/dev/\(name)"), &status) == 0
          && status.st_gid != 0 && status.st_gid != number
      }
      guard let subsystem = rule.subsystem, others.isEmpty else { return [] }
      let nodes = "SUBSYSTEM==\"\(subsystem)\", KERNEL==\"\(rule.prefix)*\""
      return (number == nil ? [.run("groupadd", "--system", group)] : [])
        + [.addRule("\(nodes), GROUP=\"\(group)\", MODE=\"0660\"", for: group)]
    }
    return given.isEmpty ? [] : given + Mend.applyRules
  }

  /// Gives the group of a directory the bits.
  fileprivate static func widen(_ place: String, _ bits: mode_t) -> Mend {
    let letters = [(0o4, "r"), (0o2, "w"), (0o1, "x")].filter { bits & $0.0 != 0 }.map(\.1).joined()
    return .run("chmod", "g+\(letters)", place)
  }
}

extension SystemTree {
  /// Whether systemd runs the system (sd_booted(3)): else its programs have nothing to ask.
  package var runsSystemd: Bool { access(path("/run/systemd/system"), F_OK) == 0 }
}
