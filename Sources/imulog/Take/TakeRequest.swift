import Boards
import IMUDrivers
import IMUModel

/// What `record` was asked for, checked as far as it can be without hardware.
struct TakeRequest {
  let rate: SampleRate
  /// `nil` for "until stopped".
  let plannedTicks: UInt64?
  let channels: ChannelSet
  let accelerometerRange: Int
  let gyroscopeRange: Int
  let syncInterval: Int64
  let note: String
  let board: Board?
  let bus: Int?
  /// `nil` for "auto".
  let model: SensorModel?
  let motion: String?
  let isTimeVirtual: Bool

  init(_ command: RecordCommand) throws(CommandFailure) {
    guard let rate = SampleRate(decimal: command.rate) else {
      throw CommandFailure(
        .usage, "--rate \(command.rate): give hertz as a decimal number above 0, such as 10 or 12.5"
      )
    }
    self.rate = rate
    channels = command.channels.set
    accelerometerRange = try TakeRequest.range(command.accelRange, unit: "g", "--accel-range")
    gyroscopeRange = try TakeRequest.range(command.gyroRange, unit: "dps", "--gyro-range")
    plannedTicks = try TakeRequest.ticks(command, rate)
    syncInterval = TakeRequest.syncInterval(command, rate)
    note = command.note
    guard note.utf8.count <= 1000 else {
      throw CommandFailure(
        .usage, "--note has \(note.utf8.count) bytes, and 1000 fit into a recording; shorten it")
    }
    board = try TakeRequest.board(command.board)
    bus = command.bus
    model = try TakeRequest.model(command.sensor)
    motion = command.motion
    isTimeVirtual = command.virtualTime
    try checkSimulatorOptions()
  }

  /// Whether the sensor is simulated.
  var isSimulated: Bool { board?.id == "simulator" }

  private func checkSimulatorOptions() throws(CommandFailure) {
    if isSimulated {
      guard bus == nil else {
        throw CommandFailure(.usage, "the simulator has no bus to choose; leave --bus out")
      }
      guard !(isTimeVirtual && plannedTicks == nil) else {
        throw CommandFailure(
          .usage, "--virtual-time runs as fast as it can and so needs an end; give --for")
      }
    } else if motion != nil || isTimeVirtual {
      let option = motion != nil ? "--motion" : "--virtual-time"
      throw CommandFailure(.usage, "\(option) is the simulator's; give --board simulator with it")
    }
    if let bus, bus < 0 {
      throw CommandFailure(.usage, "--bus \(bus): give the number N of a /dev/i2c-N")
    }
  }

  private static func range(
    _ text: String, unit: String, _ option: String
  ) throws(CommandFailure) -> Int {
    let digits = text.hasSuffix(unit) ? text.dropLast(unit.count) : text[...]
    guard let range = Int(digits), range > 0 else {
      throw CommandFailure(.usage, "\(option) \(text): give a full scale such as 4\(unit)")
    }
    return range
  }

  private static func ticks(
    _ command: RecordCommand, _ rate: SampleRate
  ) throws(CommandFailure) -> UInt64? {
    if command.untilStopped {
      guard command.length == nil else {
        throw CommandFailure(
          .usage, "--for and --until-stopped exclude each other; give one of them")
      }
      return nil
    }
    let length = command.length ?? Span(nanoseconds: 60_000_000_000)
    guard length.nanoseconds > 0 else {
      throw CommandFailure(.usage, "--for needs a time above 0, such as 60s")
    }
    // Every tick whose deadline lies inside the time: 600 in 60 s at 10 Hz.
    return rate.tick(atNanoseconds: length.nanoseconds - 1) + 1
  }

  /// A second at risk, or ten where a take has no end and a second is only a few samples: at 10 Hz a sync
  /// costs the card a page however few samples it carries.
  private static func syncInterval(_ command: RecordCommand, _ rate: SampleRate) -> Int64 {
    if let span = command.syncEvery { return span.nanoseconds }
    let isLongAndSlow = command.untilStopped && rate.hertz <= 10
    return isLongAndSlow ? 10_000_000_000 : 1_000_000_000
  }

  private static func board(_ name: String?) throws(CommandFailure) -> Board? {
    guard let name else { return nil }
    guard let board = Board.named(name) else {
      let names = Board.all.map(\.id).joined(separator: ", ")
      throw CommandFailure(.configuration, "there is no board named \(name); there are \(names)")
    }
    return board
  }

  private static func model(_ name: String) throws(CommandFailure) -> SensorModel? {
    guard name != "auto" else { return nil }
    guard let model = SensorModel(rawValue: name.lowercased()) else {
      let names = SensorModel.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.configuration, "--sensor \(name): give auto or one of \(names)")
    }
    return model
  }
}
