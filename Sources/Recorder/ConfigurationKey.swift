// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Text

/// A key of the configuration file and option of the command line; ``all(boards:)`` is the only definition.
struct ConfigurationKey {
  let name: String
  /// The option's name without its dashes.
  let option: String
  /// The default, as written in the file.
  let example: String
  /// The lines above the key in the example, without their `#`.
  let comment: String
  /// The accepted values, as a clause.
  let accepts: String
  /// Sets the value in a configuration; `false` for invalid text.
  let read: (String, inout RecorderConfiguration) -> Bool

  init<Value>(
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Value>, _ example: String,
    option: String? = nil, accepts: String, comment: String = "",
    _ parse: @escaping (String) -> Value?
  ) {
    (self.name, self.example, self.comment, self.accepts) = (name, example, comment, accepts)
    self.option = option ?? name
    read = { text, configuration in
      guard let value = parse(text) else { return false }
      configuration[keyPath: property] = value
      return true
    }
  }

  /// All keys, in the order of the example.
  static func all(boards: [String]) -> [ConfigurationKey] {
    sensor(boards) + recording + beginnings + panel
  }

  private static func sensor(_ boards: [String]) -> [ConfigurationKey] {
    [
      ConfigurationKey(
        "board", \.board, "auto",
        accepts: "give auto or one of \(boards.joined(separator: ", "))",
        comment:
          "\nThe sensor: what `imulog boards` lists, N of /dev/i2c-N, and a chip such as mpu6050, lsm6dso or auto@0x69."
      ) { $0 == "auto" ? .some(nil) : boards.contains($0) ? .some($0) : nil },
      ConfigurationKey(
        "bus", \.bus, "auto", accepts: "give auto, or the number N of a /dev/i2c-N"
      ) { $0 == "auto" ? .some(nil) : Digits.number($0, upTo: 1_048_575).map { .some($0) } },
      ConfigurationKey(
        "sensor", \.sensor, "auto", accepts: SensorChoice.accepts
      ) { SensorChoice($0) },
    ]
  }

