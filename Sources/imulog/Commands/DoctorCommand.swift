// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Doctor
import Files
import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

/// `imulog doctor`: looks at all that a recording needs, names what is wrong, and the command that mends it.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look at all that a recording needs, and name what mends it.",
    discussion: """
      Each line is one check: ok, advice (recordings work, and would be better), wrong, or unchecked, with the reason and \
      the commands that mend it. The exit status is 0 when nothing is wrong, else 1. --fix asks before each command that \
      needs no new start, carries it out, and looks again. A chip that a recorder uses is left alone, and nothing is \
      written to an unknown one; a known one is set up as for a recording where an interrupt line is configured, to see \
      whether the line fires. --report writes Markdown with every figure and nothing private, for an issue.

      Examples:
        imulog doctor
        imulog doctor --card
        sudo imulog doctor --fix
        imulog doctor --report > report.md
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @OptionGroup var place: BusOptions

  @Flag(help: "Write and sync to the card for 10 s, and report how long it takes.")
  var card = false

  @Flag(help: "Ask for each command whether to carry it out, and look again.")
  var fix = false

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print Markdown with all figures, for a report.")
  var report = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Seconds of the card's probe.", visibility: .hidden))
  var cardSeconds: Int64 = 10

  @Option(help: ArgumentHelp("Where /dev, /proc, /sys and /etc are.", visibility: .hidden))
  var root = ""

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    guard (0...3600).contains(cardSeconds) else {
      throw ValidationError("--card-seconds takes 0 to 3600")
    }
    if json, report { throw ValidationError("--json and --report exclude each other") }
    if fix, json || report {
      throw ValidationError("--fix and --json or --report exclude each other")
    }
  }

  mutating func run() throws {
    guard !fix || (Console.isTerminal(STDIN_FILENO) && Console.isTerminal(STDOUT_FILENO)) else {
      throw CommandFailure(
        .usage,
        "--fix asks before each command, and there is no terminal to ask at; without it doctor prints the commands"
      )
    }
    var checks = try look(isText: !json && !report)
    if fix, try Mending(SystemTree(root: root)).run(checks) {
      card = false
      try Console.data("\nlooking again\n")
      checks = try look(isText: true)
    }
    let home = MachineUser.person(SystemTree(root: root))?.home
    let named = [
      storePath(nil),
      storePath(ConfigurationCheck(tree: SystemTree(root: root), unit: nil).run().0),
      Environment.value("HOME"), home,
    ]
    // Every installation has the service's usual store.
    let own = named.compactMap { $0 }.filter { $0 != ServiceUnit.store }
    let program = InstallCommand.ownPath().flatMap { $0.hasPrefix("/usr/") ? nil : $0 }
    let privacy = own.flatMap { [$0, realPath($0) ?? $0] } + [program].compactMap { $0 }
    if json { try Console.json(DoctorReport(checks, hiding: privacy).json) }
    if report { try Console.data(DoctorReport(checks, hiding: privacy).markdown) }
    if checks.contains(where: { $0.state == .wrong }) { throw ExitCode(ExitStatus.flawed.rawValue) }
  }

  /// Text is printed check by check: what hangs does not hide what was found before it.
  private func look(isText: Bool) throws -> [Check] {
    let subject = try subject()
    var checks: [Check] = []
    for check in DoctorCheck.all {
      try check.look(subject) { check in
        checks.append(check)
        if isText { try DoctorCommand.print(check) }
      }
    }
    return checks
  }

  private func subject() throws -> DoctorSubject {
    let tree = SystemTree(root: root)
    let socket = try socketOptions.path(isService: false)
    let status = Result {
      guard case (.status(let status), _) = try ControlReply.ask(.status, at: socket) else {
        throw CommandFailure(.inputOutput, "the service answered something else")
      }
      return status
    }
    let unit = ServiceUnit(tree, usual: InstalledFile.unit(""))
    // A service that runs goes on with its settings before.
    let verb = DoctorSubject.isAbsent(status) ? "start" : "reload"
    let (found, configured) = ConfigurationCheck(
      tree: tree, unit: unit,
      then: unit != nil && tree.runsSystemd ? ", then `sudo systemctl \(verb) imulog`" : "",
      isPrivate: report
    ).run()
    let given = try ConfigurationFile.read([], file: "", options: place.given)
    let settings = found ?? .default
    var chosen = settings
    if place.board != nil { chosen.board = given.board }
    if place.bus != nil { chosen.bus = given.bus }
    let request = SensorRequest(chosen)
    let board = request.presentBoard(tree)
    return DoctorSubject(
      tree: tree, unit: unit, status: status, configured: configured, configuration: settings,
      chosen: chosen, store: storePath(found),
      probeLength: card ? cardSeconds * 1_000_000_000 : nil, board: board,
      boardBus: board?.busNumber(tree))
  }

  /// What is given, else the service's store, else the user's; `nil` without a home directory.
  private func storePath(_ configuration: RecorderConfiguration?) -> String? {
    let named =
      storeOptions.store ?? program.storeOptions.store ?? Environment.value("IMULOG_STORE")
    if let named, !named.isEmpty { return named }
    if let store = configuration?.store { return store }
    if access(ServiceUnit.store, F_OK) == 0 { return ServiceUnit.store }
    do {
      return try program.storePath(storeOptions)
    } catch {
      return nil
    }
  }

  private static func print(_ check: Check) throws {
    func spaces(_ count: Int) -> String { String(repeating: " ", count: max(1, count)) }
    let state = check.state.rawValue
    let words = Plain.text(check.words)
    try Console.data(
      state + spaces(10 - state.count) + check.name + spaces(18 - check.name.count) + words)
    for mend in check.mends {
      let later = mend.isLater ? "   # then log in again, or restart" : ""
      try Console.data(spaces(10) + "do: " + Plain.text(mend.command) + later)
    }
  }
}
