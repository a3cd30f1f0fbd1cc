import Boards
import Glibc
import IMUDrivers
import Recorder

/// The service's configuration file, and what was said on the command line in its place.
struct ServiceConfigurationFile: Sendable {
  /// Where it is when nothing else is said; there need not be one.
  static let usualPath = "/etc/imulog/imulog.conf"

  let path: String?
  let board: String?
  let preTrigger: String?

  /// Reads it.
  func read() throws -> ServiceConfiguration {
    let file = path ?? ServiceConfigurationFile.usualPath
    let isThere = path != nil || access(file, F_OK) == 0
    let choices = ConfigurationChoices(
      boards: Board.all.map(\.id), sensors: SensorModel.allCases.map(\.rawValue))
    return try ServiceConfiguration(
      text: isThere ? try WholeFile.read(file) : [], file: file, choices: choices, board: board,
      preTrigger: preTrigger)
  }
}
