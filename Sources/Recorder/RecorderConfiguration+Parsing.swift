// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Text

extension RecorderConfiguration {
  /// Reads a configuration file, and options of the command line.
  ///
  ///     key = value     # a comment: a # that begins a line or follows white space
  ///
  /// A key that is not in the file has its default. The first error is thrown; no value is corrected silently.
  ///
  /// - Parameters:
  ///   - text: The file's bytes.
  ///   - file: Its name, for the error.
  ///   - boards: Names of boards.
  ///   - options: Values from the command line, which replace those of the file, by the option's name.
  ///   - refusal: Why a path cannot be used, and what to do, by the key's name; `nil` where it can.
  package init(
    text: [UInt8], file: String, boards: [String], options: [String: String] = [:],
    refusal: (_ key: String, _ path: String) -> String? = { _, _ in nil }
  ) throws(ConfigurationError) {
    let keys = ConfigurationKey.all(boards: boards)
    var lines = try ConfigurationLines(text, file: file, keys: keys.map(\.name))
    for key in keys {
      if let value = options[key.option] { lines.replace(key, with: value) }
    }
    self = .default
    sensors = options["sensor"] == nil ? lines.sensors : []
    try lines.refuse(
      "sensor", if: !sensors.isEmpty && lines["sensor"] != nil,
      "lines such as sensor.\(sensors.first?.name ?? "") name the sensors; keep those or this one")
    for key in keys {
      guard let value = lines[key.name]?.value else { continue }
      guard !value.isEmpty || key.mayBeEmpty else {
        throw lines.error(key.name, "the value is missing; \(key.accepts)", hasValue: false)
      }
      guard key.read(value, &self) else { throw lines.error(key.name, key.accepts) }
    }
    for (key, path) in [("calibration", calibration), ("store", store)] {
      if let reason = path.flatMap({ refusal(key, $0) }) { throw lines.error(key, reason) }
    }
    try checkTogether(lines)
  }

  private func checkTogether(_ lines: ConfigurationLines) throws(ConfigurationError) {
    try lines.refuse(
      "bus", if: board == "simulator" && bus != nil,
      "the simulator has no bus to choose; give auto")
    try lines.refuse(
      "light", if: button == light && ![.automatic, .none].contains(button),
      "this is the button's line; give the light another")
    for (name, line) in [("button", button), ("light", light)] {
      try lines.refuse(
        "interrupt", if: interrupt == line && ![.automatic, .none].contains(line),
        "this is the \(name)'s line; give the interrupt another")
    }
    try checkTrigger(lines)
    try checkCycles(lines)
    guard preTrigger > 0 else { return }
    try lines.refuse(
      "pre-trigger", if: !samplesWhileIdle,
      "nothing is sampled before a press with while-idle = sleep; "
        + "give 0s here, or while-idle = sample")
    let longest = RecorderConfiguration.longestPreTrigger(at: rate)
    try lines.refuse(
      "pre-trigger", if: preTrigger > longest,
      "the history holds at most \(SpanText.text(longest)) at \(lines.hertz) Hz; give less")
  }

  private func checkTrigger(_ lines: ConfigurationLines) throws(ConfigurationError) {
    guard let threshold = trigger.threshold else { return }
    try lines.refuse(
      "trigger", if: !samplesWhileIdle,
      "no motion is seen between recordings with while-idle = sleep; "
        + "give none here, or while-idle = sample")
    try lines.refuse(
      "trigger", if: !channels.isSuperset(of: .accelerometer),
      "the accelerometer is not recorded with channels = gyro; give none here, or channels = both")
    try lines.refuse(
      "trigger", if: threshold.limit >= Double(accelerometerRange),
      "the accelerometer measures up to \(accelerometerRange) g; give less, or a greater accel-range"
    )
    try lines.refuse(
      lines["trigger-above"] == nil ? "trigger" : "trigger-above",
      if: trigger.cutOffHertz >= rate.hertz / 2,
      "the filter's trigger-above must be below half of the rate, \(lines.hertz) Hz; give less there, "
        + "or a higher rate")
    let longest = SpanText.text(rate.nanoseconds(atTick: TriggerSetting.longestWindowTicks))
    let ticks = rate.ticks(inNanoseconds: trigger.window)
    try lines.refuse(
      lines["trigger-window"] == nil ? "trigger" : "trigger-window",
      if: threshold.measure == .rms && ticks > TriggerSetting.longestWindowTicks,
      "trigger-window can be \(longest) at most at \(lines.hertz) Hz; give less there")
  }

  private func checkCycles(_ lines: ConfigurationLines) throws(ConfigurationError) {
    if let every {
      try lines.refuse(
        "every", if: samplesWhileIdle,
        "the sensor must sleep between the recordings; set while-idle = sleep, or give never here")
      let given = lines["length"]?.value ?? "60s"
      try lines.refuse(
        "every", if: length.map { $0 > every - DutyCycle.shortestSleep } ?? true,
        "each recording must be over a second or more before the next, and length is \(given); "
          + "give a shorter length, or more here")
    }
    try lines.refuse(
      "calendar", if: calendar != nil && length == nil,
      "its recordings would not end with length = until-stopped; give a length, or none here")
  }
}

