// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import IMUModel
import Recorder

/// The options that choose a board and its bus.
struct BusOptions: ParsableArguments {
  @Option(help: "The board, one of `imulog boards`; detected by default.", completion: .boards)
  var board: String?

  // A value may begin with a sign, so that the refusal can name it.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The number N of /dev/i2c-N; by default the board's.", valueName: "n"))
  var bus: Int?
}

/// The options that choose a sensor.
struct SensorOptions: ParsableArguments {
  @OptionGroup var place: BusOptions

  @Option(
    help: ArgumentHelp(
      "The chip: auto, or a model; @0x69 after it chooses the address.",
      valueName: "auto|model"),
    completion: .sensors)
  var sensor = "auto"

  @Option(
    help: ArgumentHelp(
      "The simulated motion: still (the default), tumble, or a CSV file of counts.",
      valueName: "still|tumble|file"),
    completion: .motions)
  var motion: String?

  /// Whether any is given.
  var isGiven: Bool {
    place.board != nil || place.bus != nil || sensor != "auto" || motion != nil
  }

  /// The chosen sensor with settings, checked as far as possible without hardware.
  func request(
    _ settings: RecorderConfiguration, isTimeVirtual: Bool = false
  ) throws(CommandFailure) -> SensorRequest {
    var configuration = settings
    (configuration.board, configuration.bus) = (place.board, place.bus)
    configuration.sensor = sensor
    let request = try SensorRequest(configuration, motion: motion, isTimeVirtual: isTimeVirtual)
    if let bus = place.bus {
      guard !request.isSimulated else {
        throw CommandFailure(.usage, "the simulator has no bus to choose; leave --bus out")
      }
      guard bus >= 0 else {
        throw CommandFailure(.usage, "--bus \(bus): give the number N of a /dev/i2c-N")
      }
    }
    guard request.isSimulated || motion == nil else {
      throw CommandFailure(.usage, "--motion is the simulator's; give --board simulator with it")
    }
    return request
  }
}
