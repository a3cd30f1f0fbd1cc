// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// The settings of a recorder, as the service's configuration file has them.
package struct RecorderConfiguration: Equatable, Sendable {
  /// The board's name; `nil` when it is to be detected.
  package var board: String?
  /// N of /dev/i2c-N; `nil` for the board's.
  package var bus: Int?
  /// The sensor's model; `nil` when it is to be detected.
  package var sensor: String?
  /// Ticks a second.
  package var rate: SampleRate
  package var clock = ClockChoice.automatic
  /// The line from the chip's interrupt output.
  package var interrupt = LineChoice.none
  /// Whether the chip stamps its samples with its own counter, where it keeps the time and has one.
  package var timeStamps = false
  /// The length of a recording in nanoseconds, above 0; `nil` for until stopped.
  package var length: Int64? = 60_000_000_000
  package var channels = ChannelSet.all
  /// Full scale in g.
  package var accelerometerRange = 4
  /// Full scale in °/s.
  package var gyroscopeRange = 500
  /// Nanoseconds between two syncs, 0 for only at the end; `nil` when the length and the rate decide.
  package var syncInterval: Int64?
  /// The limit on the processors' sleep during a recording.
  package var cpuLatency = LatencyChoice.automatic
  /// Kept with each recording, at most ``longestNote`` bytes.
  package var note = ""
  /// How the sensor is mounted; `nil` when its own axes are meant.
  package var axes: AxisMap?
  /// The file of the sensor's calibration, an absolute path; `nil` for none.
  package var calibration: String?
  /// The directory of recordings, an absolute path; `nil` for the program's usual one.
  package var store: String?
  /// Nanoseconds before a press that belong to its recording; at most ``longestPreTrigger(at:)``.
  package var preTrigger: Int64 = 0
  /// Whether the sensor is sampled between recordings.
  package var samplesWhileIdle = true
  package var button = LineChoice.automatic
  /// Whether the pressed button connects its line to ground.
  package var isButtonActiveLow = true
  package var light = LineChoice.automatic
  /// Whether a low level lights the light.
  package var isLightActiveLow = false
  /// Bytes of free space that are left alone.
  package var reserve: UInt64 = 200_000_000
  /// Whether the oldest recordings are deleted when a new one would not fit.
  package var deletesOldest = false

  package static let `default` = RecorderConfiguration()

  private init() {
    guard let rate = SampleRate(10) else { preconditionFailure("10 Hz is a rate") }
    self.rate = rate
  }

  /// Bytes of a note that a recording's header keeps.
  package static let longestNote = 1000

  /// How many ticks the history holds: the ring's 600 slots without room for the ticks that arrive while a recording
  /// begins, 0.2 s and at least 10 ticks.
  package static func historyCapacity(_ rate: SampleRate) -> UInt64 {
    600 - min(600, max(10, rate.tick(atNanoseconds: 199_999_999) + 1))
  }

  /// The longest pre-trigger that the history holds at `rate`, in nanoseconds: 59 s at 10 Hz.
  package static func longestPreTrigger(at rate: SampleRate) -> Int64 {
    rate.nanoseconds(atTick: historyCapacity(rate))
  }
}

/// A GPIO line for the button, the light or the chip's interrupt.
package enum LineChoice: Equatable, Sendable {
  /// The board's.
  case automatic
  case none
  /// The line of this name, on whichever chip has it.
  case named(String)
  /// The line of this number on the chip with this label or name.
  case offset(chip: String, Int)

  /// Reads `auto`, `none`, a line's name or `CHIP:OFFSET`.
  package init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "none": self = .none
    default:
      guard let colon = text.lastIndex(of: ":") else {
        self = .named(text)
        return
      }
      let chip = String(text[..<colon])
      let number = String(text[text.index(after: colon)...])
      guard !chip.isEmpty, let offset = Digits.number(number, upTo: 65_535) else { return nil }
      self = .offset(chip: chip, offset)
    }
  }
}

