// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Doctor
import Files
import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check everything a recording needs, and print the commands that mend faults.",
    discussion: """
      Each line is a check: ok, advice (recordings work, and would be better), wrong, or unchecked. Exit status: \
      0 nothing is wrong, else 1.

      Checks:
      \(DoctorCheck.help)
      """,
    examples: "imulog doctor",
    "imulog doctor --card",
    "sudo imulog doctor --fix",
    "imulog doctor --card --report > report.md")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @OptionGroup var place: BusOptions

  @Flag(help: "Write and sync to the card for 10 s, and time it.")
  var card = false

  @Flag(help: "Ask for each command whether to run it, and look again.")
  var fix = false

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print Markdown for an issue: all figures, nothing private.")
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
    try OptionRule.expectOne(of: ["--json": json, "--report": report, "--fix": fix])
  }

  mutating func run() throws {
    guard !fix || (Console.isTerminal(STDIN_FILENO) && Console.isTerminal(STDOUT_FILENO)) else {
      throw CommandFailure.usage(
        "--fix needs a terminal to ask at; without it doctor prints the commands")
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
    let status = Result { try socketOptions.status().0 }
    let unit = ServiceUnit(tree, usual: InstalledFile.unit(""))
    // A running service keeps its former settings until a reload.
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
      chosen: chosen, members: try members(of: found), store: storePath(found),
      probeLength: card ? cardSeconds * 1_000_000_000 : nil, isReport: report, board: board,
      boardBus: board?.busNumber(tree))
  }

  /// The sensors of the service's configuration, which was read before; none where it names one.
  private func members(of settings: RecorderConfiguration?) throws -> [DoctorSensor] {
    guard let settings, !settings.sensors.isEmpty else { return [] }
    let file = SystemTree(root: root).path(ConfigurationFile.usualPath)
    return try ConfigurationFile.members(
      of: settings, try WholeFile.read(file), file: file, place.given
    ).map { DoctorSensor($0.name, $0.configuration) }
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
      state + spaces(10 - state.count) + check.title + spaces(18 - check.title.count) + words)
    for mend in check.mends {
      let later = mend.isLater ? "   # then log in again, or restart" : ""
      try Console.data(spaces(10) + "do: " + Plain.text(mend.command) + later)
    }
  }
}
