// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Text

/// The options of `record`, checked as far as possible without hardware.
struct RecordRequest {
  let sensor: SensorRequest
  var configuration: RecorderConfiguration { sensor.configuration }
  /// Whether the recording is shown on the terminal.
  let isOnTerminal: Bool
  /// Whether the terminal shows what to do for a calibration.
  let isGuided: Bool

  init(_ command: RecordCommand) throws(CommandFailure) {
    guard let rate = SampleRate(decimal: command.rate) else {
      throw CommandFailure(
        .usage, "--rate \(command.rate): \(SampleRate.refusal(of: command.rate))")
    }
    guard rate.hertz >= 0.0001 else {
      throw CommandFailure(
        .usage, "--rate \(command.rate): give at least 0.0001 Hz, a sample in 10000 s")
    }
    var configuration = RecorderConfiguration.default
    configuration.rate = rate
    guard let clock = ClockChoice(rawValue: command.clock) else {
      throw CommandFailure(.usage, "--clock \(command.clock): give auto, chip or grid")
    }
    configuration.clock = clock
    guard let interrupt = LineChoice(command.interrupt) else {
      throw CommandFailure(
        .usage,
        "--interrupt \(command.interrupt): give none, auto, a line's name such as GPIO22, or CHIPLABEL:OFFSET"
      )
    }
    configuration.interrupt = interrupt
    configuration.timeStamps = command.timeStamps
    configuration.channels = command.channels.set
    configuration.accelerometerRange = try RecordRequest.range(
      command.accelRange, unit: "g", "--accel-range")
    configuration.gyroscopeRange = try RecordRequest.range(
      command.gyroRange, unit: "dps", "--gyro-range")
    configuration.length = try RecordRequest.length(command)
    configuration.syncInterval = command.syncEvery?.nanoseconds
    configuration.samplesWhileIdle = false
    guard let latency = LatencyChoice(command.cpuLatency) else {
      throw CommandFailure(
        .usage, "--cpu-latency \(command.cpuLatency): give auto, off, or microseconds up to 10000")
    }
    configuration.cpuLatency = command.virtualTime ? .free : latency
    let longest = RecorderConfiguration.longestNote
    guard command.note.utf8.count <= longest else {
      throw CommandFailure(
        .usage,
        "--note has \(command.note.utf8.count) bytes, and \(longest) fit into a recording; shorten it"
      )
    }
    configuration.note = command.note
    guard let axes = AxisMap(command.axes) else {
      throw CommandFailure(.usage, "--axes \(command.axes): \(AxisMap.accepts)")
    }
    configuration.axes = axes.isIdentity ? nil : axes
    configuration.calibration = command.calibration
    // A recording in simulated time ends before a user could see it.
    isOnTerminal = command.terminalOptions.isInteractive && !command.virtualTime
    isGuided = false
    sensor = try command.sensorOptions.request(
      configuration, isTimeVirtual: command.virtualTime)
    guard command.virtualTime else { return }
    guard sensor.isSimulated else {
      throw CommandFailure(
        .usage, "--virtual-time is the simulator's; give --board simulator with it")
    }
    guard configuration.length != nil else {
      throw CommandFailure(
        .usage, "--virtual-time runs as fast as it can and so needs an end; give --for")
    }
  }

  /// The recording of a calibration by hand, until the user ends it.
  init(guided command: CalibrateCommand) throws(CommandFailure) {
    var configuration = RecorderConfiguration.default
    configuration.rate = RecordRequest.guidedRate
    configuration.length = nil
    configuration.samplesWhileIdle = false
    configuration.note = command.name ?? ""
    (isOnTerminal, isGuided) = (true, true)
    sensor = try command.sensorOptions.request(configuration)
  }

  /// 100 Hz: half a second of rest is 50 samples, and a turn by hand is far slower than a sample.
  private static var guidedRate: SampleRate {
    guard let rate = SampleRate(100) else { preconditionFailure("100 Hz is a rate") }
    return rate
  }

  /// The message at the start.
  func beginning(_ description: SensorDescription) -> String {
    let place = description.address.map { " at 0x" + String($0, radix: 16) } ?? ""
    let ticks = configuration.length.map { configuration.rate.ticks(inNanoseconds: $0) }
    let length = ticks.map { "for \(Plain.seconds(configuration.rate.nanoseconds(atTick: $0)))" }
    return "recording from \(description.model)\(place), \(Plain.hertz(configuration.rate)) Hz, "
      + (length ?? "until Ctrl-C or SIGTERM")
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

  private static func length(_ command: RecordCommand) throws(CommandFailure) -> Int64? {
    if command.untilStopped {
      guard command.length == nil else {
        throw CommandFailure(
          .usage, "--for and --until-stopped exclude each other; give one of them")
      }
      return nil
    }
    return (command.length ?? .minute).nanoseconds
  }
}