/// What dates the samples.
package enum ClockChoice: String, Sendable {
  /// The chip above 200 Hz where it has the rate in its FIFO, else the grid.
  case automatic = "auto"
  case chip
  case grid
}

/// The limit on the processors' sleep during a recording.
package enum LatencyChoice: Equatable, Sendable {
  /// Depends on the rate.
  case automatic
  /// Without a limit.
  case free
  /// Sleep from which they wake up within so many microseconds.
  case held(Int32)

  /// Reads `auto`, `off`, or a number of microseconds up to 10000.
  package init?(_ text: String) {
    switch text {
    case "auto": self = .automatic
    case "off": self = .free
    default:
      guard let number = Digits.number(text, upTo: 10_000) else { return nil }
      self = .held(Int32(number))
    }
  }

  /// The longest wake-up in microseconds to ask for at `rate`; `nil` for none.
  ///
  /// Automatic means from 50 Hz on half a thousandth of a period, rounded down: 10 at 50 Hz, 5 at 100 Hz, 0 at 1 kHz.
  /// Slower recordings are often long and on a battery; a late tick matters less there.
  package func microseconds(at rate: SampleRate) -> Int32? {
    switch self {
    case .automatic: return rate.hertz >= 50 ? Int32(500 / rate.hertz) : nil
    case .free: return nil
    case .held(let microseconds): return microseconds
    }
  }
}

/// The choices of the configuration that other parts of the program know.
package struct ConfigurationChoices: Equatable, Sendable {
  /// Names of boards.
  package var boards: [String]
  /// Names of sensor models.
  package var sensors: [String]
  /// Full scales of accelerometers in g, of any model.
  var accelerometerRanges = [2, 4, 8, 16, 32]
  /// Full scales of gyroscopes in °/s, of any model.
  var gyroscopeRanges = [125, 250, 500, 1000, 2000, 4000]

  package init(boards: [String], sensors: [String]) {
    (self.boards, self.sensors) = (boards, sensors)
  }
}

/// A key of the configuration file. The table ``all(_:)`` is the only definition of the keys: the parser, its refusals
/// and the example use it.
struct ConfigurationKey {
  let name: String
  /// The default, as written in the file.
  let example: String
  /// The lines above the key in the example.
  let comment: String
  /// The accepted values, as a clause.
  let accepts: String
  /// Sets the value in a configuration; `false` for invalid text.
  let read: (String, inout RecorderConfiguration) -> Bool

  private init<Value>(
    _ name: String, _ property: WritableKeyPath<RecorderConfiguration, Value>, _ example: String,
    accepts: String, comment: String = "", _ parse: @escaping (String) -> Value?
  ) {
    (self.name, self.example, self.comment, self.accepts) = (name, example, comment, accepts)
    read = { text, configuration in
      guard let value = parse(text) else { return false }
      configuration[keyPath: property] = value
      return true
    }
  }

  /// All keys, in the order of the example.
  static func all(_ choices: ConfigurationChoices) -> [ConfigurationKey] {
    sensor(choices) + recording(choices) + service
  }

  private static func sensor(_ choices: ConfigurationChoices) -> [ConfigurationKey] {
    [
      ConfigurationKey(
        "board", \.board, "auto",
        accepts: "give auto or one of \(choices.boards.joined(separator: ", "))",
        comment: """

          # The sensor: what `imulog boards` lists, N of /dev/i2c-N, and a chip such as mpu6050, lsm6dso or auto@0x69.

          """
      ) { $0 == "auto" ? .some(nil) : choices.boards.contains($0) ? .some($0) : nil },
      ConfigurationKey(
        "bus", \.bus, "auto", accepts: "give auto, or the number N of a /dev/i2c-N"
      ) { $0 == "auto" ? .some(nil) : Digits.number($0, upTo: 1_048_575).map { .some($0) } },
      ConfigurationKey(
        "sensor", \.sensor, "auto",
        accepts: "give auto or one of \(choices.sensors.joined(separator: ", "))"
      ) { text in
        // The address after an @ is checked where chips are known.
        let model = String(text.prefix { $0 != "@" })
        return text == "auto"
          ? .some(nil) : model == "auto" || choices.sensors.contains(model) ? .some(text) : nil
      },
    ]
  }

