// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

extension DoctorCheck {
  static let service = DoctorCheck([
    "service": "whether it runs, and what ails it",
    "service's rights": "whether its user may use bus and lines",
    "ssh key": "whether a key that starts `imulog serve` is restricted",
  ]) { subject in
    ServiceChecks(
      tree: subject.tree, unit: subject.unit, status: subject.status,
      isConfigured: subject.configured.allSatisfy { $0.state == .ok },
      nodes: subject.buses.nodes + subject.lines.nodes
    ).run()
  }
}

/// The service, what its user may use, and the keys that may only read recordings.
struct ServiceChecks {
  let tree: SystemTree
  /// `nil` where it is not installed, or masked.
  let unit: ServiceUnit?
  /// What the service answered.
  let status: Result<RecorderStatus, any Error>
  /// Whether its configuration can be used as it is now.
  let isConfigured: Bool
  /// The nodes of its bus and lines, and the rules that give them to groups.
  let nodes: [(path: String, rule: NodeRule)]

  func run() -> [Check] {
    let rights = rights()
    let service = service(isStartable: isConfigured && rights?.state != .wrong)
    return [Check("service", service)] + (rights.map { [Check("service's rights", $0)] } ?? [])
      + keys().map { Check("ssh key", $0) }
  }

  /// - Parameter isStartable: Whether a start would get further than to a refusal.
  private func service(isStartable: Bool) -> Finding {
    switch status {
    case .success(let status):
      if let problem = status.problem {
        let words = status.failure ?? problem.meaning
        let isMended = problem == .configuration && isConfigured && unit != nil && tree.runsSystemd
        // What the unit hid stays hidden until a restart.
        let isHidden = isMended && words.parts(around: ServiceUnit.hides) != nil
        // Else none: it would end what goes on with the settings before, and what ails the sensor or the card stays.
        return .wrong(
          words + (isHidden ? "; now restart it when `imulog status` shows no recording" : ""),
          isHidden
            ? [.shown("sudo systemctl restart imulog")]
            : isMended ? [.run("systemctl", "reload", "imulog")] : [])
      }
      return .ok("it runs: \(status.state.rawValue)")
    case .failure(let error as LinuxIOError) where error.kind == .notPermitted:
      let right = NodeRight("/run/imulog", .service, bits: 0o1, tree)
      return .wrong("it runs, and \(right.words)", right.mends)
    case .failure(let error as LinuxIOError) where error.kind != .notRunning:
      return .wrong("it runs and does not answer as it should: \(error.finding)")
    case .failure(let error) where !(error is LinuxIOError):
      return .wrong("it runs and does not answer as it should")
    case .failure where unit == nil:
      return .ok("not installed, or masked; recordings are made by `imulog record`")
    case .failure where !tree.runsSystemd:
      return .advice("it is installed, and no systemd runs here that would start it")
    case .failure:
      return .advice(
        "it is installed and does not run: no button, and no requests",
        isStartable ? [.run("systemctl", "enable", "--now", "imulog")] : [])
    }
  }

  /// Whether the service's user may use the nodes: a person's own rights say nothing about it.
  private func rights() -> Finding? {
    guard let unit else { return nil }
    guard let user = unit.user else {
      let folders = ["/etc/sysusers.d", "/usr/lib/sysusers.d"]
      let isMade =
        unit.isUsual && folders.contains { tree.names(in: $0).contains("imulog.conf") }
      return .wrong(
        "there is no user for the service to run as",
        isMade ? [.run("systemd-sysusers", "imulog.conf")] : [])
    }
    let all = nodes + [(path: "/dev/cpu_dma_latency", rule: .latency)]
    let missing = all.compactMap { path, rule -> (words: String, rule: NodeRule)? in
      var status = stat()
      let bits: mode_t = rule == .latency ? 0o2 : 0o6
      return stat(tree.path(path), &status) != 0 || user.mayUse(path, tree, bits: bits)
        ? nil : ("\(path) (mode \(NodeRight.octal(status.st_mode)))", rule)
    }
    guard !missing.isEmpty else { return .ok("its user may use bus and lines") }
    let words = missing.map(\.words).joined(separator: ", ")
    let rules = NodeRule.all.filter { rule in missing.contains { $0.rule == rule } }
    return Finding(
      rules == [.latency] ? .advice : .wrong, "its user may not use \(words)",
      NodeRule.mends(rules, tree))
  }

  /// Lines of `~/.ssh/authorized_keys` that start this program.
  private func keys() -> [Finding] {
    // With sudo the person's, and not root's.
    let isSudo = getuid() == 0 && Environment.value("SUDO_UID") != nil
    let person = isSudo ? MachineUser.person(tree)?.home : nil
    let home = person ?? Environment.value("HOME") ?? "/root"
    let path = home + "/.ssh/authorized_keys"
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else { return [] }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= ServiceUnit.longestFile else {
      return [.unchecked("~/.ssh/authorized_keys is too long, or not a file")]
    }
    let text = SystemTree.live.text(path, limit: ServiceUnit.longestFile) ?? ""
    let lines = text.split(whereSeparator: \.isNewline).filter {
      !$0.hasPrefix("#") && $0.parts(around: "imulog") != nil && $0.parts(around: " serve") != nil
    }
    return lines.prefix(ServiceChecks.keyLimit).map { key($0) }
  }

  private static let keyLimit = 10

  /// Only the form that <doc:OverSSH> gives is known to be safe.
  private func key(_ line: Substring) -> Finding {
    let begin = "restrict,command=\""
    let line = line.drop { $0 == " " || $0 == "\t" }
    let command = line.dropFirst(begin.utf8.count).prefix { $0 != "\"" }
    let rest = line.dropFirst(begin.utf8.count + command.utf8.count)
    let words = command.split(separator: " ")
    guard line.hasPrefix(begin), rest.hasPrefix("\" "), words.count > 1,
      words[0].hasSuffix("/imulog"),
      words.contains("serve"), command.utf8.allSatisfy({ ServiceChecks.plain.contains($0) })
    else {
      return .unchecked(
        "a line of ~/.ssh/authorized_keys with imulog serve has another form than restrict,command=\"PATH/imulog … "
          + "serve\" KEY: whether the key can do more is not known")
    }
    var status = stat()
    guard stat(String(words[0]), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      access(String(words[0]), X_OK) == 0
    else {
      return .wrong(
        "~/.ssh/authorized_keys starts \(words[0]), which is not there: write the path of imulog")
    }
    return .ok("restricted to imulog serve")
  }

  /// What a path and options are made of, without anything that a shell would obey.
  private static let plain = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=: ".utf8)
}
