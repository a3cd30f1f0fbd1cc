// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogStore
import Text

/// One command that mends what a check found: as a person types it, and as `doctor --fix` carries it out.
struct Mend: Equatable, Sendable {
  /// What `--fix` does. No shell reads any of it.
  enum Action: Equatable, Sendable {
    /// Starts a program of the system with arguments.
    case run([String])
    /// Writes a line to a file of the kernel, or as all of a file of imulog's own.
    case write(String, path: String)
    /// The command is left to the person: it needs a new start of the machine, a download, or a choice.
    case none
  }

  /// As a person types it.
  let command: String
  let action: Action
  /// Whether it has its effect only after a new login or a new start of the machine.
  var isLater = false
}

extension Mend {
  static let loadModule = Mend(
    command: "sudo modprobe i2c-dev", action: .run(["modprobe", "i2c-dev"]))

  static let keepModule = Mend(
    command: "echo i2c-dev | sudo tee /etc/modules-load.d/imulog-i2c.conf",
    action: .write("i2c-dev", path: "/etc/modules-load.d/imulog-i2c.conf"))

  /// Switches a Raspberry Pi's I2C on: now and at every start, or without its system's program at the next one.
  static func switchOn(_ tree: SystemTree) -> [Mend] {
    // Its program changes a line of another model's section, or adds one to it.
    let isElsewhere = BootConfiguration(tree)?.asksElsewhere ?? false
    guard isElsewhere || !tree.hasProgram("raspi-config") else {
      return [
        Mend(
          command: "sudo raspi-config nonint do_i2c 0",
          action: .run(["raspi-config", "nonint", "do_i2c", "0"]))
      ]
    }
    let line = "printf '\\n[all]\\ndtparam=i2c_arm=on\\n'"
    return [
      .shown("\(line) | sudo tee -a \(BootConfiguration.path(tree))", isLater: true), .keepModule,
    ]
  }

  static let applyRules = [
    Mend(
      command: "sudo udevadm control --reload", action: .run(["udevadm", "control", "--reload"])),
    Mend(
      command: "sudo udevadm trigger --subsystem-match=i2c-dev --subsystem-match=gpio"
        + " --subsystem-match=misc",
      action: .run([
        "udevadm", "trigger", "--subsystem-match=i2c-dev", "--subsystem-match=gpio",
        "--subsystem-match=misc",
      ])),
  ]

  static let makeUsers = Mend(
    command: "sudo systemd-sysusers imulog.conf", action: .run(["systemd-sysusers", "imulog.conf"]))

  static func makeGroup(_ name: String) -> Mend {
    Mend(
      command: "sudo groupadd --system \(name)", action: .run(["groupadd", "--system", name]))
  }

  /// The files that commands leave in /etc.
  static let files = (NodeRule.all.map { addRule("", for: $0.group) } + [keepModule]).compactMap {
    if case .write(_, let path) = $0.action { path } else { nil }
  }

  /// Adds a rule of udev.
  static func addRule(_ rule: String, for group: String) -> Mend {
    // The rules of a file whose name comes last replace what others say of a node.
    let path = "/etc/udev/rules.d/zz-imulog-\(group).rules"
    return Mend(command: "echo '\(rule)' | sudo tee \(path)", action: .write(rule, path: path))
  }

  /// Gives a store to the service's user; `nil` for a directory that holds anything but recordings and what belongs to
  /// them, or is none: all in it changes hands.
  static func giveToService(_ path: String) -> Mend? {
    var status = stat()
    // One that cannot be listed may hold anything, and a recording that is being made.
    guard path.hasPrefix("/"), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      access(path, R_OK) == 0, StoreFile.areAll(SystemTree.live.names(in: path))
    else { return nil }
    return Mend(
      command: "sudo chown -R imulog:imulog \(ShellWord.quoted(path))",
      action: .run(["chown", "-R", "imulog:imulog", path]))
  }

  static let synchronise = Mend(
    command: "sudo timedatectl set-ntp true", action: .run(["timedatectl", "set-ntp", "true"]))

  /// A command that `--fix` leaves to the person.
  static func shown(_ command: String, isLater: Bool = false) -> Mend {
    Mend(command: command, action: .none, isLater: isLater)
  }

  /// `systemctl VERB imulog`, with a verb that ends no recording.
  static func service(_ verb: String...) -> Mend {
    Mend(
      command: "sudo systemctl \(verb.joined(separator: " ")) imulog",
      action: .run(["systemctl"] + verb + ["imulog"]))
  }

  /// Makes a person a member of a group. The shell knows the name as `$USER`, which says nothing in a report.
  static func join(_ group: String, _ person: MachineUser?) -> Mend {
    let name = person.flatMap { Mend.isPlain($0.name) ? $0.name : nil }
    return Mend(
      command: "sudo usermod -aG \(group) $USER",
      action: name.map { .run(["usermod", "-aG", group, $0]) } ?? .none, isLater: true)
  }

  /// Takes a chip from a kernel driver; `nil` for a driver whose name a shell could obey.
  static func unbind(_ device: String, from driver: String) -> Mend? {
    guard isPlain(driver) else { return nil }
    let path = "/sys/bus/i2c/drivers/\(driver)/unbind"
    return Mend(
      command: "echo \(device) | sudo tee \(path)", action: .write(device, path: path))
  }

  /// Whether a word is one for every shell and every program: letters, digits, `_`, `-` and `.`, and no option.
  static func isPlain(_ word: String) -> Bool {
    !word.isEmpty && !word.hasPrefix("-") && !word.hasPrefix(".")
      && word.utf8.allSatisfy { plain.contains($0) }
  }

  /// Bytes that no shell obeys.
  static let plain = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
}
