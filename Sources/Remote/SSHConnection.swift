import IMUModel

/// How `ssh` is started; everything else is in the user's own configuration of it.
public struct SSHConnection: Sendable {
  /// The program.
  public var program: String
  /// Its port; `nil` for the configured one.
  public var port: String?
  /// The key's file.
  public var identity: String?
  /// The configuration file.
  public var configuration: String?
  /// Further values of `-o`.
  public var options: [String]
  /// The other machine's store, when it is not the usual one.
  public var remoteStore: String?

  /// A connection.
  public init(
    program: String, port: String?, identity: String?, configuration: String?, options: [String],
    remoteStore: String?
  ) {
    self.program = program
    self.port = port
    self.identity = identity
    self.configuration = configuration
    self.options = options
    self.remoteStore = remoteStore
  }

  /// The program's arguments. A host never becomes an option: `--` stands in front of it.
  func arguments(host: String) -> [String] {
    // The first value counts for ssh; a password could not be asked for beside several hosts and a progress line.
    var words = ["-T", "-o", "BatchMode=yes"]
    if let port { words += ["-p", port] }
    if let identity { words += ["-i", identity] }
    if let configuration { words += ["-F", configuration] }
    for option in options { words += ["-o", option] }
    words += ["--", host, "imulog"]
    if let remoteStore { words += ["--store", SSHConnection.quoted(remoteStore)] }
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
