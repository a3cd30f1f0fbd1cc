// SPDX-License-Identifier: Apache-2.0

import IMUModel
import ArgumentParser
import Export
import Glibc

/// `imulog install`: writes the files that make the program a service, and prints the next steps.
struct InstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Install this program as a service: write its unit, rules and configuration.",
    discussion: """
      Each file is written completely or not at all. An existing configuration is not changed. The commands \
      that must follow are printed, not run.

      Examples:
        imulog install --print
        sudo imulog install
      """)

  @Flag(help: "Print the files instead of writing them.")
  var print = false

  @Option(
    help: ArgumentHelp(
      "Write below this directory, such as a mounted card's root.", valueName: "dir"),
    completion: .directory)
  var root = ""

  mutating func run() throws {
    let own = try InstallCommand.program()
    let isStartable = root.isEmpty && InstallCommand.isSeen(own)
    let packaged = root + "/usr/lib/systemd/system/imulog.service"
    guard print || access(packaged, F_OK) != 0 else {
      throw CommandFailure(
        .configuration,
        "a package has installed the service already (\(packaged)): `sudo systemctl enable --now imulog` starts it"
      )
    }
    let files = InstalledFile.all(program: isStartable ? own : InstallCommand.usual)
    for file in files {
      if print {
        try Console.data("==> \(file.path)\n\(file.text)")
      } else {
        try write(file)
      }
    }
    if !isStartable {
      Console.talk(
        "the unit starts \(InstallCommand.usual); put it there: "
          + "`sudo install -m 755 \(own) \(root)\(InstallCommand.usual)`")
    }
    if !print { try Console.data(InstalledFile.commands) }
  }

  private func write(_ file: InstalledFile) throws {
    let path = root + file.path
    if file.isKept, access(path, F_OK) == 0 {
      Console.talk("\(path) exists already and is kept")
      return
    }
    try makeDirectories(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    let pending = try PendingFile(path, remedy: "run it with sudo, or look first with --print")
    try WholeFile.write(Array(file.text.utf8), to: pending.descriptor, path)
    // Regardless of the umask: systemd, udev and the service's user read these files.
    guard fchmod(pending.descriptor, 0o644) == 0 else {
      throw CommandFailure(
        .cannotCreate, "cannot set the permissions of \(path): \(Errno.words(errno))")
    }
    try pending.publish()
    Console.talk("wrote \(path)")
  }

  private func makeDirectories(_ path: String) throws(CommandFailure) {
    guard !path.isEmpty, access(path, F_OK) != 0 else { return }
    try makeDirectories(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    // The service's user must be able to enter it, regardless of the umask. An existing directory stays as it is.
    let isMade = mkdir(path, 0o755) == 0
    guard isMade ? chmod(path, 0o755) == 0 : errno == EEXIST else {
      let code = errno
      let status: ExitStatus = code == EACCES || code == EPERM ? .noPermission : .cannotCreate
      let remedy = status == .noPermission ? "; run it with sudo, or look first with --print" : ""
      throw CommandFailure(
        status, "cannot make the directory \(path): \(Errno.words(code))\(remedy)")
    }
  }

  /// Whether the service, which has its own /tmp and no home directory, can start a program at `path`, and the path
  /// needs no escaping in a unit file.
  private static func isSeen(_ path: String) -> Bool {
    let hidden = ["/home/", "/root/", "/run/", "/tmp/", "/var/tmp/"]
    return !hidden.contains { path.hasPrefix($0) }
      && path.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || "/.-_".utf8.contains(byte)
      }
  }

  /// The place that README.md recommends.
  private static var usual: String { "/usr/local/bin/imulog" }

  /// The path of this program.
  private static func program() throws(CommandFailure) -> String {
    guard let path = ownPath() else {
      throw CommandFailure(
        .unavailable, "cannot find where this program is: \(Errno.words(errno))")
    }
    return path
  }

  /// The path of this program; `nil` where there is no /proc.
  static func ownPath() -> String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    // Safe: realpath allocated the C string, which is freed after it is copied.
    defer { free(path) }
    return String(cString: path)
  }
}
