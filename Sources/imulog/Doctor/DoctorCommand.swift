// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import IMUModel
import LinuxIO
import Recorder

/// `imulog doctor`: looks at all that a recording needs, names what is wrong, and the command that mends it.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look at all that a recording needs, and name what mends it.",
    discussion: """
      Each line is one check: ok, advice (recordings work, and would be better), wrong, or unchecked, with the reason and \
      the command that mends it. The exit status is 0 when nothing is wrong, else 1. Nothing is written to a chip, and a \
      chip that a recorder uses is left alone. --report writes Markdown with every figure and nothing private, for an \
      issue.

      Examples:
        imulog doctor
        imulog doctor --card --fix
        imulog doctor --report > report.md
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(help: "The board, one of `imulog boards`; detected by default.", completion: .boards)
  var board: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The number N of /dev/i2c-N; by default the board's.", valueName: "n"))
  var bus: Int?

  @Flag(help: "Write and sync to the card for 10 s, and report how long it takes.")
  var card = false

  @Flag(help: "Run the commands that mend what they can without a restart, each after asking.")
  var fix = false

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print Markdown with all figures, for a report.")
  var report = false

  @Option(help: ArgumentHelp("Where /dev, /proc, /sys and /etc are.", visibility: .hidden))
  var root = ""

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    if fix, json || report { throw ValidationError("--fix asks, and prints no document") }
    if json, report { throw ValidationError("--json and --report exclude each other") }
  }

  mutating func run() throws {
    let checks = try look()
    if json {
      try Console.json(DoctorReport(checks).json)
    } else if report {
      try Console.data(DoctorReport(checks).markdown)
    } else {
      for check in checks { try print(check) }
      if fix { try mend(checks) }
    }
    if checks.contains(where: { $0.state == .wrong }) { throw ExitCode(ExitStatus.flawed.rawValue) }
  }

  private func look() throws -> [Check] {
    let tree = SystemTree(root: root)
    let (setup, configured) = serviceSetup()
    let settings = setup?.configuration ?? .default
    let socket = try socketOptions.path(isService: false)
    let status = Result {
      guard case (.status(let status), _) = try ControlReply.ask(.status, at: socket) else {
        throw CommandFailure(.inputOutput, "the service answered something else")
      }
      return status
    }
    var request = settings
    if let board { request.board = board }
    if let bus { request.bus = bus }
    var checks = BusChecks(tree: tree, request: try SensorRequest(request)).run()
    checks += configured + MachineChecks(tree: tree).run()
    let store = try storePath(setup)
    checks += StoreChecks(store: store, configuration: settings).run()
    if card { checks.append(CardProbe.run(in: store)) }
    return checks + ServiceChecks(tree: tree, setup: setup, status: status).run()
  }

  /// The service's store, where there is one that nothing else names.
  private func storePath(_ setup: RecorderSetup?) throws -> String {
    let named =
      storeOptions.store ?? program.storeOptions.store ?? Environment.value("IMULOG_STORE")
    let service = "/var/lib/imulog/recordings"
    if named == nil, access(service, F_OK) == 0 { return setup?.store ?? service }
    return try program.storePath(storeOptions)
  }

  /// The service's configuration, where it has a file.
  private func serviceSetup() -> (RecorderSetup?, [Check]) {
    let path = root + ConfigurationFile.usualPath
    guard access(path, F_OK) == 0 else { return (nil, []) }
    do {
      let file = ConfigurationFile(
        path: path, board: nil, preTrigger: nil, usualStore: "/var/lib/imulog/recordings")
      return (
        try file.setup(), [Check("configuration", .ok, "\(ConfigurationFile.usualPath) is right")]
      )
    } catch {
      return (nil, [Check("configuration", .wrong, "\(error)")])
    }
  }

  private func print(_ check: Check) throws {
    let state = check.state.rawValue
    try Console.data(
      state + spaces(10 - state.count) + check.name + spaces(15 - check.name.count) + check.words)
    if let command = check.command {
      let later = check.isLater ? "   # then log in again, or restart" : ""
      try Console.data(spaces(10) + "do: " + command + later)
    }
  }

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(1, count)) }

  /// Asks for each command that has its effect at once, and runs it.
  private func mend(_ checks: [Check]) throws {
    guard Console.isTerminal(STDIN_FILENO) else {
      throw CommandFailure(.usage, "--fix asks before each command, and stdin is no terminal")
    }
    for check in checks where check.state == .wrong || check.state == .advice {
      guard let command = check.command else { continue }
      Console.talk("\(check.name): run `\(command)`? [y/N]")
      guard readLine()?.lowercased() == "y" else { continue }
      let status = Shell.run(command)
      Console.talk(status == 0 ? "done" : "it ended with status \(status)")
    }
  }
}

/// The user's shell commands.
private enum Shell {
  /// Runs a command to its end; its exit status, or 128 and more when a signal ended it.
  static func run(_ command: String) -> Int32 {
    var process = pid_t()
    let texts: [String] = ["/bin/sh", "-c", command]
    let words = texts.map { strdup($0) } + [nil]
    // Safe: the strings were allocated here, and live until the process has its own copy.
    defer { for word in words { free(word) } }
    guard posix_spawn(&process, "/bin/sh", nil, nil, words, environ) == 0 else { return 127 }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return 127 } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }
}