  private static func recording(_ choices: ConfigurationChoices) -> [ConfigurationKey] {
    [
      ConfigurationKey(
        "rate", \.rate, "10",
        accepts: "give hertz as a decimal number from 0.0001 to 10000, such as 10 or 12.5, in "
          + "at most 9 digits",
        comment: """

          # Samples a second.

          """
      ) { SampleRate(decimal: $0).flatMap { 0.0001...10_000 ~= $0.hertz ? $0 : nil } },
      ConfigurationKey(
        "clock", \.clock, "auto", accepts: "give auto, chip or grid",
        comment: """
          # What keeps the time: chip, at the chip's own rates, or grid, the computer; auto: the chip above 200 Hz if it has
          # the rate.

          """
      ) { ClockChoice(rawValue: $0) },
      ConfigurationKey(
        "interrupt", \.interrupt, "none", accepts: line,
        comment: """
          # The line from the chip's interrupt output, which makes the times more certain when the chip keeps them:
          # none, auto (the board's), a line's name such as GPIO22, or CHIPLABEL:OFFSET.

          """
      ) { LineChoice($0) },
      ConfigurationKey(
        "time-stamps", \.timeStamps, "no", accepts: "give yes or no",
        comment: """
          # yes: when an LSM6DS or LSM6DSV keeps the time, it puts its own counter's stamp beside each sample, which makes
          # the times of slow recordings more certain after some seconds and takes half as much again of the bus.

          """
      ) { ["yes": true, "no": false][$0] },
      ConfigurationKey(
        "length", \.length, "60s",
        accepts: "give a time above 0, such as 60s or 1.5m, or until-stopped",
        comment: "# How long a recording is: a time such as 60s or 1.5m, or until-stopped.\n"
      ) { text in
        text == "until-stopped"
          ? .some(nil) : SpanText.nanoseconds(text).flatMap { $0 > 0 ? .some($0) : nil }
      },
      ConfigurationKey(
        "channels", \.channels, "both", accepts: "give accel, gyro or both",
        comment: "# accel, gyro or both.\n"
      ) { ["both": .all, "accel": .accelerometer, "gyro": .gyroscope][$0] },
      range(
        "accel-range", \.accelerometerRange, "4g", of: choices.accelerometerRanges, unit: "g",
        comment: "# Full scales.\n"),
      range(
        "gyro-range", \.gyroscopeRange, "500dps", of: choices.gyroscopeRanges, unit: "dps"),
      ConfigurationKey(
        "sync-every", \.syncInterval, "auto",
        accepts: "give auto, a time such as 1s, or 0 for only at a recording's end",
        comment: """
          # How often a recording is synced: auto, a time such as 1s, or 0 for only at its end.

          """
      ) { $0 == "auto" ? .some(nil) : SpanText.nanoseconds($0).map { .some($0) } },
      ConfigurationKey(
        "cpu-latency", \.cpuLatency, "auto",
        accepts: "give auto, off, or the microseconds that a processor may take to wake up",
        comment: """
          # How many microseconds a processor may take to wake up during a recording: auto (limited from 50 Hz on, which
          # costs power), off, or a number.

          """
      ) { LatencyChoice($0) },
      ConfigurationKey(
        "note", \.note, "",
        accepts: "\(RecorderConfiguration.longestNote) bytes fit into a recording; shorten it",
        comment: "# A note to keep with each recording.\n"
      ) { $0.utf8.count <= RecorderConfiguration.longestNote ? $0 : nil },
      ConfigurationKey(
        "axes", \.axes, "x,y,z", accepts: AxisMap.accepts,
        comment: """
          # How the sensor is mounted: which of the chip's axes the wearer's x, y and z are, such as -z,y,x. Exports apply it.

          """
      ) { text -> AxisMap?? in AxisMap(text).map { $0.isIdentity ? .none : .some($0) } },
      ConfigurationKey(
        "calibration", \.calibration, "none",
        accepts: "give none, or a file of imulog calibrate as an absolute path",
        comment: "# The sensor's calibration, kept with each recording; it changes no sample.\n"
      ) { $0 == "none" ? .some(nil) : $0.hasPrefix("/") ? .some($0) : nil },
      ConfigurationKey(
        "store", \.store, "auto", accepts: "give auto, or a directory as an absolute path",
        comment: """
          # The directory of recordings. The service's unit allows writing only to the default; for another one, such as on
          # a USB stick, add the lines [Service] and ReadWritePaths=DIR with `sudo systemctl edit imulog`.

          """
      ) { $0 == "auto" ? .some(nil) : $0.hasPrefix("/") ? .some($0) : nil },
    ]
  }

