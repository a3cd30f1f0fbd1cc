// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
package import LinuxIO
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
      nodes: subject.buses.flatMap(\.nodes) + subject.lines.nodes
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
