public import IMUModel
public import LogFormat

/// Why a log cannot be read at all. Damage after the header is no error: it is read around and
/// reported as ``LogItem/damage(_:)``.
public enum LogError: Error, Equatable, Sendable {
  /// The storage failed.
  case storage(StorageError)
  /// The file is no log; `found` says in a clause what it begins with.
  case foreign(name: String, found: String)
  /// The log was written by a newer program.
  case unsupportedVersion(name: String, version: UInt8)
  /// The file is a log, but its first page, without which its samples have neither scales nor
  /// times, is damaged at `offset`.
  case damagedHeader(name: String, offset: Int, reason: FormatError.Reason)
  /// A description cannot be written as a header.
  case description(FormatError)
}

extension LogError: CustomStringConvertible {
  /// One sentence with what can be done.
  public var description: String {
    switch self {
    case .storage(let error): return error.description
    case .foreign(let name, let found):
      return "\(name) is no imulog recording: it \(found)"
    case .unsupportedVersion(let name, let version):
      return "\(name) is of version \(version) of the log format and this program reads version "
        + "\(LogFormat.version); use a newer imulog"
    case .damagedHeader(let name, let offset, let reason):
      return "the header of \(name) is damaged at byte \(offset): "
        + "\(FormatError(reason, offset: offset)); the scales and the rate stood there, so nothing "
        + "after it can be read; use another copy of the file"
    case .description(let error): return error.description
    }
  }
}

extension LogError: StatusError {
  /// Whether the storage, the data or what was asked for is wrong.
  public var exitStatus: ExitStatus {
    switch self {
    case .storage(let cause): cause.exitStatus
    case .foreign, .unsupportedVersion, .damagedHeader: .damagedData
    case .description: .usage
    }
  }
}
