// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import LinuxIO
import Text

/// A key of the configuration file and option of the command line; ``all(boards:)`` is the only definition.
struct ConfigurationKey {
  let name: String
  /// The option's name without its dashes.
  let option: String
  /// The accepted values, as a clause.
  let accepts: String
  /// Whether the file may leave the value out.
  let mayBeEmpty: Bool
  /// Sets the value in a configuration; `false` for invalid text.
  let read: (String, inout RecorderConfiguration) -> Bool

  init<Value>(
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Value>,
    option: String? = nil, mayBeEmpty: Bool = false, accepts: String,
    _ parse: @escaping (String) -> Value?
  ) {
    (self.name, self.mayBeEmpty, self.accepts) = (name, mayBeEmpty, accepts)
    self.option = option ?? name
    read = { text, configuration in
      guard let value = parse(text) else { return false }
      configuration[keyPath: property] = value
      return true
    }
  }

  /// All keys, in the order of `imulog.conf`, which has their meanings and defaults.
  static func all(boards: [String]) -> [ConfigurationKey] {
    sensor(boards) + recording + beginnings + panel
  }

  private static func sensor(_ boards: [String]) -> [ConfigurationKey] {
    [
      ConfigurationKey(
        "board", \.board,
        accepts: "give auto or one of \(boards.joined(separator: ", "))"
      ) { $0 == "auto" ? .some(nil) : boards.contains($0) ? .some($0) : nil },
      ConfigurationKey(
        "bus", \.bus,
        accepts:
          "give auto, or the number N of a /dev/i2c-N, or N/mux@70/3 for the channel 3 of the multiplexer at 0x70 on it"
      ) { $0 == "auto" ? .some(nil) : BusPath($0).map { .some($0) } },
      ConfigurationKey("sensor", \.sensor, accepts: SensorChoice.accepts) { SensorChoice($0) },
    ]
  }

  private static var recording: [ConfigurationKey] {
    [
      ConfigurationKey(
        "rate", \.rate,
        accepts: "give hertz as a decimal number from 0.0001 to 10000, such as 10 or 12.5, in "
          + "at most 9 digits"
      ) { SampleRate(decimal: $0).flatMap { 0.0001...10_000 ~= $0.hertz ? $0 : nil } },
      choice("clock", \.clock, ["auto": .automatic, "chip": .chip, "grid": .grid]),
      ConfigurationKey("interrupt", \.interrupt, accepts: line) { LineChoice($0) },
      choice("time-stamps", \.timeStamps, ["no": false, "yes": true]),
      ConfigurationKey(
        "length", \.length, option: "for",
        accepts:
          "give a time of \(SpanLimits.length.words), such as 60s or 1.5m, or until-stopped"
      ) { text in
        text == "until-stopped" ? .some(nil) : SpanLimits.length.nanoseconds(text).map { .some($0) }
      },
      choice("channels", \.channels, ["both": .all, "accel": .accelerometer, "gyro": .gyroscope]),
      range("accel-range", \.accelerometerRange, of: [2, 4, 8, 16, 32], unit: "g"),
      range("gyro-range", \.gyroscopeRange, of: [125, 250, 500, 1000, 2000, 4000], unit: "dps"),
      ConfigurationKey(
        "field", \.field,
        accepts: "give off, or one of "
          + fieldRates.map { Plain.hertz($0) }.joined(separator: ", ") + " hertz"
      ) { text -> SampleRate?? in
        text == "off" ? .some(nil) : fieldRates.first { Plain.hertz($0) == text }.map { .some($0) }
      },
      ConfigurationKey(
        "sync-every", \.syncInterval,
        accepts: "give auto, \(SpanLimits.syncEvery.words) for only at a recording's end"
      ) { $0 == "auto" ? .some(nil) : SpanLimits.syncEvery.nanoseconds($0).map { .some($0) } },
      ConfigurationKey(
        "cpu-latency", \.cpuLatency,
        accepts:
          "give auto, off, or the microseconds up to 10000 that a processor may take to wake up"
      ) { LatencyChoice($0) },
      ConfigurationKey(
        "note", \.note, mayBeEmpty: true,
        accepts: "\(RecorderConfiguration.longestNote) bytes fit into a recording; shorten it"
      ) { $0.utf8.count <= RecorderConfiguration.longestNote ? $0 : nil },
      ConfigurationKey(
        "axes", \.axes, accepts: AxisMap.accepts
      ) { text -> AxisMap?? in AxisMap(text).map { $0.isIdentity ? .none : .some($0) } },
      ConfigurationKey(
        "calibration", \.calibration,
        accepts: "give none, or a file of imulog calibrate as an absolute path"
      ) { $0 == "none" ? .some(nil) : $0.hasPrefix("/") ? .some($0) : nil },
      ConfigurationKey(
        "store", \.store, accepts: "give auto, or a directory as an absolute path"
      ) { $0 == "auto" ? .some(nil) : $0.hasPrefix("/") ? .some($0) : nil },
    ]
  }

