import IMUModel
import ArgumentParser

/// Where recordings are kept.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The directory of recordings.",
      discussion: "By default IMULOG_STORE, else the user's data directory.", valueName: "dir"))
  var store: String?
}

/// Which directory a command works on.
enum StoreLocation {
  /// The first of: the verb's `--store`, the program's, `IMULOG_STORE`, `$XDG_DATA_HOME/imulog/recordings`,
  /// `~/.local/share/imulog/recordings`.
  static func path(
    verb: String?, program: String?, environment: (String) -> String?
  ) throws(CommandFailure) -> String {
    for candidate in [verb, program, environment("IMULOG_STORE")] {
      guard let candidate else { continue }
      guard !candidate.isEmpty else {
        throw CommandFailure(
          .usage, "the store's directory is given as nothing; give one with --store DIR")
      }
      return candidate
    }
    // The XDG base directory specification ignores relative paths.
    if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
      return data + "/imulog/recordings"
    }
    guard let home = environment("HOME"), !home.isEmpty else {
      throw CommandFailure(
        .configuration, "there is no home directory to keep recordings in; give --store DIR")
    }
    return home + "/.local/share/imulog/recordings"
  }
}