  private static var service: [ConfigurationKey] {
    [
      ConfigurationKey(
        "pre-trigger", \.preTrigger, "0s", accepts: "give a time such as 5s, or 0s for none",
        comment: """

          # The time before a press that a recording includes.

          """
      ) { SpanText.nanoseconds($0) },
      ConfigurationKey(
        "while-idle", \.samplesWhileIdle, "sample", accepts: "give sample or sleep",
        comment: """
          # sample; or sleep: nothing is sampled between recordings, which saves power, and nothing before a press.

          """
      ) { ["sample": true, "sleep": false][$0] },
      ConfigurationKey(
        "button", \.button, "auto", accepts: line,
        comment: """

          # The button: auto (the board's), none, a line's name such as GPIO17, or CHIPLABEL:OFFSET.

          """
      ) { LineChoice($0) },
      ConfigurationKey(
        "button-active", \.isButtonActiveLow, "low", accepts: "give low or high",
        comment: "# low: the button connects its line to ground; high: to 3.3 V.\n"
      ) { ["low": true, "high": false][$0] },
      ConfigurationKey(
        "light", \.light, "auto", accepts: line, comment: "# The light: as the button.\n"
      ) { LineChoice($0) },
      ConfigurationKey(
        "light-active", \.isLightActiveLow, "high", accepts: "give low or high",
        comment: "# high: the line sources the light's current; low: the line sinks it.\n"
      ) { ["low": true, "high": false][$0] },
      ConfigurationKey(
        "reserve", \.reserve, "200MB",
        accepts: "give bytes with or without a unit, such as 200MB, 1.5GiB or 0",
        comment: """

          # Free space to keep: bytes, or with kB, MB, GB, KiB, MiB, GiB.

          """
      ) { ByteText.bytes($0) },
      ConfigurationKey(
        "delete-oldest", \.deletesOldest, "no", accepts: "give yes or no",
        comment: "# yes: the oldest recordings are deleted if a new one would not fit.\n"
      ) { ["yes": true, "no": false][$0] },
    ]
  }

  private static let line = "give auto, none, a line's name such as GPIO17, or CHIPLABEL:OFFSET"

  /// A full scale, with or without its unit.
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

extension RecorderConfiguration {
  /// The configuration file as it is installed: every key with its default and its meaning.
  package static var example: String {
    let keys = ConfigurationKey.all(ConfigurationChoices(boards: [], sensors: []))
    return """
      # The configuration of the imulog service. One KEY = VALUE per line; a # begins a comment. A missing key has the
      # value shown here. `systemctl reload imulog` reads the file again, between two recordings.

      """
        + keys.map { key in
          key.comment + key.name + (key.example.isEmpty ? " =\n" : " = \(key.example)\n")
        }.joined()
  }
}
