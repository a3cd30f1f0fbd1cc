import ArgumentParser
import Glibc
import IMUModel
import LinuxIO
import Recorder

/// `imulog daemon`: waits for the button and records.
struct DaemonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon", abstract: "Wait for the button or a request, and record: the service.",
    discussion: """
      A short press begins a recording and ends it; two short presses mark the moment; a long press (1.5 s) \
      begins anew, or keeps what was just sampled when no recording runs; 6 s end the service. The file in \
      --config says what is recorded; imulog install writes one with every key explained.
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(
    help: ArgumentHelp(
      "The configuration file; /etc/imulog/imulog.conf when not given, if there is one.",
      valueName: "file"))
  var config: String?

  @Option(help: ArgumentHelp("The board, in place of the file's.", valueName: "board"))
  var board: String?

  @Option(
    help: ArgumentHelp(
      "What goes in front of a recording, such as 5s, in place of the file's.", valueName: "span"))
  var preTrigger: String?

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    let file = ConfigurationFile(
      path: config, board: board, preTrigger: preTrigger,
      usualStore: try program.storePath(storeOptions))
    let setup = try file.setup()
    var surroundings = RecorderLoop.Surroundings(journal: ServiceJournal.report) {
      try ButtonPanel.open($0, journal: ServiceJournal.report)
    }
    surroundings.readSetup = { try file.setup() }
    surroundings.socket = try socketOptions.path(isService: true)
    surroundings.notifier = ServiceNotifier(environment: Environment.value)
    let loop = try RecorderLoop(setup, surroundings)
    try loop.run()
    if let failure = loop.lastWords { throw ExitCode(failure.status.rawValue) }
  }
}

/// The service's reports on stderr: for the journal with the priority in front that it understands
/// (sd-daemon(3)), an entry a line, in UTF-8 whatever the locale; for a terminal as any talk.
enum ServiceJournal {
  private static let isJournal = Environment.value("JOURNAL_STREAM") != nil

  static func report(_ priority: JournalPriority, _ line: String) {
    guard isJournal else { return Console.talk(line) }
    var text = "<\(priority.rawValue)>" + ForeignText.shown(line) + "\n"
    text.withUTF8 { bytes in
      // If writing to stderr fails there is nowhere to report it.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
