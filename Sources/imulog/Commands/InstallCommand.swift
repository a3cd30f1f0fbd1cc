// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LinuxIO
import ArgumentParser
import Doctor
import Glibc
import Terminal
import Text

struct InstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Install this program as a service: write its unit, rules and configuration.",
    discussion: """
      It prints the commands that must follow, and keeps an existing configuration. Run it again when the \
      configuration's calendar changes: its timer is written, or removed.

      --hub installs a timer that runs `imulog hub`. --hub-key puts a hub's public key into authorized_keys, \
      with a command that only reads recordings: those of the service, or of imulog --store.
      """,
    examples: "imulog install --print",
    "sudo imulog install",
    "sudo imulog install --hub",
    "sudo imulog install --hub-key id_ed25519.pub")

  @Flag(help: "Print the files instead of writing them.")
  var print = false

  @Flag(help: ArgumentHelp("Print what each file is for and its path.", visibility: .hidden))
  var list = false

  @Option(
    help: .value("dir", "Write below this directory, such as a mounted card's root."),
    completion: .directory)
  var root = ""

  @Flag(help: "Install the timer of a hub instead.")
  var hub = false

  @Option(
    help: .value("file", "Let the hub with this public key read recordings here, instead."),
    completion: .file())
  var hubKey: String?

  @Flag(help: "With --hub-key: let the hub move recordings that it has to the trash.")
  var allowDelete = false

  @Option(
    help: .value("name", "With --hub-key: whose key it becomes; by default yours, also under sudo.")
  )
  var user: String?

  @ParentCommand var imulog: Imulog

  func validate() throws {
    try OptionRule.refuse(
      ["--hub": hub, "--root": !root.isEmpty], with: ["--hub-key": hubKey != nil])
    try OptionRule.refuse(
      ["--allow-delete": allowDelete, "--user": user != nil], without: "--hub-key FILE",
      hubKey != nil)
  }

  mutating func run() throws {
    guard !list else { return try Console.data(InstalledFile.list) }
    if let hubKey { return try installKey(hubKey) }
    let own = try InstallCommand.program()
    let isStartable = root.isEmpty && InstallCommand.isSeen(own)
    let program = isStartable ? own : InstallCommand.usual
    guard !hub else {
      try put(HubUnits.all(program: program), own, isStartable)
      return print ? () : try Console.data(HubUnits.commands(program: program))
    }
    let timer = try CalendarTimer(root: root)
    let packaged = root + "/usr/lib/systemd/system/imulog.service"
    let isPackaged = !print && access(packaged, F_OK) == 0
    let removed = print || timer != nil ? [] : try CalendarTimer.remove(root: root)
    for path in removed { Console.talk("removed \(path)") }
    guard !isPackaged || timer != nil || !removed.isEmpty else {
      throw CommandFailure(
        .configuration,
        "a package has installed the service already (\(packaged)): `sudo systemctl enable --now imulog` starts it"
      )
    }
    let service = isPackaged ? [] : InstalledFile.all(program: program)
    try put(service + (timer?.files(program: program) ?? []), own, isStartable)
    guard !print else { return }
    if !isPackaged { try Console.data(InstalledFile.commands) }
    if timer != nil { try Console.data(CalendarTimer.command) }
    if !removed.isEmpty { try Console.data(CalendarTimer.stopCommand) }
  }

  /// Writes or prints files, and reports where the program must be.
  private func put(_ files: [InstalledFile], _ own: String, _ isStartable: Bool) throws {
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
  }

  /// Puts the line of a hub's key into a user's `authorized_keys`.
  private func installKey(_ file: String) throws {
    let key = try AuthorizedKey(file: file)
    let own = try InstallCommand.program()
    let store = try serviceStore()
    for (path, what) in [(own, "the program"), (store, "the store")] {
      guard path.hasPrefix("/"), InstallCommand.isPlain(path) else {
        throw CommandFailure(
          .configuration,
          "the path of \(what), \(Plain.text(path)), cannot be in authorized_keys: it needs / first, and only letters, digits and . - _"
        )
      }
    }
    let line = key.line(program: own, store: store, mayFree: allowDelete)
    guard !print else { return try Console.data(line) }
    let account = try KeyAccount(user)
    try account.become()
    try account.makeDirectory()
    let lock = try account.lock()
    defer { close(lock) }
    let old = try StorageError.unlessMissing { () throws(StorageError) in
      try WholeFile.read(account.path, atMost: 16 << 20)
    }
    guard let text = String(validating: old ?? [], as: UTF8.self) else {
      throw CommandFailure(
        .damagedData,
        "\(Plain.text(account.path)) is not valid UTF-8; mend it, then run this again")
    }
    let new = try key.text(adding: line, to: text, of: account.path)
    if new == text {
      Console.talk("\(account.path) has the line already")
    } else {
      try InstallCommand.put(
        new, into: account.path, 0o600, remedy: "run it with sudo, or name --user")
    }
    if !account.isMember {
      Console.talk(
        "\(account.name) may not read the service's recordings yet: `sudo usermod -aG imulog \(account.name)`"
      )
    }
    try account.expectPrivacy()
  }

  /// The given store, else the service's.
  private func serviceStore() throws -> String {
    if imulog.storeOptions.store != nil || Environment.value("IMULOG_STORE") != nil {
      return try imulog.storePath(imulog.storeOptions)
    }
    let path = ConfigurationFile.usualPath
    guard access(path, F_OK) == 0 else { return ServiceUnit.store }
    let configuration = try ConfigurationFile.read(try WholeFile.read(path), file: path)
    return configuration.store ?? ServiceUnit.store
  }

  private func write(_ file: InstalledFile) throws {
    let path = root + file.path
    if file.isKept, access(path, F_OK) == 0 {
      Console.talk("\(path) exists already and is kept")
      return
    }
    try makeDirectories(InstallCommand.parent(of: path))
    try InstallCommand.put(
      file.text, into: path, 0o644, remedy: "run it with sudo, or look first with --print")
  }

  /// Writes a file with these permissions, whatever the umask.
  private static func put(
    _ text: String, into path: String, _ permissions: mode_t, remedy: String
  ) throws {
    let pending = try PendingFile(path, remedy: remedy)
    try pending.write(Array(text.utf8))
    guard fchmod(pending.descriptor, permissions) == 0 else {
      throw CommandFailure(
        .cannotCreate, "cannot set the permissions of \(path): \(Errno.words(errno))")
    }
    try pending.publish()
    Console.talk("wrote \(path)")
  }

  private func makeDirectories(_ path: String) throws(CommandFailure) {
    guard !path.isEmpty, access(path, F_OK) != 0 else { return }
    try makeDirectories(InstallCommand.parent(of: path))
    // The service's user must be able to enter it, whatever the umask. An existing directory stays as it is.
    let isMade = mkdir(path, 0o755) == 0
    guard isMade ? chmod(path, 0o755) == 0 : errno == EEXIST else {
      let code = errno
      let status: ExitStatus = code == EACCES || code == EPERM ? .noPermission : .cannotCreate
      let remedy = status == .noPermission ? "; run it with sudo, or look first with --print" : ""
      throw CommandFailure(
        status, "cannot make the directory \(path): \(Errno.words(code))\(remedy)")
    }
  }

  private static func parent(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// Whether the service sees a program at `path`, and the path needs no escaping in a unit file.
  private static func isSeen(_ path: String) -> Bool {
    // What is in /run is gone at the next start of the machine.
    let hidden = Confinement.hiding.flatMap(\.directories) + ["/run"]
    return !hidden.contains { path.hasPrefix($0 + "/") } && isPlain(path)
  }

  /// Whether a path needs no escaping in a unit file, or in authorized_keys.
  private static func isPlain(_ path: String) -> Bool {
    path.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || "/.-_".utf8.contains(byte)
    }
  }

  /// The place that README.md recommends.
  private static var usual: String { "/usr/local/bin/imulog" }

  private static func program() throws(CommandFailure) -> String {
    guard let path = ownPath() else {
      throw CommandFailure(.unavailable, "cannot find where this program is: \(Errno.words(errno))")
    }
    return path
  }

  /// The path of this program; `nil` where there is no /proc.
  static func ownPath() -> String? { realPath("/proc/self/exe") }
}
