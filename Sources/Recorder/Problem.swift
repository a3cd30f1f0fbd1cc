/// What keeps the service from recording, or kept it; the raw value is the number of blinks that shows it.
public enum Problem: UInt8, CaseIterable, Sendable {
  /// The sensor was not found or was lost.
  case sensor = 1
  /// There is no space for a take, or there was none left.
  case storageFull = 2
  /// The storage failed.
  case storage = 3
  /// The configuration was read again and is wrong; the old one stays in force.
  case configuration = 4

  /// The word used in the status.
  public var name: String {
    switch self {
    case .sensor: return "sensor"
    case .storageFull: return "storageFull"
    case .storage: return "storage"
    case .configuration: return "configuration"
    }
  }

  /// The problem in words, such as `the sensor cannot be reached`.
  public var meaning: String {
    switch self {
    case .sensor: return "the sensor cannot be reached"
    case .storageFull: return "there is no space for a recording"
    case .storage: return "the storage failed"
    case .configuration: return "the configuration is wrong, and the one before it is in force"
    }
  }
}
