// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO

/// Why a person may not use a node, and what gives the right.
struct NodeRight {
  /// The groups that rules give such nodes to. Another one may give its members more, and its name may be a person's.
  private static let groups: Set = ["i2c", "gpio", "dialout", "imulog"]

  let words: String
  let mends: [Mend]

  /// - Parameters:
  ///   - rule: What gives such nodes to a group.
  ///   - bits: Those of a group's mode that the use needs: 6 to read and write.
  ///   - tree: Where the node, users, groups and rules are.
  ///   - place: The node's own path, where it is not in the tree.
  init(
    _ path: String, _ rule: NodeRule, bits: mode_t = 0o6, _ tree: SystemTree,
    at place: String? = nil
  ) {
    let person = MachineUser.person(tree)
    let place = place ?? tree.path(path)
    var status = stat()
    let isKnown = stat(place, &status) == 0
    func membership(_ group: String) -> [Mend] {
      let number = MachineUser.groupNumber(group, tree)
      let isMember = number.map { person?.groups.contains($0) ?? false } ?? false
      return isMember ? [] : [.join(group, person)]
    }
    let group = isKnown ? MachineUser.group(status.st_gid, tree) : nil
    guard let group, status.st_gid != 0, NodeRight.groups.contains(group) else {
      let owner = isKnown && status.st_gid != 0 ? "to another group" : "to root alone"
      words = "it belongs \(owner): no rule gives it to the group \(rule.group)"
      // The group may come with the rule, so that the person joins it afterwards.
      mends = rule.mends(tree) + membership(rule.group)
      return
    }
    guard status.st_mode >> 3 & bits == bits else {
      let mode = NodeRight.octal(status.st_mode)
      let cause = rule.narrow(bits, tree)
      words =
        "its mode is \(mode)\(cause.map { ", by \($0.path)" } ?? ""), which does not let its group \(group) "
        + (bits == 0o6 ? "read and write" : "use it")
      mends = (cause?.mends ?? rule.widen(place, bits, tree)) + membership(group)
      return
    }
    if let person, person.groups.contains(status.st_gid) {
      words =
        "you are in the group \(group), and this login is older than that: log out and in, or start a shell that knows it"
      mends = [.shown("newgrp \(group)")]
    } else {
      words = "you may not use it: it is for the group \(group), of which you are no member"
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
struct NodeRule {
  let group: String
  /// The nodes in a rule's words; `nil` where no rule makes the node.
  let nodes: String?

  static let bus = NodeRule(group: "i2c", nodes: "SUBSYSTEM==\"i2c-dev\"")
  static let line = NodeRule(group: "gpio", nodes: "SUBSYSTEM==\"gpio\", KERNEL==\"gpiochip*\"")
  static let latency = NodeRule(
    group: "imulog", nodes: "SUBSYSTEM==\"misc\", KERNEL==\"cpu_dma_latency\"")
  static let service = NodeRule(group: "imulog", nodes: nil)

  /// What makes the group, and gives it the nodes.
  func mends(_ tree: SystemTree) -> [Mend] {
    let hasGroup = MachineUser.groupNumber(group, tree) != nil
    guard let nodes else { return [.makeUsers] }
    return (hasGroup ? [] : [makeGroup(tree)])
      + (lines(tree).isEmpty
        ? [.addRule("\(nodes), GROUP=\"\(group)\", MODE=\"0660\"", for: group)] : [])
      + Mend.applyRules
  }

  /// The service's users bring the groups of the nodes.
  private func makeGroup(_ tree: SystemTree) -> Mend {
    let folders = ["/etc/sysusers.d", "/usr/lib/sysusers.d"]
    let isInstalled = folders.contains { tree.names(in: $0).contains("imulog.conf") }
    return isInstalled && tree.runsSystemd ? .makeUsers : .makeGroup(group)
  }

  /// Gives a node's group the bits now, and by a rule at the next start.
  fileprivate func widen(_ place: String, _ bits: mode_t, _ tree: SystemTree) -> [Mend] {
    let letters = [(0o4, "r"), (0o2, "w"), (0o1, "x")].filter { bits & $0.0 != 0 }.map(\.1).joined()
    let now = Mend(
      command: "sudo chmod g+\(letters) \(ShellWord.quoted(place))",
      action: .run(["chmod", "g+\(letters)", place]))
    guard let nodes, lines(tree).isEmpty else { return [now] }
    return [now, .addRule("\(nodes), GROUP=\"\(group)\", MODE=\"0660\"", for: group)]
  }

  /// The rule that gives the group the nodes with fewer bits, and what mends it.
  fileprivate func narrow(
    _ bits: mode_t, _ tree: SystemTree
  ) -> (path: String, mends: [Mend])? {
    for (path, line) in lines(tree) {
      let digits = line.parts(around: "MODE=\"").map { $0.after.prefix { $0 != "\"" } } ?? ""
      guard let mode = mode_t(digits, radix: 8), mode >> 3 & bits != bits else { continue }
      guard path.utf8.allSatisfy({ $0 == 0x2F || Mend.plain.contains($0) }) else { continue }
      let edit = "sudo sed -i '/GROUP=\"\(group)\"/s/MODE=\"\(digits)\"/MODE=\"0660\"/' \(path)"
      return (path, [.shown(edit)] + Mend.applyRules)
    }
    return nil
  }

  /// The rules that name the group.
  private func lines(_ tree: SystemTree) -> [(path: String, line: Substring)] {
    let folders = ["/etc", "/run", "/usr/lib", "/lib"].map { "\($0)/udev/rules.d" }
    return tree.settings(in: folders, suffix: ".rules").flatMap { path in
      (tree.text(path, limit: 1 << 16) ?? "").split(whereSeparator: \.isNewline)
        .filter { !$0.hasPrefix("#") && $0.parts(around: "GROUP=\"\(group)\"") != nil }
        .map { (path, $0) }
    }
  }
}

extension SystemTree {
  /// Whether systemd runs the system (sd_booted(3)): else its programs have nothing to ask.
  var runsSystemd: Bool { access(path("/run/systemd/system"), F_OK) == 0 }
}
