public import IMUModel

/// The first thing wrong with a configuration: where it stands, and what is accepted there.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file's name, as given.
  public let file: String
  /// The line, from 1.
  public let line: Int
  /// The key; `nil` when the line has none.
  public let key: String?
  /// What was given for it; `nil` when nothing was.
  public let value: String?
  /// What is wrong or accepted, as a clause.
  public let remedy: String

  /// One line, such as `imulog.conf:7: rate = fast: give hertz as …`, without anything that a terminal obeys.
  public var description: String {
    var statement = ""
    if let key { statement = value.map { "\(key) = \($0): " } ?? "\(key): " }
    return ForeignText.shown("\(file):\(line): \(statement)\(remedy)")
  }
}

extension ConfigurationError: StatusError {
  /// The configuration cannot be had.
  public var exitStatus: ExitStatus { .configuration }
}
