// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUDrivers
import IMUModel
import LinuxIO
import LogStore
import Recorder
import Text

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Make a recording now and print its number.",
    discussion: """
      It records 60 s at 10 Hz by default; Ctrl-C or SIGTERM ends it early and keeps it. A terminal shows a live \
      graph, whose last line names the keys. The last line of stdout is the recording's number.
      """,
    examples: "imulog record",
    "imulog record --rate 200 --for 10m --accel-range 8g --note \"left wheel\"",
    "imulog record --board simulator --virtual-time --for 2s")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var sensorOptions: SensorOptions

  @Option(
    help: .value("accel|gyro|both", "The sensors to record; both includes the temperature."),
    completion: .list(["accel", "gyro", "both"]))
  var channels = "both"

  @Option(
    parsing: .unconditional,
    help: .value("hz", "Samples a second: from 0.0001 to 1000, or a rate of the chip."),
    completion: .rates)
  var rate = "10"

  @Option(
    help: .value(
      "auto|chip|grid",
      "What keeps the time: the chip by its FIFO, or the computer's grid; auto: the chip above 200 Hz."
    ),
    completion: .list(["auto", "chip", "grid"]))
  var clock = "auto"

  @Option(
    help: .value(
      "line",
      "The line from the chip's interrupt output: none, auto (the board's), or a name as GPIO22."))
  var interrupt = "none"

  @Flag(help: "When an LSM6DS or LSM6DSV keeps the time: record its counter with each sample.")
  var timeStamps = false

  @Option(
    name: .customLong("for"), parsing: .unconditional,
    help: .value("span", "The length, such as 60s, 1.5m or 500ms; 60s by default."))
  var length: String?

  @Flag(help: "Record until Ctrl-C or SIGTERM.")
  var untilStopped = false

  @Option(
    parsing: .unconditional, help: .value("g", "Full scale of the accelerometer, such as 4g."))
  var accelRange = "4g"

  @Option(
    parsing: .unconditional, help: .value("dps", "Full scale of the gyroscope, such as 500dps."))
  var gyroRange = "500dps"

  @Option(
    parsing: .unconditional,
    help: .value("off|hz", "The rate of an ICM-20948's or LSM9DS1's magnetometer, such as 10."))
  var field = "off"

  @Option(
    parsing: .unconditional,
    help: .value(
      "span",
      "How often to sync the log, 0 for only at the end; by default 1s, 10s until stopped at 10 Hz or less."
    ))
  var syncEvery: String?

  @Option(
    parsing: .unconditional,
    help: .value(
      "auto|off|us",
      "The longest that a processor may take to wake: auto (limited from 50 Hz on), off, or microseconds."
    ))
  var cpuLatency = "auto"

  @Option(parsing: .unconditional, help: .value("text", "A note to keep with the recording."))
  var note = ""

  @Option(
    parsing: .unconditional,
    help: .value("axes", "The mounting: the chip's axes that x, y and z are, such as -z,y,x."))
  var axes = "x,y,z"

  @Option(help: .value("file", "A calibration to keep with the recording."), completion: .file())
  var calibration: String?

  @Flag(help: "Simulate as fast as the computer can.")
  var virtualTime = false

  @Flag(help: "Print the result as JSON.")
  var json = false

  @OptionGroup var terminalOptions: TerminalOptions

  /// The values of the options that are settings of the recorder, by their names.
  var settings: [String: String] {
    let given = [
      "channels": channels, "rate": rate, "clock": clock, "interrupt": interrupt,
      "time-stamps": timeStamps ? "yes" : "no", "for": untilStopped ? "until-stopped" : length,
      "accel-range": accelRange, "gyro-range": gyroRange, "field": field,
      "sync-every": syncEvery, "cpu-latency": cpuLatency, "note": note, "axes": axes,
      "while-idle": "sleep",
    ]
    return given.compactMapValues { $0 }
  }

  func validate() throws {
    try OptionRule.expectOne(of: ["--for": length != nil, "--until-stopped": untilStopped])
  }

  mutating func run() throws {
    // To the end: a second signal must not cut off the number and the verdict.
    let signals = try SignalWatch()
    do {
      try record(signals)
    } catch {
      signals.keepToExit()
      throw error
    }
    signals.keepToExit()
  }

  private func record(_ signals: borrowing SignalWatch) throws {
    let request = try RecordRequest(self)
    let store = try program.storePath(storeOptions)
    let outcome = try RecordOutcome.recording(request, store: store)
    outcome.talk.forEach { Console.talk($0) }
    var failure = outcome.failure
    let storeOption = storeOptions.store ?? program.storeOptions.store
    let reviews = outcome.logs.filter { !$0.isGone }.map {
      RecordReview(number: $0.number, name: $0.name, store: store, storeOption: storeOption)
    }
    for review in reviews {
      let unreadable = review.talk()
      if let unreadable, failure != nil { Console.talk(unreadable.sentence) }
      failure = failure ?? unreadable
    }
    reviews.first?.talkOfNext()
    // Without a recording there is no number for the next command.
    if json {
      try Console.json(outcome.json)
    } else {
      for log in outcome.logs where !log.isGone { try Console.data("\(log.number)") }
    }
    if outcome.logs.contains(where: { !$0.isGone }) {
      RecordCommand.adopt(in: store, until: signals)
    }
    if let failure { throw failure }
  }

  /// Adopts recordings that were cut off earlier, until a signal. A failure does not change this recording's outcome.
  private static func adopt(in store: String, until signals: borrowing SignalWatch) {
    do {
      var isWanted = true
      _ = try Catalogue(path: store, create: true).adopt {
        isWanted = isWanted && signals.wait(timeoutNanoseconds: 0) == nil
        return isWanted
      }
    } catch {
      Console.talk("cannot look for recordings that were cut off: \(error)")
    }
  }
}

