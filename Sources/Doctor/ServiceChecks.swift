// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

/// The service, what its user may use, and the keys that may only read recordings.
struct ServiceChecks {
  let tree: SystemTree
  /// `nil` where it is not installed, or masked.
  let unit: ServiceUnit?
  /// What the service answered.
  let status: Result<RecorderStatus, any Error>
  /// Whether its configuration can be used as it is now.
  let isConfigured: Bool
  /// The nodes of its bus and its lines, with what gives such ones to a group.
  let nodes: [(path: String, rule: NodeRule)]

  func run() -> [Check] {
    let rights = rights()
    return [service(isStartable: isConfigured && rights?.state != .wrong)]
      + [rights].compactMap { $0 } + keys()
  }

  /// - Parameter isStartable: Whether a start would get further than to a refusal.
  private func service(isStartable: Bool) -> Check {
    switch status {
    case .success(let status):
      if let problem = status.problem {
        let words = status.failure ?? problem.meaning
        let isMended = problem == .configuration && isConfigured && unit != nil && tree.runsSystemd
        // What the unit hid stays hidden until a restart.
        let isHidden = isMended && words.parts(around: ServiceUnit.hides) != nil
        // Else none: it would end what goes on with the settings before, and what ails the sensor or the card stays.
        return Check(
          "service", .wrong,
          words + (isHidden ? "; now restart it when `imulog status` shows no recording" : ""),
          mends: isHidden
            ? [.shown("sudo systemctl restart imulog")]
            : isMended ? [.run("systemctl", "reload", "imulog")] : [])
      }
      return Check("service", .ok, "it runs: \(status.state.rawValue)")
    case .failure(let error as LinuxIOError) where error.kind == .notPermitted:
      let right = NodeRight("/run/imulog", .service, bits: 0o1, tree)
      return Check("service", .wrong, "it runs, and \(right.words)", mends: right.mends)
    case .failure(let error as LinuxIOError) where error.kind != .notRunning:
      return Check(
        "service", .wrong, "it runs and does not answer as it should: \(error.finding)")
    case .failure(let error) where !(error is LinuxIOError):
      return Check("service", .wrong, "it runs and does not answer as it should")
    case .failure where unit != nil && !tree.runsSystemd:
      return Check(
        "service", .advice, "it is installed, and no systemd runs here that would start it")
    case .failure:
      return unit != nil
        ? Check(
          "service", .advice, "it is installed and does not run: no button, and no requests",
          mends: isStartable ? [.run("systemctl", "enable", "--now", "imulog")] : [])
        : Check("service", .ok, "not installed, or masked; recordings are made by `imulog record`")
    }
  }

  /// Whether the service's user may use the nodes: a person's own rights say nothing about it.
  private func rights() -> Check? {
    guard let unit else { return nil }
    guard let user = unit.user else {
      let folders = ["/etc/sysusers.d", "/usr/lib/sysusers.d"]
      let isMade =
        unit.isUsual && folders.contains { tree.names(in: $0).contains("imulog.conf") }
      return Check(
        "service's rights", .wrong, "there is no user as which the service would run",
        mends: isMade ? [.run("systemd-sysusers", "imulog.conf")] : [])
    }
    let all = nodes + [(path: "/dev/cpu_dma_latency", rule: .latency)]
    let missing = all.compactMap { path, rule -> (words: String, rule: NodeRule)? in
      var status = stat()
      let bits: mode_t = rule == .latency ? 0o2 : 0o6
      return stat(tree.path(path), &status) != 0 || user.mayUse(path, tree, bits: bits)
        ? nil : ("\(path) (mode \(NodeRight.octal(status.st_mode)))", rule)
    }
    guard !missing.isEmpty else {
      return Check("service's rights", .ok, "its user may use bus and lines")
    }
    let words = missing.map(\.words).joined(separator: ", ")
    let rules = NodeRule.all.filter { rule in missing.contains { $0.rule == rule } }
    return Check(
      "service's rights", rules == [.latency] ? .advice : .wrong, "its user may not use \(words)",
      mends: NodeRule.mends(rules, tree))
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
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= ServiceUnit.longestFile else {
      return [Check("ssh key", .unchecked, "~/.ssh/authorized_keys is too long, or no file")]
    }
    let text = SystemTree.live.text(path, limit: ServiceUnit.longestFile) ?? ""
    let lines = text.split(whereSeparator: \.isNewline).filter {
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

extension ServiceChecks {
  init(_ subject: DoctorSubject) {
    self.init(
      tree: subject.tree, unit: subject.unit, status: subject.status,
      isConfigured: subject.configured.allSatisfy { $0.state == .ok },
      nodes: subject.buses.nodes + subject.lines.nodes)
  }
}

extension RecorderStatus {
  /// Whether no recording is being made, begun or saved.
  var isIdle: Bool { [.asleep, .waking, .armed].contains(state) }
}