  private static var recording: [ConfigurationKey] {
    [
      ConfigurationKey(
        "rate", \.rate, "10",
        accepts: "give hertz as a decimal number from 0.0001 to 10000, such as 10 or 12.5, in "
          + "at most 9 digits",
        comment: "\nSamples a second."
      ) { SampleRate(decimal: $0).flatMap { 0.0001...10_000 ~= $0.hertz ? $0 : nil } },
      choice(
        "clock", \.clock, ["auto": .automatic, "chip": .chip, "grid": .grid],
        comment: """
          What keeps the time: chip, at the chip's own rates, or grid, the computer; auto: the chip above 200 Hz if it has
          the rate.
          """),
      ConfigurationKey(
        "interrupt", \.interrupt, "none", accepts: line,
        comment: """
          The line from the chip's interrupt output, which makes the times more certain when the chip keeps them:
          none, auto (the board's), a line's name such as GPIO22, or CHIPLABEL:OFFSET.
          """
      ) { LineChoice($0) },
      choice(
        "time-stamps", \.timeStamps, ["no": false, "yes": true],
        comment: """
          yes: when an LSM6DS or LSM6DSV keeps the time, it puts its own counter's stamp beside each sample, which makes
          the times of slow recordings more certain after some seconds and takes half as much again of the bus.
          """),
      ConfigurationKey(
        "length", \.length, "60s", option: "for",
        accepts:
          "give a time of \(SpanLimits.length.words), such as 60s or 1.5m, or until-stopped",
        comment: "How long a recording is: a time such as 60s or 1.5m, or until-stopped."
      ) { text in
        text == "until-stopped" ? .some(nil) : SpanLimits.length.nanoseconds(text).map { .some($0) }
      },
      choice(
        "channels", \.channels, ["both": .all, "accel": .accelerometer, "gyro": .gyroscope],
        comment: "accel, gyro or both."),
      range(
        "accel-range", \.accelerometerRange, "4g", of: [2, 4, 8, 16, 32], unit: "g",
        comment: "Full scales."),
      range(
        "gyro-range", \.gyroscopeRange, "500dps", of: [125, 250, 500, 1000, 2000, 4000],
        unit: "dps"),
      ConfigurationKey(
        "field", \.field, "off",
        accepts: "give off, or one of "
          + fieldRates.map { Plain.hertz($0) }.joined(separator: ", ") + " hertz",
        comment:
          "The magnetometer of an ICM-20948 or LSM9DS1: off, or its rate in hertz, up to that of samples."
      ) { text -> SampleRate?? in
        text == "off" ? .some(nil) : fieldRates.first { Plain.hertz($0) == text }.map { .some($0) }
      },
      ConfigurationKey(
        "sync-every", \.syncInterval, "auto",
        accepts: "give auto, \(SpanLimits.syncEvery.words) for only at a recording's end",
        comment:
          "How often a recording is synced: auto, a time such as 1s, or 0 for only at its end."
      ) { $0 == "auto" ? .some(nil) : SpanLimits.syncEvery.nanoseconds($0).map { .some($0) } },
      ConfigurationKey(
        "cpu-latency", \.cpuLatency, "auto",
        accepts:
          "give auto, off, or the microseconds up to 10000 that a processor may take to wake up",
        comment: """
          How many microseconds a processor may take to wake up during a recording: auto (limited from 50 Hz on, which
          costs power), off, or a number.
          """
      ) { LatencyChoice($0) },
      ConfigurationKey(
        "note", \.note, "",
        accepts: "\(RecorderConfiguration.longestNote) bytes fit into a recording; shorten it",
        comment: "A note to keep with each recording."
      ) { $0.utf8.count <= RecorderConfiguration.longestNote ? $0 : nil },
      ConfigurationKey(
        "axes", \.axes, "x,y,z", accepts: AxisMap.accepts,
        comment:
          "How the sensor is mounted: which of the chip's axes the wearer's x, y and z are, such as -z,y,x. Exports apply it."
      ) { text -> AxisMap?? in AxisMap(text).map { $0.isIdentity ? .none : .some($0) } },
      ConfigurationKey(
        "calibration", \.calibration, "none",
        accepts: "give none, or a file of imulog calibrate as an absolute path",
        comment:
          "The sensor's calibration, kept with each recording: a file such as /etc/imulog/left.cal; the unit hides /home."
      ) { $0 == "none" ? .some(nil) : $0.hasPrefix("/") ? .some($0) : nil },
      ConfigurationKey(
        "store", \.store, "auto", accepts: "give auto, or a directory as an absolute path",
        comment: """
          The directory of recordings. The service's unit allows writing only to the default; for another one, such as on
          a USB stick, add the lines [Service] and ReadWritePaths=DIR with `sudo systemctl edit imulog`.
          """
      ) { $0 == "auto" ? .some(nil) : $0.hasPrefix("/") ? .some($0) : nil },
    ]
  }

  private static var panel: [ConfigurationKey] {
    [
      ConfigurationKey(
        "button", \.button, "auto", accepts: line,
        comment:
          "\nThe button: auto (the board's), none, a line's name such as GPIO17, or CHIPLABEL:OFFSET."
      ) { LineChoice($0) },
      choice(
        "button-active", \.isButtonActiveLow, ["low": true, "high": false],
        comment: "low: the button connects its line to ground; high: to 3.3 V."),
      ConfigurationKey(
        "light", \.light, "auto", accepts: line, comment: "The light: as the button."
      ) { LineChoice($0) },
      choice(
        "light-active", \.isLightActiveLow, ["high": false, "low": true],
        comment: "high: the line sources the light's current; low: the line sinks it."),
      ConfigurationKey(
        "reserve", \.reserve, "200MB",
        accepts: "give bytes with or without a unit, such as 200MB, 1.5GiB or 0",
        comment: "\nFree space to keep: bytes, or with kB, MB, GB, KiB, MiB, GiB."
      ) { ByteText.bytes($0) },
      choice(
        "delete-oldest", \.deletesOldest, ["no": false, "yes": true],
        comment: "yes: the oldest recordings are deleted if a new one would not fit."),
    ]
  }

