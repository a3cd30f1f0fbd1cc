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
  var bus: String?

  /// Those that are given, by their names.
  var given: [String: String] { ["board": board, "bus": bus].compactMapValues { $0 } }
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
    !place.given.isEmpty || sensor != "auto" || motion != nil
  }

  /// The chosen sensor with settings, checked as far as possible without hardware.
  ///
  /// - Parameter settings: Values of other options of the command line, by their names.
  func request(
    _ settings: [String: String] = [:], isTimeVirtual: Bool = false
  ) throws -> SensorRequest {
    var options = settings.merging(place.given) { $1 }
    options["sensor"] = sensor
    let request = SensorRequest(
      try ConfigurationFile.read([], file: "", options: options), motion: motion,
      isTimeVirtual: isTimeVirtual)
    guard request.isSimulated || motion == nil else {
      throw CommandFailure(.usage, "--motion is the simulator's; give --board simulator with it")
    }
    return request
  }
}
