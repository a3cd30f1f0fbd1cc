// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The sensors whose channels share a unit and a scale.
enum ImportGroup: Int, CaseIterable {
  case accelerometer
  case gyroscope
  case temperature

  /// The group of a channel by its position in `ChannelSet`.
  init(channel: Int) {
    self = channel < 3 ? .accelerometer : channel < 6 ? .gyroscope : .temperature
  }

  /// What it measures, for sentences.
  var name: String {
    switch self {
    case .accelerometer: "accelerations"
    case .gyroscope: "rates"
    case .temperature: "temperatures"
    }
  }

  /// The most that a chip measures: 32 g, 4000 °/s, 200 °C.
  var mostOfAnyChip: Double {
    switch self {
    case .accelerometer: 32
    case .gyroscope: 4000
    case .temperature: 200
    }
  }

  /// Units for `--units`, for sentences.
  var choices: String {
    switch self {
    case .accelerometer: "g, mg, m/s2 or raw"
    case .gyroscope: "deg/s, mdps, rad/s or raw"
    case .temperature: "degC or raw"
    }
  }
}

/// A unit of values in an imported file.
public enum ImportUnit: Equatable, Sendable {
  /// The sensor's own, 16 bits.
  case count
  case g
  case milliG
  case metrePerSecondSquared
  case degreePerSecond
  case milliDegreePerSecond
  case radianPerSecond
  case degreeCelsius

  /// A word for a unit, as programs write it; case and blanks do not matter.
  init?(word: some StringProtocol) {
    switch word.lowercased().filter({ $0 != " " }) {
    case "raw", "count", "counts", "lsb": self = .count
    case "g": self = .g
    case "mg": self = .milliG
    case "m/s^2", "m/s²", "m/s2", "m/s/s", "m/s**2", "m/sec^2", "ms^-2", "mps2":
      self = .metrePerSecondSquared
    case "deg/s", "°/s", "d/s", "dps", "degps", "deg/sec", "°/sec", "degrees/s":
      self = .degreePerSecond
    case "mdps", "mdeg/s": self = .milliDegreePerSecond
    case "rad/s", "rad/sec", "rads^-1", "radps": self = .radianPerSecond
    case "degc", "°c", "c": self = .degreeCelsius
    default: return nil
    }
  }

  /// The sensors whose values can have it.
  func measures(_ group: ImportGroup) -> Bool {
    switch self {
    case .count: true
    case .g, .milliG, .metrePerSecondSquared: group == .accelerometer
    case .degreePerSecond, .milliDegreePerSecond, .radianPerSecond: group == .gyroscope
    case .degreeCelsius: group == .temperature
    }
  }

  /// One of it in g, °/s or °C, in which logs have their scales.
  var inLogUnits: Fraction {
    switch self {
    case .count, .g, .degreePerSecond, .degreeCelsius: .one
    case .milliG, .milliDegreePerSecond: Fraction(1, 1000)
    case .metrePerSecondSquared: Fraction(100_000, 980_665)
    case .radianPerSecond:
      Fraction(Fraction.radiansPerDegree.denominator, Fraction.radiansPerDegree.numerator)
    }
  }

  /// Its sign, for sentences.
  var sign: String {
    switch self {
    case .count: "counts"
    case .g: "g"
    case .milliG: "mg"
    case .metrePerSecondSquared: "m/s²"
    case .degreePerSecond: "°/s"
    case .milliDegreePerSecond: "m°/s"
    case .radianPerSecond: "rad/s"
    case .degreeCelsius: "°C"
    }
  }
}

/// How a table's times are written.
enum ImportTimeForm: Equatable {
  /// Numbers of `factor` × 10^`power` nanoseconds, from anywhere or, if they are dated, from the beginning of 1970.
  case number(power: Int, factor: Int64 = 1, isDated: Bool = false)
  /// A date and a time of day, with or without an offset from UTC.
  case date
  /// A time of day alone, such as `14:05:59.25`, on days that follow each other.
  case timeOfDay
  /// Not said by the header: the first rows tell.
  case unknown

