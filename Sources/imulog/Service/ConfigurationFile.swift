import Boards
import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder

/// The service's configuration file, and what was given on the command line in its place.
struct ConfigurationFile: Sendable {
  /// Where it is when nothing else is given; there need not be one.
  static let usualPath = "/etc/imulog/imulog.conf"

  let path: String?
  let board: String?
  let preTrigger: String?
  /// Where recordings are when the configuration does not say.
  let usualStore: String

  /// Reads it, and fills in what it leaves to the program.
  func setup() throws -> RecorderSetup {
    let file = path ?? ConfigurationFile.usualPath
    let isThere = path != nil || access(file, F_OK) == 0
    let choices = ConfigurationChoices(
      boards: Board.all.map(\.id), sensors: SensorModel.allCases.map(\.rawValue))
    let configuration = try RecorderConfiguration(
      text: isThere ? try WholeFile.read(file) : [], file: file, choices: choices,
      options: ["board": board, "pre-trigger": preTrigger].compactMapValues { $0 })
    let tree = SystemTree.live
    let board =
      try SensorRequest.board(configuration.board)
      ?? Board.detect(model: tree.boardModel(), compatible: tree.boardCompatibles())
    return RecorderSetup(
      configuration,
      sensor: SensorRequest(
        rate: configuration.rate, channels: configuration.channels,
        accelerometerRange: configuration.accelerometerRange,
        gyroscopeRange: configuration.gyroscopeRange, board: board, bus: configuration.bus,
        choice: try SensorRequest.choice(configuration.sensor ?? "auto"), motion: nil,
        isTimeVirtual: false),
      store: configuration.store ?? usualStore,
      button: ConfigurationFile.line(configuration.button, board?.button),
      light: ConfigurationFile.line(configuration.light, board?.led))
  }

  private static func line(_ line: LineChoice, _ board: Board.Line?) -> GPIOLineSpec? {
    switch line {
    case .automatic: return board.map { .name($0.name) }
    case .none: return nil
    case .named(let name): return .name(name)
    case .offset(let chip, let offset): return .offset(chip: chip, offset)
    }
  }
}
