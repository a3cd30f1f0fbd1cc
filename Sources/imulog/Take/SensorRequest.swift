import Boards
import IMUDrivers
import IMUModel

/// Which sensor is wanted and how it is to be set, checked as far as it can be without hardware.
struct SensorRequest: Sendable {
  let rate: SampleRate
  let channels: ChannelSet
  let accelerometerRange: Int
  let gyroscopeRange: Int
  let board: Board?
  let bus: Int?
  /// `nil` for "auto".
  let model: SensorModel?
  /// What the simulator's sensor does.
  let motion: String?
  let isTimeVirtual: Bool

  /// Whether the sensor is simulated.
  var isSimulated: Bool { board?.id == "simulator" }

  /// The board of that name; `nil` for none given.
  static func board(_ name: String?) throws(CommandFailure) -> Board? {
    guard let name else { return nil }
    guard let board = Board.named(name) else {
      let names = Board.all.map(\.id).joined(separator: ", ")
      throw CommandFailure(.configuration, "there is no board named \(name); there are \(names)")
    }
    return board
  }

  /// The model of that name; `nil` for "auto".
  static func model(_ name: String) throws(CommandFailure) -> SensorModel? {
    guard name != "auto" else { return nil }
    guard let model = SensorModel(rawValue: name.lowercased()) else {
      let names = SensorModel.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.configuration, "--sensor \(name): give auto or one of \(names)")
    }
    return model
  }
}