/// The first error in a configuration: its place, and what is accepted there.
package struct ConfigurationError: StatusError, Equatable {
  /// The file's name, as given; the option of a value from the command line.
  package let file: String
  /// The line, from 1; 0 for an option.
  package let line: Int
  /// `nil` when the line has none.
  package let key: String?
  /// `nil` when none was given.
  package let value: String?
  /// What is wrong or accepted, as a clause.
  package let remedy: String

  package var exitStatus: ExitStatus { line > 0 ? .configuration : .usage }

  /// One line, such as `imulog.conf:7: rate = fast: give hertz as …`, without control characters.
  package var description: String {
    guard line > 0 else { return ForeignText.shown("\(file) \(value ?? ""): \(remedy)") }
    var statement = ""
    if let key { statement = value.map { "\(key) = \($0): " } ?? "\(key): " }
    return ForeignText.shown("\(file):\(line): \(statement)\(remedy)")
  }
}

extension ConfigurationError {
  /// A sensor's line that is refused.
  package init(_ sensor: SensorLine, in file: String, _ remedy: String) {
    self.init(
      file: file, line: sensor.line, key: "sensor.\(sensor.name)", value: sensor.text,
      remedy: remedy)
  }

  /// What is wrong with a setting of a sensor's line, without the line.
  package var ofOwnSetting: String? {
    line == 0 ? "\(file.drop { $0 == "-" }) \(value ?? ""): \(remedy)" : nil
  }
}

/// The lines of a configuration file by key; their values are not read yet.
private struct ConfigurationLines {
  struct Setting {
    /// The file, or the option with its dashes.
    let place: String
    /// From 1; 0 for an option.
    let line: Int
    let value: String
  }

  let file: String
  private let keys: [String]
  private var settings: [String: Setting] = [:]
  private(set) var sensors: [SensorLine] = []

  init(_ bytes: [UInt8], file: String, keys: [String]) throws(ConfigurationError) {
    (self.file, self.keys) = (file, keys)
    // Lines as editors count them: ended by LF, with or without a CR before.
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      guard let text = String(validating: line, as: UTF8.self) else {
        throw error(index + 1, "this is not UTF-8; save the file as UTF-8 text")
      }
      try read(text.unicodeScalars[...], number: index + 1)
    }
  }

  subscript(key: String) -> Setting? { settings[key] }

  /// The rate, as given.
  var hertz: String { settings["rate"]?.value ?? "10" }

  /// Throws an error in the line of `key` if its value cannot be used with the others.
  func refuse(
    _ key: String, if isWrong: Bool, _ remedy: @autoclosure () -> String
  ) throws(ConfigurationError) {
    if isWrong { throw error(key, remedy()) }
  }

  mutating func replace(_ key: ConfigurationKey, with value: String) {
    settings[key.name] = Setting(place: "--\(key.option)", line: 0, value: value)
  }

  /// An error in the line of `key`, which must be in the file.
  func error(_ key: String, _ remedy: String, hasValue: Bool = true) -> ConfigurationError {
    let setting = settings[key]
    return ConfigurationError(
      file: setting?.place ?? file, line: setting?.line ?? 1, key: key,
      value: hasValue ? setting?.value : nil, remedy: remedy)
  }

  private func error(
    _ line: Int, key: String? = nil, value: String? = nil, _ remedy: String
  ) -> ConfigurationError {
    ConfigurationError(file: file, line: line, key: key, value: value, remedy: remedy)
  }

  private mutating func read(
    _ whole: Substring.UnicodeScalarView, number: Int
  ) throws(ConfigurationError) {
    var line = whole
    if line.last == "\r" { line.removeLast() }
    // The byte order mark that some editors write.
    if number == 1, line.first == "\u{FEFF}" { line.removeFirst() }
    let statement = trimmed(withoutComment(line))
    guard !statement.isEmpty else { return }
    if let control = statement.first(where: { $0 != "\t" && ForeignText.isObeyed($0) }) {
      let code = String(control.value, radix: 16, uppercase: true)
      let padding = String(repeating: "0", count: max(0, 4 - code.count))
      throw error(number, "the control character U+\(padding)\(code) is not allowed; take it out")
    }
    guard let equals = statement.firstIndex(of: "=") else {
      throw error(number, "\(Substring(statement)): this is neither KEY = VALUE nor a # comment")
    }
    let name = String(trimmed(statement[..<equals]))
    let value = String(trimmed(statement[statement.index(after: equals)...]))
    if name.hasPrefix("sensor.") {
      sensors.append(SensorLine(name: String(name.dropFirst(7)), text: value, line: number))
      return
    }
    guard keys.contains(name) else {
      let question = Suggestion.question(name, among: keys)
      let all = "; the keys are \(keys.joined(separator: ", "))"
      throw error(
        number, key: name, value: value,
        "there is no such key" + (question.isEmpty ? all : question))
    }
    if let first = settings[name] {
      throw error(
        number, key: name, value: value,
        "\(name) is given on line \(first.line) already; keep one of the two lines")
    }
    settings[name] = Setting(place: file, line: number, value: value)
  }

  /// The line up to a `#` that begins it or follows white space.
  private func withoutComment(
    _ line: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView {
    var isAfterSpace = true
    for index in line.indices {
      if line[index] == "#", isAfterSpace { return line[..<index] }
      isAfterSpace = isSpace(line[index])
    }
    return line
  }

  private func trimmed(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    var text = text.drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }

  private func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}

/// Whole numbers in decimal digits, without sign and space.
enum Digits {
  static func number(_ text: String, upTo limit: Int) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text).flatMap { $0 <= limit ? $0 : nil }
  }

  /// A decimal number, with or without its unit after it: at most nine digits before the point, and four after it.
  static func decimal(_ text: Substring, unit: String) -> Double? {
    let digits = text.hasSuffix(unit) ? text.dropLast(unit.count) : text
    return Fraction.terms(ofDecimal: digits, digits: 9, decimals: 4).map {
      Double($0.value) / Double($0.scale)
    }
  }
}
