// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A sensor as `--sensor` asks for it: `mpu6050@0x69`, or in a take `left=lsm6dso@i2c-4/0x6a rate=208 axes=-z,y,x`.
struct NamedSensor {
  /// The user's name for it; empty for none.
  let name: String
  /// What `SensorChoice` reads.
  let chip: String
  /// N of /dev/i2c-N; `nil` for the board's.
  let bus: String?
  /// Its own settings, by the options' names.
  let settings: [String: String]

  /// What a sensor may have of its own; the first one's `--rate` and so on are for the others.
  static let keys = [
    "rate", "accel-range", "gyro-range", "axes", "calibration", "channels", "clock", "field",
    "interrupt", "motion", "time-stamps",
  ]

  /// Reads a value of `--sensor`; what its parts mean is checked where they are used.
  init(_ text: String) throws {
    let words = text.split(separator: " ")
    var first = words.first.map(String.init) ?? ""
    var name = ""
    if let (before, after) = first.parts(around: "=") {
      (name, first) = (String(before), String(after))
      guard SensorDescription.isName(name) else {
        throw CommandFailure.usage(
          "--sensor \(text): \"\(name)\" is no name; give a letter, then up to 31 small letters, digits, - or _"
        )
      }
    }
    self.name = name
    let places = first.parts(around: "@")
    let place = places.map { String($0.after) } ?? ""
    if place.hasPrefix("i2c-") {
      let parts = place.dropFirst(4).split(
        separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      bus = String(parts[0])
      chip = (places.map { String($0.before) } ?? first) + (parts.count > 1 ? "@\(parts[1])" : "")
    } else {
      (bus, chip) = (nil, first)
    }
    var settings: [String: String] = [:]
    for word in words.dropFirst() {
      guard let (key, value) = word.parts(around: "="), NamedSensor.keys.contains(String(key)),
        !value.isEmpty
      else {
        throw CommandFailure.usage(
          "--sensor \(text): \"\(word)\" is not KEY=VALUE with one of the keys "
            + NamedSensor.keys.joined(separator: ", "))
      }
      guard settings.updateValue(String(value), forKey: String(key)) == nil else {
        throw CommandFailure.usage("--sensor \(text): \(key) is given twice; give it once")
      }
    }
    guard !name.isEmpty || words.count < 2 else {
      throw CommandFailure.usage(
        "--sensor \(text): only a sensor with a name has settings of its own, as left=\(text)")
    }
    self.settings = settings
  }

  /// The sensors of a take, or the one; `auto` without any.
  static func list(_ texts: [String]) throws -> [NamedSensor] {
    let sensors = try (texts.isEmpty ? ["auto"] : texts).map(NamedSensor.init)
    guard sensors.count > 1 else { return sensors }
    guard sensors.count <= TakePlace.mostSensors else {
      throw CommandFailure.usage(
        "--sensor is given \(sensors.count) times, and a take has \(TakePlace.mostSensors) sensors at most"
      )
    }
    for (index, sensor) in sensors.enumerated() {
      guard !sensor.name.isEmpty else {
        throw CommandFailure.usage(
          "--sensor \(texts[index]): several sensors need names; give left=\(texts[index]) or another name"
        )
      }
      guard !sensors[..<index].contains(where: { $0.name == sensor.name }) else {
        throw CommandFailure.usage(
          "--sensor \(texts[index]): \(sensor.name) is the name of another sensor; give each its own"
        )
      }
    }
    return sensors
  }
}
