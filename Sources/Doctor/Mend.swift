// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogStore
import Text

/// A command that mends what a check found.
package struct Mend: Equatable, Sendable {
  /// What `doctor --fix` does. No shell reads any of it.
  package enum Action: Equatable, Sendable {
    /// Starts a program of the system with arguments.
    case run([String])
    /// Writes a line to a file of the kernel, or as the whole of a file of imulog's.
    case write(String, path: String)
    /// The command is left to the person: it needs a restart of the machine, a download, or a choice.
    case none
  }

  /// As a person types it.
  package let command: String
  package let action: Action
  /// Whether it takes effect only after a new login or a restart of the machine.
  package var isLater = false

  static func run(_ words: String...) -> Mend {
    Mend(
      command: "sudo " + words.map(ShellWord.quoted).joined(separator: " "), action: .run(words))
  }

  static func write(_ line: String, to path: String) -> Mend {
    Mend(
      command: "echo \(ShellWord.quoted(line)) | sudo tee \(ShellWord.quoted(path))",
      action: .write(line, path: path))
  }

  package static func shown(_ command: String, isLater: Bool = false) -> Mend {
    Mend(command: command, action: .none, isLater: isLater)
  }

  static let loadModule = run("modprobe", "i2c-dev")
  static let keepModule = write("i2c-dev", to: moduleFile)

  /// Switches a Raspberry Pi's I2C on: at once and at every start, or without `raspi-config` from the next start on.
  static func switchOn(_ tree: SystemTree) -> [Mend] {
    // raspi-config would change or add a line in another model's section.
    let isElsewhere = BootConfiguration(tree)?.asksElsewhere ?? false
    guard isElsewhere || !tree.hasProgram("raspi-config") else {
      return [run("raspi-config", "nonint", "do_i2c", "0")]
    }
    let line = "printf '\\n[all]\\ndtparam=i2c_arm=on\\n'"
    return [
      .shown("\(line) | sudo tee -a \(BootConfiguration.path(tree))", isLater: true), .keepModule,
    ]
  }

  static let applyRules = [
    run("udevadm", "control", "--reload"),
    run(
      "udevadm", "trigger", "--subsystem-match=i2c-dev", "--subsystem-match=gpio",
      "--subsystem-match=misc"),
  ]

  /// The files that commands leave in /etc.
  package static let files = NodeRule.all.map { ruleFile($0.group) } + [moduleFile]

  private static let moduleFile = "/etc/modules-load.d/imulog-i2c.conf"

  /// A file whose name comes last, so that its rules replace those of others.
  private static func ruleFile(_ group: String) -> String {
    "/etc/udev/rules.d/zz-imulog-\(group).rules"
  }

  /// Adds a rule of udev.
  static func addRule(_ rule: String, for group: String) -> Mend {
    write(rule, to: ruleFile(group))
  }

  /// Gives a store and all in it to the service's user; `nil` for a directory that holds anything else than a store does.
  static func giveToService(_ path: String) -> Mend? {
    var status = stat()
    // One that cannot be listed may hold anything, such as a recording that is being made.
    guard path.hasPrefix("/"), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      access(path, R_OK) == 0, StoreFile.areAll(SystemTree.live.names(in: path))
    else { return nil }
    return run("chown", "-R", "imulog:imulog", path)
  }

  /// Makes a person a member of a group. `$USER` keeps the name out of a report.
  static func join(_ group: String, _ person: MachineUser?) -> Mend {
    Mend(
      command: "sudo usermod -aG \(group) $USER",
      action: person.map { .run(["usermod", "-aG", group, "--", $0.name]) } ?? .none, isLater: true)
  }
}
