// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Recorder

/// The service, what its user may use, and the keys that may only read recordings.
struct ServiceChecks {
  let tree: SystemTree
  /// What the service answered.
  let status: Result<RecorderStatus, any Error>

  func run() -> [Check] { [service()] + [rights()].compactMap { $0 } + keys() }

  private var isInstalled: Bool { ServiceChecks.isInstalled(tree) }

  static func isInstalled(_ tree: SystemTree) -> Bool {
    ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"].contains {
      access(tree.path("\($0)/imulog.service"), F_OK) == 0
    }
  }

  /// Makes a service that runs see what was mended; not in a recording, which it would end.
  private var restart: [Mend] {
    guard case .success(let status) = status, status.isIdle else { return [] }
    return [.service("restart")]
  }

  private var journal: [Mend] { tree.runsSystemd ? [.journal] : [] }

  private func service() -> Check {
    switch status {
    case .success(let status):
      if let problem = status.problem {
        return Check(
          "service", .wrong, status.failure ?? problem.meaning, mends: restart)
      }
      return Check("service", .ok, "it runs: \(status.state.rawValue)")
    case .failure(let error as LinuxIOError) where error.kind == .notPermitted:
      let right = NodeRight("/run/imulog", .service, bits: 0o1, tree)
      return Check("service", .wrong, "it runs, and \(right.words)", mends: right.mends)
    case .failure(let error as LinuxIOError) where error.kind != .notRunning:
      return Check(
        "service", .wrong, "it runs and does not answer as it should: \(error.finding)",
        mends: journal)
    case .failure(let error) where !(error is LinuxIOError):
      return Check(
        "service", .wrong, "it runs and does not answer as it should", mends: journal)
    case .failure where isInstalled && !tree.runsSystemd:
      return Check(
        "service", .advice, "it is installed, and no systemd runs here that would start it",
        mends: [.shown("imulog daemon")])
    case .failure:
      return isInstalled
        ? Check(
          "service", .advice, "it is installed and does not run: no button, and no requests",
          mends: [.service("enable", "--now")])
        : Check("service", .ok, "not installed; recordings are made by `imulog record`")
    }
  }

  /// Whether the service's user may use the nodes: a person's own rights say nothing about it.
  private func rights() -> Check? {
    guard isInstalled else { return nil }
    guard var user = MachineUser.named("imulog", tree) else {
      return Check(
        "service's rights", .wrong, "there is no user imulog, which the service runs as",
        mends: [.makeUsers] + restart)
    }
    // SupplementaryGroups= of the unit.
    user.groups.formUnion(["i2c", "gpio"].compactMap { MachineUser.groupNumber($0, tree) })
    let buses = tree.i2cAdapters().map { "/dev/i2c-\($0.number)" }
    let chips = tree.names(in: "/dev").filter { $0.hasPrefix("gpiochip") }.map { "/dev/\($0)" }
    let missing = (buses + chips.sorted()).filter { !user.mayUse($0, tree) }
    let latency = "/dev/cpu_dma_latency"
    let isHeld =
      access(tree.path(latency), F_OK) != 0 || user.mayUse(latency, tree, bits: 0o2)
    guard !missing.isEmpty || !isHeld else {
      return Check("service's rights", .ok, "its user may use buses and lines")
    }
    let nodes = (missing + (isHeld ? [] : [latency])).map { node -> String in
      var status = stat()
      guard stat(tree.path(node), &status) == 0 else { return node }
      return "\(node) (mode \(NodeRight.octal(status.st_mode)))"
    }
    // Rules cannot give a node to a group that is not there.
    let hasGroups = ["i2c", "gpio"].allSatisfy { MachineUser.groupNumber($0, tree) != nil }
    return Check(
      "service's rights", missing.isEmpty ? .advice : .wrong,
      "its user imulog may not use \(nodes.joined(separator: ", "))",
      mends: (hasGroups ? [] : [.makeUsers]) + Mend.applyRules + restart)
  }

  /// Lines of `~/.ssh/authorized_keys` that start this program.
  private func keys() -> [Check] {
    // With sudo the person's, and not root's.
    let isSudo = getuid() == 0 && Environment.value("SUDO_UID") != nil
    let person = isSudo ? MachineUser.person(tree)?.home : nil
    let home = person ?? Environment.value("HOME") ?? "/root"
    let path = home + "/.ssh/authorized_keys"
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else { return [] }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= DoctorCommand.longestFile else {
      return [Check("ssh key", .unchecked, "~/.ssh/authorized_keys is too long, or no file")]
    }
    let bytes: [UInt8]
    do {
      bytes = try WholeFile.read(path)
    } catch {
      return [Check("ssh key", .unchecked, "\(error)")]
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).filter {
      !$0.hasPrefix("#") && $0.parts(around: "imulog") != nil && $0.parts(around: " serve") != nil
    }
    return lines.prefix(ServiceChecks.keyLimit).map { key($0) }
  }

  private static let keyLimit = 10

  /// Only the form that <doc:OverSSH> gives is known to be safe.
  private func key(_ line: Substring) -> Check {
    let begin = "restrict,command=\""
    let line = line.drop { $0 == " " || $0 == "\t" }
    let command = line.dropFirst(begin.utf8.count).prefix { $0 != "\"" }
    let rest = line.dropFirst(begin.utf8.count + command.utf8.count)
    let words = command.split(separator: " ")
    guard line.hasPrefix(begin), rest.hasPrefix("\" "), words.count > 1,
      words[0].hasSuffix("/imulog"),
      words.contains("serve"), command.utf8.allSatisfy({ ServiceChecks.plain.contains($0) })
    else {
      return Check(
        "ssh key", .unchecked,
        "a line of ~/.ssh/authorized_keys with imulog serve has another form than restrict,command=\"PATH/imulog … "
          + "serve\" KEY: whether the key can do more is not known")
    }
    var status = stat()
    guard stat(String(words[0]), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      access(String(words[0]), X_OK) == 0
    else {
      return Check(
        "ssh key", .wrong,
        "~/.ssh/authorized_keys starts \(words[0]), which is not there: write the path of imulog")
    }
    return Check("ssh key", .ok, "restricted to imulog serve")
  }

  /// What a path and options are made of, without anything that a shell would obey.
  private static let plain = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=: ".utf8)
}

extension RecorderStatus {
  /// Whether no recording is being made, begun or saved.
  var isIdle: Bool { [.asleep, .waking, .armed].contains(state) }
}
