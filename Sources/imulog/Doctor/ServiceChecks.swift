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
    case .failure(let error as LinuxIOError) where error.kind != .notRunning:
      return Check(
        "service", .wrong, "it runs and does not answer as it should: \(error.finding)",
        command: "sudo systemctl restart imulog")
    case .failure(let error) where !(error is LinuxIOError):
      return Check(
        "service", .wrong, "it runs and does not answer as it should",
        command: "sudo systemctl restart imulog")
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
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter {
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