  static func span(
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Int64>, _ example: String,
    _ limits: SpanLimits, suchAs other: String, comment: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name, property, example, accepts: "give a time of \(limits.words), such as \(other)",
      comment: comment
    ) { limits.nanoseconds($0) }
  }

  /// One of some words; the first is the default.
  private static func choice<Value>(
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Value>,
    _ values: KeyValuePairs<String, Value>, comment: String
  ) -> ConfigurationKey {
    let words = values.map(\.key)
    let all = words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    return ConfigurationKey(name, property, words[0], accepts: "give \(all)", comment: comment) {
      text in values.first { $0.key == text }?.value
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
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Int>, _ example: String,
    of ranges: [Int], unit: String, comment: String = ""
  ) -> ConfigurationKey {
    let names = ranges.map { "\($0)\(unit)" }.joined(separator: ", ")
    return ConfigurationKey(
      name, property, example, accepts: "give one of \(names)", comment: comment
    ) { text in
      let digits = text.hasSuffix(unit) ? String(text.dropLast(unit.count)) : text
      return Digits.number(digits, upTo: 1_000_000).flatMap { ranges.contains($0) ? $0 : nil }
    }
  }
}

/// What is done between recordings, and begins one without a person.
extension ConfigurationKey {
  static var beginnings: [ConfigurationKey] {
    [
      span(
        "pre-trigger", \.preTrigger, "0s", .preTrigger, suchAs: "5s",
        comment: "\nThe time before a press or an event that a recording includes."),
      choice(
        "while-idle", \.samplesWhileIdle, ["sample": true, "sleep": false],
        comment:
          "sample; or sleep: nothing is sampled between recordings, which saves power, and nothing before a press."
      ),
      ConfigurationKey(
        "trigger", \.trigger.threshold, "none",
        accepts: "give none, or peak or rms with g, such as peak 0.5g or rms 0.02g",
        comment: """

          Motion that begins a recording: none; peak and g for a sample above so much; rms and g for the root of the mean
          square over trigger-window. Gravity and all that is slower than trigger-above does not count. The recording has
          the time of pre-trigger before the event, and ends after post-trigger without motion, or with length.
          """
      ) { text in text == "none" ? .some(nil) : TriggerSetting.Threshold(text).map { .some($0) } },
      ConfigurationKey(
        "trigger-above", \.trigger.cutOffHertz, "1Hz",
        accepts: "give hertz from 0.01 to 1000, such as 1Hz or 0.5Hz",
        comment: "The high-pass filter of the trigger."
      ) { text in
        Digits.decimal(text[...], unit: "Hz").flatMap { (0.01...1000).contains($0) ? $0 : nil }
      },
      span(
        "trigger-window", \.trigger.window, "1s", .triggerWindow, suchAs: "1s or 500ms",
        comment: "The time over which rms is taken."),
      span(
        "post-trigger", \.trigger.postTrigger, "5s", .postTrigger, suchAs: "1s or 500ms",
        comment: "The time without motion after which the event is over, and the recording ends."),
      span(
        "trigger-pause", \.trigger.pause, "0s", .triggerPause, suchAs: "10s",
        comment: "The time after that in which motion begins no other recording."),
      ConfigurationKey(
        "trigger-most", \.trigger.mostADay, "1000", accepts: "give a number from 1 to 10000",
        comment: "How many recordings motion begins in 24 hours at most."
      ) { Digits.number($0, upTo: 10_000).flatMap { $0 > 0 ? $0 : nil } },
      ConfigurationKey(
        "every", \.every, "never",
        accepts: "give never, or a time of \(SpanLimits.every.words), such as 10m",
        comment: """

          A duty cycle: a recording of length begins so often; with while-idle = sleep, for the sensor sleeps between, a
          second or more.
          """
      ) { $0 == "never" ? .some(nil) : SpanLimits.every.nanoseconds($0).map { .some($0) } },
      ConfigurationKey(
        "calendar", \.calendar, "none",
        accepts:
          "give none, or days and times as systemd.time(7) has them, such as Mon..Fri 08:00",
        comment: """
          Days and times at which a timer begins a recording of length, such as Mon..Fri 08:00; `imulog install` writes the
          timer.
          """
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
