// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Boards
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
    if fix, try Mending(tree: SystemTree(root: root)).run(checks) {
      card = false
      try Console.data("\nlooking again\n")
      checks = try look(isText: true)
    }
    let home = MachineUser.person(SystemTree(root: root))?.home
    let named = [
      storePath(nil), storePath(serviceConfiguration(nil).0), Environment.value("HOME"), home,
    ]
    // Every installation has the service's usual store.
    let own = named.compactMap { $0 }.filter { $0 != DoctorCommand.serviceStore }
    let program = InstallCommand.ownPath().flatMap { $0.hasPrefix("/usr/") ? nil : $0 }
    let privacy = own.flatMap { [$0, realPath($0) ?? $0] } + [program].compactMap { $0 }
    if json { try Console.json(DoctorReport(checks, hiding: privacy).json) }
    if report { try Console.data(DoctorReport(checks, hiding: privacy).markdown) }
    if checks.contains(where: { $0.state == .wrong }) { throw ExitCode(ExitStatus.flawed.rawValue) }
  }

  /// Text is printed check by check: what hangs does not hide what was found before it.
  private func look(isText: Bool) throws -> [Check] {
    var checks: [Check] = []
    try look { check in
      checks.append(check)
      if isText { try DoctorCommand.print(check) }
    }
    return checks
  }

  private func look(_ found: (Check) throws -> Void) throws {
    let tree = SystemTree(root: root)
    let socket = try socketOptions.path(isService: false)
    let status = Result {
      guard case (.status(let status), _) = try ControlReply.ask(.status, at: socket) else {
        throw CommandFailure(.inputOutput, "the service answered something else")
      }
      return status
    }
    let unit = ServiceUnit(tree)
    // A service that runs goes on with its settings before.
    let verb = DoctorCommand.isAbsent(status) ? "start" : "reload"
    let (configuration, configured) = serviceConfiguration(
      unit, then: unit != nil && tree.runsSystemd ? ", then `sudo systemctl \(verb) imulog`" : "")
    let settings = configuration ?? .default
    for check in configured + MachineChecks(tree: tree).run() { try found(check) }
    if let store = storePath(configuration) {
      let service = settings.store ?? DoctorCommand.serviceStore
      let checks = StoreChecks(
        store: store, configuration: settings, tree: tree, unit: store == service ? unit : nil)
      for check in checks.run() { try found(check) }
      if card { try found(probe(store, status)) }
    } else {
      try found(Check("store", .unchecked, "there is no home directory to keep recordings in"))
    }
    let given = try ConfigurationFile.read([], file: "", options: place.given)
    var chosen = settings
    if place.board != nil { chosen.board = given.board }
    if place.bus != nil { chosen.bus = given.bus }
    let request = SensorRequest(chosen)
    let board = request.presentBoard(tree)
    let lines = LineChecks(tree: tree, configuration: settings, board: board)
    let buses = BusChecks(
      tree: tree, request: request, board: board, isServed: !DoctorCommand.isAbsent(status))
    let service = ServiceChecks(
      tree: tree, unit: unit, status: status,
      isConfigured: configured.allSatisfy { $0.state == .ok },
      nodes: buses.nodes + lines.nodes)
    for check in service.run() + lines.run() { try found(check) }
    try buses.run(found)
  }

  /// Not beside a recording, whose card it would keep busy.
  private func probe(_ store: String, _ status: Result<RecorderStatus, any Error>) -> Check {
    if case .success(let status) = status, !status.isIdle {
      return Check(
        "card", .unchecked, "the service is \(status.state.rawValue): the card is left to it")
    }
    if case .failure = status, !DoctorCommand.isAbsent(status) {
      return Check(
        "card", .unchecked, "the service does not say whether it records: the card is left to it")
    }
    guard !StoreChecks.isRecording(into: store) else {
      return Check("card", .unchecked, "a recording is being written: the card is left to it")
    }
    return CardProbe(store: store, clock: SystemClock(), length: cardSeconds * 1_000_000_000).run()
  }

  /// Whether no service listens. One that may not be asked, or does not answer, may be recording.
  private static func isAbsent(_ status: Result<RecorderStatus, any Error>) -> Bool {
    guard case .failure(let error as LinuxIOError) = status else { return false }
    return error.kind == .notRunning
  }

  /// What is given, else the service's store, else the user's; `nil` where there is no home for that.
  private func storePath(_ configuration: RecorderConfiguration?) -> String? {
    let named =
      storeOptions.store ?? program.storeOptions.store ?? Environment.value("IMULOG_STORE")
    if let named, !named.isEmpty { return named }
    if let store = configuration?.store { return store }
    if access(DoctorCommand.serviceStore, F_OK) == 0 { return DoctorCommand.serviceStore }
    do {
      return try program.storePath(storeOptions)
    } catch {
      return nil
    }
  }

  /// The service's configuration, where it has a file.
  ///
  /// - Parameter then: What puts a file that was corrected in force.
  private func serviceConfiguration(
    _ unit: ServiceUnit?, then: String = ""
  ) -> (RecorderConfiguration?, [Check]) {
    let (path, name) = (root + ConfigurationFile.usualPath, ConfigurationFile.usualPath)
    func check(_ state: Check.State, _ words: String) -> [Check] {
      [Check("configuration", state, words)]
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      return (nil, errno == EACCES ? check(.unchecked, "you may not look at \(name)") : [])
    }
    guard status.st_size <= DoctorCommand.longestFile else {
      return (nil, check(.wrong, "\(name) is longer than 1 MB"))
    }
    do {
      let configuration = try ConfigurationFile.read(
        try WholeFile.read(path), file: path, within: unit.map { Confinement(unit: $0) })
      if let calibration = configuration.calibration {
        // The service's rights count, and not the caller's.
        if unit?.isShut(above: calibration) == true {
          let words = "the calibration: \(ServiceUnit.shut); move it\(then)"
          return (configuration, check(.wrong, words))
        }
        if access(calibration, F_OK) == 0,
          unit?.user?.mayUse(calibration, .live, bits: 0o4) == false
        {
          let words = "the service's user may not read the calibration: let it\(then)"
          return (configuration, check(.wrong, words))
        }
        if access(calibration, R_OK) != 0, errno == EACCES {
          return (configuration, check(.unchecked, "you may not read the calibration"))
        }
      }
      let file = ConfigurationFile(
        path: path, board: nil, preTrigger: nil, usualStore: DoctorCommand.serviceStore)
      _ = try file.setup()
      return (configuration, check(.ok, "\(name) is right"))
    } catch let error as ConfigurationError where error.line > 0 {
      // A line of the file may name people and places.
      let found = report ? nil : error.description.parts(around: ":\(error.line): ")?.after
      // A drop-in is the remedy, and not another line.
      let isUnits = error.description.hasSuffix(Confinement.opening)
      let words =
        isUnits ? "line \(error.line) of \(name)" : "correct line \(error.line) of \(name)\(then)"
      return (nil, check(.wrong, words + (found.map { ": \($0)" } ?? "")))
    } catch {
      let sentence = (error as? CommandFailure)?.sentence ?? "\(error)"
      return (nil, check(.wrong, report ? "\(name) cannot be used" : sentence + then))
    }
  }

  /// The unit's.
  static let serviceStore = "/var/lib/imulog/recordings"

  /// Bytes of a file that a person writes, at most.
  static let longestFile = 1 << 20

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
