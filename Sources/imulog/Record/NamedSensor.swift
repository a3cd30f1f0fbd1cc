// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A sensor as `--sensor` asks for it: `mpu6050@0x69`, or in a take `left=lsm6dso@i2c-4/0x6a rate=208 axes=-z,y,x`.
struct NamedSensor {
  /// The user's name for it; empty for none.
  let name: String
  /// What `SensorChoice` reads.
  let chip: String
  /// N of /dev/i2c-N, or N/mux@70/3; `nil` for the board's.
  let bus: String?
  /// Its own settings, by the options' names.
  let settings: [String: String]

  /// What stands for it among the options of `record`, by their names.
  var options: [String: String] {
    settings.merging(["sensor": chip, "bus": bus].compactMapValues { $0 }) { $1 }
  }

  /// What a sensor may have of its own; the first one's `--rate` and so on are for the others.
  static let keys = [
    "rate", "accel-range", "gyro-range", "axes", "calibration", "channels", "clock", "field",
    "interrupt", "motion", "time-stamps",
  ]

  /// Why a text names no sensor: a clause with its remedy.
  struct Fault: Error {
    let clause: String
    init(_ clause: String) { self.clause = clause }
  }

  /// Reads a value of `--sensor`; what its parts mean is checked where they are used.
  init(option text: String) throws(Fault) {
    let first = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)[0]
    guard let (name, _) = first.parts(around: "=") else {
      try self.init(name: nil, text)
      return
    }
    try self.init(name: String(name), String(text.dropFirst(name.count + 1)))
  }

  /// Reads the chip, its place and its own settings; `name` is `nil` for a sensor without one.
  init(name: String?, _ text: String) throws(Fault) {
    let words = text.split(separator: " ")
    guard name.map(SensorDescription.isName) ?? true else {
      throw Fault(
        "\"\(name ?? "")\" is no name; give a letter, then up to 31 small letters, digits, - or _")
    }
    self.name = name ?? ""
    let first = words.first.map(String.init) ?? ""
    let places = first.parts(around: "@")
    let place = places.map { String($0.after) } ?? ""
    if place.hasPrefix("i2c-") {
      // A bus, or i2c-1/mux@70/3; the address may follow.
      let parts = place.dropFirst(4).split(separator: "/", omittingEmptySubsequences: false)
      let count = parts.count > 1 && parts[1].hasPrefix("mux@") ? 3 : 1
      bus = parts.prefix(count).joined(separator: "/")
      let address = parts.dropFirst(count).joined(separator: "/")
      chip =
        (places.map { String($0.before) } ?? first) + (parts.count > count ? "@\(address)" : "")
    } else {
      (bus, chip) = (nil, first)
    }
    var settings: [String: String] = [:]
    for word in words.dropFirst() {
      guard let (key, value) = word.parts(around: "="), NamedSensor.keys.contains(String(key)),
        !value.isEmpty
      else {
        throw Fault(
          "\"\(word)\" is not KEY=VALUE with one of the keys "
            + NamedSensor.keys.joined(separator: ", "))
      }
      guard settings.updateValue(String(value), forKey: String(key)) == nil else {
        throw Fault("\(key) is given twice; give it once")
      }
    }
    guard name != nil || words.count < 2 else {
      throw Fault("only a sensor with a name has settings of its own, as left=\(text)")
    }
    self.settings = settings
  }

  /// Why a sensor cannot be in a take with those before it: a clause; `nil` when it can.
  func refusal(after others: some Collection<NamedSensor>) -> String? {
    if others.count >= TakePlace.mostSensors {
      return "a take has \(TakePlace.mostSensors) sensors at most; take one out"
    }
    return others.contains { $0.name == name }
      ? "\(name) is the name of another sensor; give each its own" : nil
  }

  /// The sensors of `--sensor`, or the one; `auto` without any.
  static func list(_ texts: [String]) throws -> [NamedSensor] {
    var sensors: [NamedSensor] = []
    for text in texts.isEmpty ? ["auto"] : texts {
      do throws(Fault) {
        let sensor = try NamedSensor(option: text)
        if texts.count > 1, sensor.name.isEmpty {
          throw Fault("several sensors need names; give left=\(text) or another name")
        }
        if let refusal = sensor.refusal(after: sensors) { throw Fault(refusal) }
        sensors.append(sensor)
      } catch {
        throw CommandFailure.usage("--sensor \(text): \(error.clause)")
      }
    }
    return sensors
  }
}