  /// A word for a unit of time.
  init?(word: some StringProtocol) {
    switch word.lowercased().filter({ $0 != " " }) {
    case "ns", "nsec", "nsecs", "nanosec", "nanosecs", "nanosecond", "nanoseconds", "nanos":
      self = .nanoseconds
    // Micro has two letters.
    case "us", "µs", "μs", "usec", "usecs", "µsec", "μsec", "µsecs", "μsecs", "microsec",
      "microsecs", "microsecond", "microseconds", "micros":
      self = .microseconds
    case "ms", "msec", "msecs", "millisec", "millisecs", "millisecond", "milliseconds", "millis":
      self = .milliseconds
    case "s", "sec", "secs", "second", "seconds": self = .seconds
    case "min", "mins", "minute", "minutes": self = .minutes
    case "h", "hr", "hrs", "hour", "hours": self = .hours
    default: return nil
    }
  }

  /// Words where a unit would be that say from when times count, and leave the unit to their size.
  static let epochs: Set = ["utc", "gmt", "local", "unix", "epoch", "posix"]

  static let nanoseconds = ImportTimeForm.number(power: 0)
  static let microseconds = ImportTimeForm.number(power: 3)
  static let milliseconds = ImportTimeForm.number(power: 6)
  static let seconds = ImportTimeForm.number(power: 9)
  static let minutes = ImportTimeForm.number(power: 9, factor: 60)
  static let hours = ImportTimeForm.number(power: 9, factor: 3600)

  /// Those for `--units`, for sentences.
  static let choices = "s, ms, us, ns, min or h"

  /// The same unit, counted from 1970.
  var dated: ImportTimeForm {
    guard case .number(let power, let factor, _) = self else { return self }
    return .number(power: power, factor: factor, isDated: true)
  }

  /// The same unit, counted from anywhere.
  var undated: ImportTimeForm {
    guard case .number(let power, let factor, _) = self else { return self }
    return .number(power: power, factor: factor)
  }

  /// Another unit, counted from 1970 if this one is.
  func changed(to unit: ImportTimeForm) -> ImportTimeForm {
    if case .number(_, _, isDated: true) = self { unit.dated } else { unit }
  }

  private func unitOfSeconds(_ factor: Int64) -> String {
    factor == 60 ? "min" : factor == 3600 ? "h" : "s"
  }

  /// Its name, for sentences.
  var name: String {
    switch self {
    case .number(let power, let factor, let isDated):
      (power == 0
        ? "ns"
        : power == 3 ? "µs" : power == 5 ? "0.1 ms" : power == 6 ? "ms" : unitOfSeconds(factor))
        + (isDated ? " since 1970" : "")
    case .date: "dates"
    case .timeOfDay: "times of day"
    case .unknown: "unknown"
    }
  }
}

/// Units of values and times that the user names, as `si`, `g,deg/s,ms` or `raw`.
public struct ImportUnits: Equatable, Sendable {
  var accelerometer: ImportUnit?
  var gyroscope: ImportUnit?
  var temperature: ImportUnit?
  var time: ImportTimeForm?

  /// Words separated by commas, each a unit or one of `si`, `g-dps` and `raw`; `nil` for other words, and for two units
  /// of one kind.
  public init?(_ text: String) {
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      switch word.lowercased() {
      case "si":
        guard set(.metrePerSecondSquared), set(.radianPerSecond), set(.degreeCelsius) else {
          return nil
        }
      case "g-dps":
        guard set(.g), set(.degreePerSecond), set(.degreeCelsius) else { return nil }
      default:
        if let form = ImportTimeForm(word: word) {
          guard time == nil else { return nil }
          time = form
        } else {
          guard let unit = ImportUnit(word: word), set(unit) else { return nil }
        }
      }
    }
  }

  init() {}

  /// The unit of a group.
  subscript(group: ImportGroup) -> ImportUnit? {
    get {
      switch group {
      case .accelerometer: accelerometer
      case .gyroscope: gyroscope
      case .temperature: temperature
      }
    }
    set {
      switch group {
      case .accelerometer: accelerometer = newValue
      case .gyroscope: gyroscope = newValue
      case .temperature: temperature = newValue
      }
    }
  }

  /// Whether no group had a unit.
  private mutating func set(_ unit: ImportUnit) -> Bool {
    for group in ImportGroup.allCases where unit.measures(group) {
      guard self[group] == nil else { return false }
      self[group] = unit
    }
    return true
  }
}