  private static var panel: [ConfigurationKey] {
    [
      ConfigurationKey("button", \.button, accepts: line) { LineChoice($0) },
      choice("button-active", \.isButtonActiveLow, ["low": true, "high": false]),
      ConfigurationKey("light", \.light, accepts: line) { LineChoice($0) },
      choice("light-active", \.isLightActiveLow, ["high": false, "low": true]),
      ConfigurationKey(
        "reserve", \.reserve,
        accepts: "give bytes with or without a unit, such as 200MB, 1.5GiB or 0"
      ) { ByteText.bytes($0) },
      choice("delete-oldest", \.deletesOldest, ["no": false, "yes": true]),
    ]
  }

  static func span(
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Int64>,
    _ limits: SpanLimits, suchAs other: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name, property, accepts: "give a time of \(limits.words), such as \(other)"
    ) { limits.nanoseconds($0) }
  }

  /// One of some words.
  private static func choice<Value>(
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Value>,
    _ values: KeyValuePairs<String, Value>
  ) -> ConfigurationKey {
    let words = values.map(\.key)
    let all = words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    return ConfigurationKey(name, property, accepts: "give \(all)") { text in
      values.first { $0.key == text }?.value
    }
  }

  /// The rates of all magnetometers, rising.
  private static var fieldRates: [SampleRate] {
    FieldModel.all.flatMap(\.rates).sorted { $0.hertz < $1.hertz }.reduce(into: []) {
      rates, rate in
      if rates.last?.hertz != rate.hertz { rates.append(rate) }
    }
  }

  private static let line = "give auto, none, a line's name such as GPIO17, or CHIPLABEL:OFFSET"

  /// A full scale of any model, with or without its unit.
  private static func range(
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Int>,
    of ranges: [Int], unit: String
  ) -> ConfigurationKey {
    let names = ranges.map { "\($0)\(unit)" }.joined(separator: ", ")
    return ConfigurationKey(name, property, accepts: "give one of \(names)") { text in
      let digits = text.hasSuffix(unit) ? String(text.dropLast(unit.count)) : text
      return Digits.number(digits, upTo: 1_000_000).flatMap { ranges.contains($0) ? $0 : nil }
    }
  }
}

/// What is done between recordings, and begins one without a person.
extension ConfigurationKey {
  static var beginnings: [ConfigurationKey] {
    [
      span("pre-trigger", \.preTrigger, .preTrigger, suchAs: "5s"),
      choice("while-idle", \.samplesWhileIdle, ["sample": true, "sleep": false]),
      ConfigurationKey(
        "trigger", \.trigger.threshold,
        accepts: "give none, or peak or rms with g, such as peak 0.5g or rms 0.02g"
      ) { text in text == "none" ? .some(nil) : TriggerSetting.Threshold(text).map { .some($0) } },
      ConfigurationKey(
        "trigger-above", \.trigger.cutOffHertz,
        accepts: "give hertz from 0.01 to 1000, such as 1Hz or 0.5Hz"
      ) { text in
        Digits.decimal(text[...], unit: "Hz").flatMap { (0.01...1000).contains($0) ? $0 : nil }
      },
      span("trigger-window", \.trigger.window, .triggerWindow, suchAs: "1s or 500ms"),
      span("post-trigger", \.trigger.postTrigger, .postTrigger, suchAs: "1s or 500ms"),
      span("trigger-pause", \.trigger.pause, .triggerPause, suchAs: "10s"),
      ConfigurationKey(
        "trigger-most", \.trigger.mostADay, accepts: "give a number from 1 to 10000"
      ) { Digits.number($0, upTo: 10_000).flatMap { $0 > 0 ? $0 : nil } },
      ConfigurationKey(
        "every", \.every,
        accepts: "give never, or a time of \(SpanLimits.every.words), such as 10m"
      ) { $0 == "never" ? .some(nil) : SpanLimits.every.nanoseconds($0).map { .some($0) } },
      ConfigurationKey(
        "calendar", \.calendar,
        accepts:
          "give none, or days and times as systemd.time(7) has them, such as Mon..Fri 08:00"
      ) { $0 == "none" ? .some(nil) : isCalendar($0) ? .some($0) : nil },
    ]
  }

  /// Whether a text can be a calendar event; systemd itself checks it.
  private static func isCalendar(_ text: String) -> Bool {
    let isWritten = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
      default: " *,./:-~_+".utf8.contains(byte)
      }
    }
    return isWritten && text.utf8.count <= 100
      && text.utf8.contains { (0x30...0x7A).contains($0) && $0 != UInt8(ascii: ":") }
  }
}
