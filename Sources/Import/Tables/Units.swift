// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The sensors whose channels share a unit and a scale.
public enum Group: Int, CaseIterable, Sendable {
  case accelerometer
  case gyroscope
  case temperature

  /// The group of a channel by its position in `ChannelSet`.
  init(channel: Int) {
    self = channel < 3 ? .accelerometer : channel < 6 ? .gyroscope : .temperature
  }

  /// Its channels.
  var channels: ChannelSet {
    switch self {
    case .accelerometer: .accelerometer
    case .gyroscope: .gyroscope
    case .temperature: .temperature
    }
  }

  /// What it measures, for sentences.
  var name: String {
    switch self {
    case .accelerometer: "accelerations"
    case .gyroscope: "rates"
    case .temperature: "temperatures"
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
public enum Unit: Equatable, Sendable, CaseIterable {
  /// The sensor's own, 16 bits.
  case count
  case g
  case milliG
  case metrePerSecondSquared
  case centimetrePerSecondSquared
  case milliMetrePerSecondSquared
  case degreePerSecond
  case milliDegreePerSecond
  case radianPerSecond
  case revolutionPerMinute
  case degreeCelsius

  /// A word for a unit, as programs write it in brackets, in a row of units, in a fact or in `--units`.
  ///
  ///     m/s^2  m/s²  m s⁻²  m·s^-2  m/(s2)  m_s2  m_per_s2  metres_per_second_squared
  ///
  /// Case and blanks do not matter.
  init?(word: some StringProtocol) {
    let text = Unit.plain(word)
    guard let unit = Unit.words[text] ?? Unit.quotient(text) else { return nil }
    self = unit
  }

  /// Without what programs write differently.
  private static func plain(_ word: some StringProtocol) -> String {
    var text = ""
    var words = word.lowercased()[...]
    if words.hasPrefix("in ") || words.hasPrefix("in_") { words = words.dropFirst(3) }
    for character in words.split(separator: " per ").joined(separator: "/") {
      switch character {
      case " ", ".", "·", "*", "^", "(", ")", "⋅", "'", "’": break
      case "²": text += "2"
      case "⁻", "−": text += "-"
      case "¹": text += "1"
      case "º", "˚": text += "°"
      case "µ", "μ": text += "u"
      case "_": text += "/"
      default: text.append(character)
      }
    }
    // `m_per_s2` has become `m/per/s2`.
    return text.split(separator: "/", omittingEmptySubsequences: false).filter {
      $0 != "per" && $0 != "in"
    }
    .joined(separator: "/")
  }

  private static let words: [String: Unit] = [
    "raw": .count, "count": .count, "counts": .count, "lsb": .count, "adc": .count,
    "g": .g, "gs": .g, "gee": .g, "gees": .g, "gforce": .g, "g-force": .g,
    "mg": .milliG, "millig": .milliG, "milligs": .milliG, "milli/g": .milliG,
    "milli-g": .milliG,
    "mps2": .metrePerSecondSquared, "ms2": .metrePerSecondSquared, "mss": .metrePerSecondSquared,
    "mpss": .metrePerSecondSquared,
    "cmps2": .centimetrePerSecondSquared, "gal": .centimetrePerSecondSquared,
    "mmps2": .milliMetrePerSecondSquared,
    "dps": .degreePerSecond, "degps": .degreePerSecond, "mdps": .milliDegreePerSecond,
    "radps": .radianPerSecond, "rpm": .revolutionPerMinute, "rev/min": .revolutionPerMinute,
    "degc": .degreeCelsius, "deg/c": .degreeCelsius, "°c": .degreeCelsius, "c": .degreeCelsius,
    "celsius": .degreeCelsius, "deg/celsius": .degreeCelsius, "degree/celsius": .degreeCelsius,
    "degrees/celsius": .degreeCelsius, "degreescelsius": .degreeCelsius,
  ]

  private static let lengths: [String: Unit] = [
    "m": .metrePerSecondSquared, "meter": .metrePerSecondSquared, "metre": .metrePerSecondSquared,
    "meters": .metrePerSecondSquared, "metres": .metrePerSecondSquared,
    "cm": .centimetrePerSecondSquared, "mm": .milliMetrePerSecondSquared,
  ]
  private static let angles: [String: Unit] = [
    "°": .degreePerSecond, "d": .degreePerSecond, "deg": .degreePerSecond,
    "degs": .degreePerSecond, "degree": .degreePerSecond, "degrees": .degreePerSecond,
    "mdeg": .milliDegreePerSecond, "m°": .milliDegreePerSecond,
    "millideg": .milliDegreePerSecond,
    "rad": .radianPerSecond, "rads": .radianPerSecond, "radian": .radianPerSecond,
    "radians": .radianPerSecond,
  ]
  /// After a length or an angle: once a second, and once more.
  private static let rates: Set = ["/s", "/sec", "/second", "s-1"]
  private static let squares: Set = [
    "/s2", "/s/s", "/s/2", "/sec2", "/sec/sec", "/sec/2", "/second2", "/second/squared",
    "/secondsquared",
    "/seconds/squared", "/s/squared", "/second/second", "s-2",
  ]

  /// A length or an angle over time: the longest of them that the text begins with.
  private static func quotient(_ text: String) -> Unit? {
    for (names, times) in [(lengths, squares), (angles, rates)] {
      for (name, unit) in names
      where text.hasPrefix(name) && times.contains(String(text.dropFirst(name.count))) {
        return unit
      }
    }
    return nil
  }

  /// The sensors whose values can have it, one of it in g, °/s or °C, its sign and its word for `--units`.
  private var facts: (group: Group?, one: Fraction, sign: String, word: String) {
    switch self {
    case .count: (nil, .one, "counts", "raw")
    case .g: (.accelerometer, .one, "g", "g")
    case .milliG: (.accelerometer, Fraction(1, 1000), "mg", "mg")
    case .metrePerSecondSquared: (.accelerometer, Fraction(100_000, 980_665), "m/s²", "m/s2")
    case .centimetrePerSecondSquared: (.accelerometer, Fraction(1000, 980_665), "cm/s²", "cm/s2")
    case .milliMetrePerSecondSquared: (.accelerometer, Fraction(100, 980_665), "mm/s²", "mm/s2")
    case .degreePerSecond: (.gyroscope, .one, "°/s", "deg/s")
    case .milliDegreePerSecond: (.gyroscope, Fraction(1, 1000), "m°/s", "mdps")
    case .radianPerSecond: (.gyroscope, Unit.degreesPerRadian, "rad/s", "rad/s")
    case .revolutionPerMinute: (.gyroscope, Fraction(6, 1), "rpm", "rpm")
    case .degreeCelsius: (.temperature, .one, "°C", "degC")
    }
  }

  private static let degreesPerRadian = Fraction(
    Fraction.radiansPerDegree.denominator, Fraction.radiansPerDegree.numerator)

  /// Whether a sensor's values can have it.
  func measures(_ group: Group) -> Bool { facts.group.map { $0 == group } ?? true }

  /// One of it in g, °/s or °C, in which logs have their scales.
  var inLogUnits: Fraction { facts.one }

  /// Its sign, for sentences.
  var sign: String { facts.sign }

  /// Its word for `--units`.
  var word: String { facts.word }
}

/// What the user states of values and times, as `si`, `g,deg/s,ms`, `raw` or `m/s2,s,unix`.
public struct UnitsOption: Equatable, Sendable {
  /// As the user wrote it.
  public let text: String
  /// By the sensor; `raw` is that of each sensor that no other word names.
  private(set) var units: [Group: Unit] = [:]
  /// The unit of times that are numbers.
  private(set) var time: TimeForm?
  /// Whether times that are numbers count from 1970.
  private(set) var isUnix = false
  /// The order of day, month and year in dates.
  private(set) var order: DateOrder?

  /// Words separated by commas, each a unit, `si`, `g-dps`, `unix`, or an order of dates; `nil` for other words, and for two
  /// words of one kind.
  public init?(_ text: String) {
    self.text = text
    var isRaw = false
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = word.lowercased().filter { $0 != " " }
      if name == "si" || name == "g-dps" {
        let (length, angle): (Unit, Unit) =
          name == "si" ? (.metrePerSecondSquared, .radianPerSecond) : (.g, .degreePerSecond)
        guard set(length), set(angle), set(.degreeCelsius) else { return nil }
      } else if name == "unix" {
        guard !isUnix else { return nil }
        isUnix = true
      } else if let order = DateOrder(rawValue: name) {
        guard self.order == nil else { return nil }
        self.order = order
      } else if let form = TimeForm(word: word) {
        guard time == nil else { return nil }
        time = form
      } else {
        guard let unit = Unit(word: word) else { return nil }
        guard unit == .count ? !isRaw : set(unit) else { return nil }
        isRaw = isRaw || unit == .count
      }
    }
    guard isRaw else { return }
    for group in Group.allCases where units[group] == nil { units[group] = .count }
  }

  /// Whether the unit's group had none.
  private mutating func set(_ unit: Unit) -> Bool {
    guard let group = Group.allCases.first(where: unit.measures), units[group] == nil else {
      return false
    }
    units[group] = unit
    return true
  }
}
