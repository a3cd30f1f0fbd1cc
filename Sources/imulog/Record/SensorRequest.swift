import Boards
import IMUModel
import IMUDrivers

/// Which sensor is wanted and how it is to be set, checked as far as it can be without hardware.
struct SensorRequest: Sendable {
  let rate: SampleRate
  let channels: ChannelSet
  let accelerometerRange: Int
  let gyroscopeRange: Int
  let board: Board?
  let bus: Int?
  let choice: SensorChoice
  /// What the simulator's sensor does.
  let motion: String?
  let isTimeVirtual: Bool

  /// Whether the sensor is simulated.
  var isSimulated: Bool { board?.id == "simulator" }

  /// The board of that name; `nil` for none given.
  static func board(_ name: String?) throws(CommandFailure) -> Board? {
    guard let name else { return nil }
    guard let board = Board.named(name) else {
      let names = Board.all.map(\.id)
      let question = Suggestion.question(name, among: names)
      let all = "; there are \(names.joined(separator: ", ")); `imulog boards` shows them"
      throw CommandFailure(
        .configuration, "there is no board named \(name)\(question.isEmpty ? all : question)")
    }
    return board
  }

  /// What `auto`, a model's name, and an address after an `@` choose.
  static func choice(_ text: String) throws(CommandFailure) -> SensorChoice {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].lowercased()
    var choice = SensorChoice(model: SensorModel.named(name))
    guard name == "auto" || choice.model != nil else {
      let names = SensorModel.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.configuration, "--sensor \(text): give auto or one of \(names)")
    }
    guard parts.count == 2 else { return choice }
    let digits = parts[1].hasPrefix("0x") ? parts[1].dropFirst(2) : parts[1]
    let address = UInt8(digits, radix: 16).flatMap { I2CAddress($0) }
    guard let address, choice.addresses.contains(address) else {
      let places = choice.addresses.map { "\(name)@\($0)" }.joined(separator: ", ")
      throw CommandFailure(
        .configuration, "--sensor \(text): no such sensor is there; give one of \(places)")
    }
    choice.address = address
    return choice
  }
}
