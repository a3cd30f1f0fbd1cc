import ArgumentParser
import IMUModel

/// How `ssh` is started; everything else is in the user's own configuration of it.
struct SSHOptions: ParsableArguments {
  @Option(
    name: .customShort("p"), parsing: .unconditional,
    help: ArgumentHelp("The port, for ssh.", valueName: "port"))
  var port: String?

  @Option(
    name: .customShort("i"), parsing: .unconditional,
    help: ArgumentHelp("The key's file, for ssh.", valueName: "file"))
  var identity: String?

  @Option(
    name: .customShort("F"), parsing: .unconditional,
    help: ArgumentHelp("The configuration file, for ssh.", valueName: "file"))
  var configuration: String?

  @Option(
    name: .customShort("o"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("An option for ssh, such as -o ConnectTimeout=10.", valueName: "option"))
  var options: [String] = []

  @Option(
    help: ArgumentHelp(
      "The program to connect with.", discussion: "Else IMULOG_SSH, else ssh.",
      valueName: "program"))
  var ssh: String?

  @Option(
    help: ArgumentHelp(
      "The other machine's store, when it is not the usual one; of no use with a restricted key.",
      valueName: "dir"))
  var remoteStore: String?

  /// The program.
  var program: String { ssh ?? Environment.value("IMULOG_SSH") ?? "ssh" }

  /// Its arguments. A host never becomes an option: `--` stands in front of it.
  func arguments(host: String) -> [String] {
    // The first value counts for ssh; a password could not be asked for beside several hosts and a progress line.
    var words = ["-T", "-o", "BatchMode=yes"]
    if let port { words += ["-p", port] }
    if let identity { words += ["-i", identity] }
    if let configuration { words += ["-F", configuration] }
    for option in options { words += ["-o", option] }
    words += ["--", host, "imulog"]
    if let remoteStore { words += ["--store", SSHOptions.quoted(remoteStore)] }
    return words + ["pull-server"]
  }

  /// How a host's imulog is reached, on one line. The same words may lead to another store later.
  func route(to host: String) -> String {
    ForeignText.shown(([program] + arguments(host: host)).joined(separator: " "))
  }

  /// A word for the shell on the other machine, which `ssh` hands the command to.
  private static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
