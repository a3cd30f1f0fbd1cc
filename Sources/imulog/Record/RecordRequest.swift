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

  init(_ command: RecordCommand) throws {
    var sensor = try command.sensorOptions.request(
      command.settings, isTimeVirtual: command.virtualTime)
    sensor.configuration.calibration = command.calibration
    // A recording in simulated time ends before a user could see it.
    isOnTerminal = command.terminalOptions.isInteractive && !command.virtualTime
    isGuided = false
    if command.virtualTime {
      sensor.configuration.cpuLatency = .free
      guard sensor.isSimulated else {
        throw CommandFailure(.usage, "--virtual-time needs --board simulator; give that, too")
      }
      guard sensor.configuration.length != nil else {
        throw CommandFailure(.usage, "--virtual-time needs an end; give --for")
      }
    }
    self.sensor = sensor
  }

  /// The recording of a calibration by hand, until the user ends it.
  ///
  /// At 100 Hz half a second of rest is 50 samples, and a turn by hand is far slower than a sample.
  init(guided command: CalibrateCommand) throws {
    (isOnTerminal, isGuided) = (true, true)
    sensor = try command.sensorOptions.request([
      "rate": "100", "for": "until-stopped", "while-idle": "sleep", "note": command.name ?? "",
    ])
  }

  /// The message at the start.
  func beginning(_ description: SensorDescription) -> String {
    let place = description.address.map { " at 0x" + String($0, radix: 16) } ?? ""
    let ticks = configuration.length.map { configuration.rate.ticks(inNanoseconds: $0) }
    let length = ticks.map { "for \(Plain.seconds(configuration.rate.nanoseconds(atTick: $0)))" }
    return "recording from \(description.model)\(place), \(Plain.hertz(configuration.rate)) Hz, "
      + (length ?? "until Ctrl-C or SIGTERM")
  }
}
