import IMUModel
import ArgumentParser
import Export
import Glibc
import LogStore

/// The program: its verbs and its one option.
struct Imulog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imulog",
    abstract: "Records motion: every scheduled sample is in the log, or the log says why not.",
    version: Software.version,
    subcommands: [
      RecordCommand.self, ListCommand.self, ShowCommand.self, PlayCommand.self, InfoCommand.self,
      ExportCommand.self, ImportCommand.self, VerifyCommand.self, RecoverCommand.self,
      RemoveCommand.self, RestoreCommand.self, BoardsCommand.self,
      DaemonCommand.self, StatusCommand.self, WatchCommand.self, StartCommand.self,
      StopCommand.self,
      MarkCommand.self, KeepCommand.self, DiscardCommand.self, InstallCommand.self,
      PullCommand.self, ServeCommand.self, PullServerCommand.self,
    ])

  @OptionGroup var storeOptions: StoreOptions

  @Flag(help: ArgumentHelp("Open no recording that is a link.", visibility: .hidden))
  var beneath = false

  /// The store for a verb that reads it.
  func openStore(_ verb: StoreOptions) throws -> Catalogue {
    try OpenStore.reading(try storePath(verb), followsLinks: !beneath)
  }

  /// The store's directory for a verb.
  func storePath(_ verb: StoreOptions) throws(CommandFailure) -> String {
    try StoreLocation.path(
      verb: verb.store, program: storeOptions.store, environment: Environment.value)
  }
}

@main
enum Program {
  static func main() {
    // A closed pipe is an error to be reported, or has no reader any more; a file at its limit of size is a full disk.
    // Neither is a signal that ends a take.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    occupyStandardDescriptors()
    do {
      // The Swift runtime reads its arguments in /proc. Without them each verb would be a call for help, with status 0.
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
      // `imulog export … | head`: the reader has had enough.
      if let error = error as? ExportError, error.isBrokenPipe { exit(0) }
      // A question was answered; the status is the answer.
      if let code = error as? ExitCode { exit(code.rawValue) }
      guard let failure = CommandFailure(error) ?? CommandFailure(parser: error) else {
        sayAsked(error)
      }
      Console.talk(failure.sentence)
      exit(failure.status.rawValue)
    }
  }

  /// Prints help, the version or a script of completions, which was asked for, and ends.
  private static func sayAsked(_ answer: any Error) -> Never {
    do {
      try Console.data(Imulog.fullMessage(for: answer))
    } catch {
      Console.talk(error.sentence)
      exit(error.status.rawValue)
    }
    exit(0)
  }

  /// Opens /dev/null where stdin, stdout or stderr is closed, so that no log gets their numbers and the
  /// program's talk with them.
  private static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one, because those below are open by now.
      _ = open("/dev/null", O_RDWR)
    }
  }
}