/// The options of `record`, checked as far as possible without hardware.
struct RecordRequest {
  /// The sensors of the take, or the one.
  let sensors: [(name: String, request: SensorRequest)]
  var sensor: SensorRequest { sensors[0].request }
  var configuration: RecorderConfiguration { sensor.configuration }
  /// Whether the recording is shown on the terminal.
  let isOnTerminal: Bool
  /// Whether the terminal shows what to do for a calibration.
  let isGuided: Bool

  init(_ command: RecordCommand) throws {
    var settings = command.settings
    settings["calibration"] = command.calibration
    sensors = try command.sensorOptions.requests(settings, isTimeVirtual: command.virtualTime)
    // A recording in simulated time ends before a user could see it.
    isOnTerminal = command.terminalOptions.isInteractive && !command.virtualTime
    isGuided = false
    guard command.virtualTime else { return }
    guard sensor.isSimulated else {
      throw CommandFailure.usage("--virtual-time needs --board simulator; give that, too")
    }
    guard configuration.length != nil else {
      throw CommandFailure.usage("--virtual-time needs an end; give --for")
    }
  }

  /// The recording of a calibration by hand, until the user ends it.
  ///
  /// At 100 Hz half a second of rest is 50 samples, and a turn by hand is far slower than a sample.
  init(guided command: CalibrateCommand) throws {
    (isOnTerminal, isGuided) = (true, true)
    let request = try command.sensorOptions.request([
      "rate": "100", "for": "until-stopped", "while-idle": "sleep", "note": command.name ?? "",
    ])
    sensors = [("", request)]
  }

  /// The setup of each sensor, those after the first as its companions.
  func setup(store: String) throws -> RecorderSetup {
    let setups = try sensors.map { name, request in
      var configuration = request.configuration
      if request.isTimeVirtual { configuration.cpuLatency = .free }
      var setup = RecorderSetup(
        configuration, sensor: request, store: store,
        calibration: try configuration.calibration.map { try SensorCalibration(readingFile: $0) },
        isSingle: true)
      setup.name = name
      if !name.isEmpty { setup.busPath = try request.busPath() }
      return setup
    }
    return .take(setups)
  }

  func beginning(_ start: SensorStart) -> String {
    let ticks = configuration.length.map { configuration.rate.ticks(inNanoseconds: $0) }
    let length = ticks.map { "for \(Plain.seconds(configuration.rate.nanoseconds(atTick: $0)))" }
    let sensors = zip(sensors, start.members).map { sensor, start in
      (sensor.name.isEmpty ? "" : "\(sensor.name), the ")
        + "\(start.sensor.place), \(Plain.hertz(start.schedule.rate)) Hz"
    }
    return "recording from \(sensors.joined(separator: "; ")), "
      + (length ?? "until Ctrl-C or SIGTERM")
  }
}
