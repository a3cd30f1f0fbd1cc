/// Why a recording ended; raw values are part of the log format.
public enum StopReason: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// It reached the length that was asked for.
  case completed = 1
  /// SIGINT or SIGTERM.
  case signal = 2
  /// The button.
  case button = 3
  /// The storage was full.
  case storageFull = 4
  /// The storage failed.
  case storageError = 5
  /// The sensor could not be brought back.
  case sensorLost = 6
  /// The recording came from a file of another kind and is whole.
  case imported = 7
  /// The recording was salvaged from a log that is not whole.
  case recovered = 8
}
