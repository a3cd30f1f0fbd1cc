// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import ArgumentParser
import Export
import Glibc
import Hub
import LogStore
import Text

/// The program, with its verbs.
struct Imulog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imulog",
    abstract: "Records motion: every scheduled sample is in the log, or the log says why not.",
    discussion: """
      Examples:
        imulog record --board simulator --motion tumble --rate 100 --for 10s
        imulog record --for 60s --note "left wheel"
        imulog show latest
        imulog export latest -o walk.csv
        imulog pull pi
      """,
    version: """
      \(Software.name)
      Licence: Apache-2.0; see `imulog licences`.
      """,
    subcommands: [
      RecordCommand.self, ListCommand.self, ShowCommand.self, PlayCommand.self, InfoCommand.self,
      ExportCommand.self, AnalyzeCommand.self, LabelCommand.self, CalibrateCommand.self,
      ImportCommand.self, VerifyCommand.self, RecoverCommand.self, RemoveCommand.self,
      RestoreCommand.self, BoardsCommand.self,
      DaemonCommand.self, StatusCommand.self, WatchCommand.self, StartCommand.self,
      StopCommand.self,
      MarkCommand.self, KeepCommand.self, DiscardCommand.self, InstallCommand.self,
      PullCommand.self, HubCommand.self, HubDerivationCommand.self, ServeCommand.self,
      PullServerCommand.self,
      DoctorCommand.self,
      CertifyCommand.self, LicencesCommand.self,
    ])

  @OptionGroup var storeOptions: StoreOptions

  @Flag(help: ArgumentHelp("Open no recording that is a link.", visibility: .hidden))
  var beneath = false

  /// The store for a verb that reads it.
  func openStore(_ verb: StoreOptions) throws -> Catalogue {
    try Catalogue(path: try storePath(verb), followsLinks: !beneath)
  }

  /// The store's directory for a verb. A hub is refused: a recording there would be no host's.
  func storePath(_ verb: StoreOptions) throws(CommandFailure) -> String {
    let path = try storeOrHubPath(verb)
    guard !HubDirectory.isHub(path) else {
      let shown = Plain.text(path)
      throw CommandFailure.usage(
        "\(shown) is a hub with a store for each host; name one with --store \(shown)/logs/HOST")
    }
    return path
  }

  /// The directory of a store or a hub, for a verb that knows both.
  func storeOrHubPath(_ verb: StoreOptions) throws(CommandFailure) -> String {
    try StoreLocation.path(verb: verb.store, program: storeOptions.store)
  }
}

@main
enum Program {
  static func main() {
    // Writing to a closed pipe, or beyond a file's limit, must fail with an errno and not end the recording by a signal.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // Ignored by what started this program, no status of a child would be known.
    signal(SIGCHLD, SIG_DFL)
    occupyStandardDescriptors()
    do {
      // The Swift runtime reads its arguments in /proc. Without them every verb would print the help and exit with 0.
      guard CommandLine.argc > 0 else {
        throw CommandFailure(
          .unavailable,
          "the arguments cannot be read without /proc; mount it (`mount -t proc proc /proc`), in a container or chroot too"
        )
      }
      if let listing = try ListShortcut.listing(CommandLine.arguments.dropFirst()) {
        try listing.print()
      } else {
        try CommandFailure.refuseUnknownVerb(Array(CommandLine.arguments.dropFirst()))
        var command = try Imulog.parseAsRoot()
        try command.run()
      }
    } catch {
      // `imulog export … | head`: the reader has read enough.
      if let error = error as? ExportError, error.isBrokenPipe { exit(0) }
      // The status is an answer, as with `info --check`.
      if let code = error as? ExitCode { exit(code.rawValue) }
      guard let failure = CommandFailure(error) ?? CommandFailure(parser: error) else {
        printRequested(error)
      }
      Console.talk(failure.sentence)
      exit(failure.status.rawValue)
    }
  }

  /// Prints the help, the version or the completion script that was asked for, and exits.
  private static func printRequested(_ answer: any Error) -> Never {
    do {
      try Console.data(Imulog.fullMessage(for: answer))
    } catch {
      Console.talk(error.sentence)
      exit(error.status.rawValue)
    }
    exit(0)
  }

  /// Opens /dev/null where stdin, stdout or stderr is closed: else a log file could get its number, and messages would be
  /// written into the log. In place of stdout it cannot be written to, because output that nothing receives is a failure.
  private static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // This is the lowest free number: those below are open by now.
      _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }
}
