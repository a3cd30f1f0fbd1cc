// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import IMUModel
import Recorder

struct BusOptions: ParsableArguments {
  @Option(help: "The board, one of `imulog boards`; detected by default.", completion: .boards)
  var board: String?

  // A value may begin with a sign, so that the refusal names it.
  @Option(
    parsing: .unconditional,
    help: .value("n", "The number N of /dev/i2c-N; by default the board's."))
  var bus: String?

  /// The values that are given, by the options' names.
  var given: [String: String] { ["board": board, "bus": bus].compactMapValues { $0 } }
}

struct SensorOptions: ParsableArguments {
  @OptionGroup var place: BusOptions

  @Option(
    help: .value("auto|model", "The chip: auto or a model; @0x69 behind it chooses the address."),
    completion: .sensors)
  var sensor = "auto"

  @Option(
    help: .value(
      "still|tumble|file",
      "The simulator's motion: still (the default), tumble, or a CSV file of counts."),
    completion: .motions)
  var motion: String?

  var given: OptionRule.Options {
    [
      "--board": place.board != nil, "--bus": place.bus != nil, "--sensor": sensor != "auto",
      "--motion": motion != nil,
    ]
  }

  /// The chosen sensor with settings, checked as far as possible without hardware.
  ///
  /// - Parameter settings: The values of other options, by their names.
  func request(
    _ settings: [String: String] = [:], isTimeVirtual: Bool = false
  ) throws -> SensorRequest {
    var options = settings.merging(place.given) { $1 }
    options["sensor"] = sensor
    let request = SensorRequest(
      try ConfigurationFile.read([], file: "", options: options), motion: motion,
      isTimeVirtual: isTimeVirtual)
    guard request.isSimulated || motion == nil else {
      throw CommandFailure.usage("--motion needs --board simulator; give that, too")
    }
    return request
  }
}
