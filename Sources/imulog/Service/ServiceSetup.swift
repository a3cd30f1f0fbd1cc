import Boards
import IMUDrivers
import IMUModel
import LinuxIO
import Recorder

/// A configuration with everything that it leaves to the program filled in.
struct ServiceSetup: Sendable {
  let configuration: ServiceConfiguration
  let sensor: SensorRequest
  /// The directory of recordings.
  let store: String
  let button: GPIOLineSpec?
  let light: GPIOLineSpec?

  /// The setup of a configuration.
  ///
  /// - Parameter usualStore: Where recordings are when the configuration does not say.
  init(_ configuration: ServiceConfiguration, usualStore: String) throws(CommandFailure) {
    self.configuration = configuration
    let given = try SensorRequest.board(configuration.board)
    let tree = SystemTree.live
    let board =
      given
      ?? Board.detect(model: tree.boardModel(), compatible: tree.boardCompatibles())
    sensor = SensorRequest(
      rate: configuration.rate, channels: configuration.channels,
      accelerometerRange: configuration.accelerometerRange,
      gyroscopeRange: configuration.gyroscopeRange, board: board, bus: configuration.bus,
      choice: try SensorRequest.choice(configuration.sensor ?? "auto"), motion: nil,
      isTimeVirtual: false)
    store = configuration.store ?? usualStore
    button = ServiceSetup.line(configuration.button, board?.button)
    light = ServiceSetup.line(configuration.light, board?.led)
  }

  private static func line(_ line: ServiceLine, _ board: Board.Line?) -> GPIOLineSpec? {
    switch line {
    case .automatic: return board.map { .name($0.name) }
    case .none: return nil
    case .named(let name): return .name(name)
    case .offset(let chip, let offset): return .offset(chip: chip, offset)
    }
  }

  /// Ticks before a press that go in front of a take.
  var ticksBefore: UInt64 {
    sensor.rate.ticks(inNanoseconds: configuration.preTrigger)
  }

  /// Ticks of a take from the press on; `nil` until stopped.
  var ticksAfter: UInt64? {
    configuration.length.map { sensor.rate.ticks(inNanoseconds: $0) }
  }

  /// Ticks that are kept while idle.
  var historyTicks: Int { Int(ServiceConfiguration.historyCapacity(sensor.rate)) }

  /// How often a take is made durable, in nanoseconds; as `record` has it when it is not given.
  var syncInterval: Int64 {
    if let interval = configuration.syncInterval { return interval }
    return configuration.length == nil && sensor.rate.hertz <= 10 ? 10_000_000_000 : 1_000_000_000
  }
}

extension SampleRate {
  /// Every tick whose deadline lies inside the time: 600 in 60 s at 10 Hz.
  func ticks(inNanoseconds nanoseconds: Int64) -> UInt64 {
    nanoseconds > 0 ? tick(atNanoseconds: nanoseconds - 1) + 1 : 0
  }
}
