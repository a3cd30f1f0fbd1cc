// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

struct DaemonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon",
    abstract: "Run the service: wait for the button or a request, and record.",
    discussion: """
      A short press starts a recording, the next one ends it; two set a mark. A long press (1.5 s) discards \
      the recording and starts another, or between recordings keeps what was just sampled. 6 s end the service.
      """,
    examples: "imulog daemon --config /etc/imulog/imulog.conf --pre-trigger 5s")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(
    help: .value("file", "The configuration; by default /etc/imulog/imulog.conf, if it is there."),
    completion: .file())
  var config: String?

  @Option(help: .value("board", "The board, instead of the file's."), completion: .boards)
  var board: String?

  @Option(
    parsing: .unconditional,
    help: .value("span", "How long before the press a recording begins, instead of the file's."))
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
    if let failure = loop.ending.lastWords { throw ExitCode(failure.status.rawValue) }
  }
}

/// The service's reports on stderr. For the journal each line begins with its priority (sd-daemon(3)), in UTF-8 always.
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
