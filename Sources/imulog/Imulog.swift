import ArgumentParser
import Export
import Glibc

/// The program: its verbs and its one option.
struct Imulog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imulog",
    abstract: "Records motion: every scheduled sample is in the log, or the log says why not.",
    version: Software.version,
    subcommands: [
      RecordCommand.self, ListCommand.self, InfoCommand.self, ExportCommand.self,
      ImportCommand.self, VerifyCommand.self, RemoveCommand.self, BoardsCommand.self,
    ])

  @OptionGroup var storeOptions: StoreOptions

  /// The store's directory for a verb.
  func storePath(_ verb: StoreOptions) throws(CommandFailure) -> String {
    try StoreLocation.path(verb: verb, program: storeOptions, environment: Environment.value)
  }
}

/// What logs say about the program that made them.
enum Software {
  static let version = "0.1.0"
  static let name = "imulog \(version)"
}

@main
enum Program {
  static func main() {
    // A closed pipe is an error to be told, or nobody listening; not a signal that ends a take.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try Imulog.parseAsRoot()
      try command.run()
    } catch {
      // `imulog export … | head`: the reader has had enough.
      if let error = error as? ExportError, error.isBrokenPipe { exit(0) }
      guard let failure = CommandFailure(error) ?? CommandFailure(parser: error) else {
        Imulog.exit(withError: error)  // Help and version.
      }
      Console.talk(failure.sentence)
      exit(failure.status.rawValue)
    }
  }
}
