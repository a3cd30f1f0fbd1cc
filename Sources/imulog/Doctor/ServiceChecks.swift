// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Recorder

/// The service, its lines, and the keys that may only read recordings.
struct ServiceChecks {
  let tree: SystemTree
  let setup: RecorderSetup?
  /// What the service answered.
  let status: Result<RecorderStatus, any Error>

  func run() -> [Check] { [service()] + lines() + keys() }

  private func service() -> Check {
    switch status {
    case .success(let status):
      if let problem = status.problem {
        return Check("service", .wrong, status.failure ?? problem.meaning)
      }
      return Check("service", .ok, "it runs: \(status.state.rawValue)")
    case .failure(let error as LinuxIOError) where error.kind == .notPermitted:
      return Check(
        "service", .wrong, "it runs, and you are no member of the group imulog in this login",
        command: "sudo usermod -aG imulog \"$USER\"", isLater: true)
    case .failure:
      let units = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
      let isInstalled = units.contains { access(tree.path("\($0)/imulog.service"), F_OK) == 0 }
      return isInstalled
        ? Check(
          "service", .advice, "it is installed and does not run: no button, and no requests",
          command: "sudo systemctl enable --now imulog")
        : Check("service", .ok, "not installed; recordings are made by `imulog record`")
    }
  }

  /// The button's and the light's lines, where no service has them.
  private func lines() -> [Check] {
    guard case .failure = status, let setup else { return [] }
    return [("button", setup.button), ("light", setup.light)].compactMap { name, spec in
      guard let spec else { return nil }
      do throws(LinuxIOError) {
        _ = try GPIOInput(spec, isActiveLow: true, tree: tree)
        return Check(name, .ok, "\(spec) is free")
      } catch {
        let check = Check(name, error)
        // A recorder without a button is one, too.
        return Check(name, .advice, check.words, command: check.command, isLater: check.isLater)
      }
    }
  }

  /// Lines of `~/.ssh/authorized_keys` that start this program.
  private func keys() -> [Check] {
    let home = Environment.value("HOME") ?? "/root"
    let path = home + "/.ssh/authorized_keys"
    guard access(path, R_OK) == 0 else { return [] }
    let bytes: [UInt8]
    do {
      bytes = try WholeFile.read(path)
    } catch {
      return [Check("ssh key", .unchecked, "\(error)")]
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter {
      !$0.hasPrefix("#") && $0.parts(around: "imulog") != nil && $0.parts(around: " serve") != nil
    }
    return lines.map { key($0) }
  }

  private func key(_ line: Substring) -> Check {
    guard line.hasPrefix("restrict,") || line.parts(around: ",restrict") != nil else {
      return Check(
        "ssh key", .wrong,
        "a line of ~/.ssh/authorized_keys with imulog serve lacks restrict, so the key can forward ports; begin it with "
          + "restrict,")
    }
    let command = line.parts(around: "command=\"")?.after.prefix { $0 != "\"" }
    guard let program = command?.split(separator: " ").first else {
      return Check(
        "ssh key", .wrong, "a line of ~/.ssh/authorized_keys with imulog serve has no command=\"…\""
      )
    }
    guard access(String(program), X_OK) == 0 else {
      return Check(
        "ssh key", .wrong,
        "~/.ssh/authorized_keys starts \(Plain.text(String(program))), which is not there: write the path of imulog"
      )
    }
    return Check("ssh key", .ok, "restricted to imulog serve")
  }
}
