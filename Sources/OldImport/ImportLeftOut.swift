// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Three columns of a header that no dialect knows, and that look like a sensor's axes by their names.
///
///     Turn rate X, Turn rate Y, Turn rate Z      a sensor's word, and names that differ in one letter
///     imu1_ax, imu1_ay, imu1_az                  the usual names of axes, with more around them
private struct LikelySensor {
  let group: ImportGroup
  /// Their places in a row, from 0.
  let places: [Int]
  /// The name without what differs between a device's sensors.
  let device: String
  /// Whether the name says that it is computed from a sensor's values, or tells how good they are.
  let isDerived: Bool

  /// What is in the names that programs give to a sensor's columns.
  private static let words: [(ImportGroup, [String])] = [
    (.accelerometer, ["acc"]), (.gyroscope, ["gyr", "angular", "rotation", "turn rate"]),
  ]
  /// What is in the names of accelerations without gravity, of turned ones, of offsets and of errors.
  private static let derived = [
    "lin", "user", "free", "grav", "vector", "bias", "offset", "noise", "cov", "var", "std",
  ]

  /// All among some of a header's columns, in the order of their first axes.
  static func all(_ headings: [ImportHeading], among places: [Int]) -> [LikelySensor] {
    var found: [LikelySensor] = []
    var left = places
    for letters in [["x", "y", "z"], ["0", "1", "2"], ["1", "2", "3"]] as [[Character]] {
      for place in places where left.contains(place) {
        let name = Array(headings[place].name)
        for index in name.indices where name[index] == letters[0] {
          guard let (group, device) = sensor(headings[place], at: index) else { continue }
          let three = letters.compactMap { letter in
            let other = String(name[..<index]) + String(letter) + String(name[(index + 1)...])
            return left.first { headings[$0].name == other }
          }
          guard three.count == 3 else { continue }
          left.removeAll { three.contains($0) }
          found.append(
            LikelySensor(
              group: group, places: three, device: device,
              isDerived: derived.contains { headings[place].name.parts(around: $0) != nil }))
          break
        }
      }
    }
    return found.sorted { $0.places[0] < $1.places[0] }
  }

  /// The sensor of a name with an axis at an index, and the rest of the name.
  private static func sensor(_ heading: ImportHeading, at index: Int) -> (ImportGroup, String)? {
    for (group, words) in words {
      guard let parts = words.lazy.compactMap({ heading.name.parts(around: $0) }).first else {
        continue
      }
      return (group, String(parts.before) + String(parts.after.drop(while: \.isLetter)))
    }
    let (name, shown) = (Array(heading.name), Array(heading.shown))
    guard name[index] == "x", let last = name[..<index].lastIndex(where: \.isLetter),
      !name[(index + 1)...].prefix(1).contains(where: \.isLetter)
    else { return nil }
    // The a of ax begins a word, as in imu1_ax and leftAx.
    if last > 0, name[last - 1].isLetter {
      guard shown.count >= name.count, shown[last].isUppercase, shown[last - 1].isLowercase else {
        return nil
      }
    }
    let device = String(name[..<last] + name[(last + 1)...])
    switch name[last] {
    case "a": return (.accelerometer, device)
    case "g", "w": return (.gyroscope, device)
    default: return nil
    }
  }
}

/// The columns of one device in a header.
private struct LikelyDevice {
  /// That of the names; `nil` of the columns that a dialect knows.
  let name: String?
  /// By their axes.
  var places: [ImportGroup: [Int]] = [:]

  /// All of a header: that of the known columns, if there are any, and those of the others.
  static func all(_ known: [ImportGroup: [Int]], _ sensors: [LikelySensor]) -> [LikelyDevice] {
    var devices = known.isEmpty ? [] : [LikelyDevice(name: nil, places: known)]
    for sensor in sensors {
      let isAlone = !sensors.contains { $0.device == sensor.device && $0.group != sensor.group }
      let place =
        devices.firstIndex { $0.name == sensor.device && $0.places[sensor.group] == nil }
        ?? (isAlone ? devices.firstIndex { $0.places[sensor.group] == nil } : nil)
      if let place {
        devices[place].places[sensor.group] = sensor.places
      } else {
        devices.append(LikelyDevice(name: sensor.device, places: [sensor.group: sensor.places]))
      }
    }
    return devices
  }

  /// The text for `--columns`.
  func text(_ headings: [ImportHeading], time: Int?) -> String {
    func name(_ place: Int) -> String {
      let text = headings[place].shown
      // Another name would need quotes in a shell, or look like a number.
      let isPlain =
        text.contains(where: \.isLetter)
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }
      let isFirst = headings.firstIndex { $0.shown == text } == place
      return isPlain && isFirst ? text : "\(place + 1)"
    }
    var parts = time.map { ["time=\(name($0))"] } ?? []
    for (group, axes) in [(ImportGroup.accelerometer, "a"), (.gyroscope, "g")] {
      guard let places = places[group] else { continue }
      parts += zip(["x", "y", "z"], places).map { "\(axes)\($0)=\(name($1))" }
    }
    return parts.joined(separator: ",")
  }
}

extension ImportLayout {
  /// Refuses a header of which a sensor's three columns would be left out, because no dialect has their names.
  ///
  /// Beside a sensor that is known whole, a table of no known program is refused for a second one of its kind, but for
  /// what is computed from the first.
  ///
  /// - Parameter others: The places of the columns that would be left out.
  func refuseSensors(among others: [Int], of headings: [ImportHeading]) throws(ImportFieldError) {
    var known: [ImportGroup: [Int]] = [:]
    for (group, first) in [(ImportGroup.accelerometer, 0), (.gyroscope, 3)] {
      let axes = (first..<first + 3).compactMap { channel in
        columns.first { $0.channel == channel }?.index
      }
      if axes.count == 3 { known[group] = axes }
    }
    let hasProgram = !isStrict && program != ImportDialect.hobby.name
    let sensors = LikelySensor.all(headings, among: others).filter {
      known[$0.group] == nil || !hasProgram && !$0.isDerived
    }
    let time = columns.first { $0.channel == nil }?.index
    if let problem = ImportLayout.problem(known, sensors, time, headings) {
      throw ImportFieldError(problem)
    }
  }

  /// The problem with a header that no dialect knows, if it has a sensor's columns.
  static func problem(ofUnknown headings: [ImportHeading]) -> ImportLineProblem? {
    let time =
      headings.firstIndex {
        ImportDialect.own.times[$0.name] != nil || ImportDialect.hobby.times[$0.name] != nil
      } ?? headings.firstIndex { $0.name.parts(around: "time") != nil }
    let sensors = LikelySensor.all(headings, among: headings.indices.filter { $0 != time })
    return problem([:], sensors, time, headings)
  }

  private static func problem(
    _ known: [ImportGroup: [Int]], _ sensors: [LikelySensor], _ time: Int?,
    _ headings: [ImportHeading]
  ) -> ImportLineProblem? {
    guard let first = sensors.first else { return nil }
    func shown(_ places: [Int]) -> String {
      places.map { "\"\(headings[$0].shown)\"" }.joined(separator: ", ")
    }
    let devices = LikelyDevice.all(known, sensors)
    let choices = devices.map { $0.text(headings, time: time) }
    guard devices.count > 1,
      let group = ImportGroup.allCases.first(where: { devices[1].places[$0] != nil }),
      let places = devices[1].places[group]
    else {
      return .sensorLeftOut(
        columns: shown(first.places), sensor: first.group.name, choice: choices[0])
    }
    return .otherSensor(
      columns: shown(places), sensor: group.name, first: choices[0], other: choices[1])
  }
}
