// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The sensors whose channels share a unit and a scale.
enum Group: Int, CaseIterable {
  case accelerometer, gyroscope, temperature

  /// The group of a channel by its position in `ChannelSet`.
  init(channel: Int) {
    self = channel < 3 ? .accelerometer : channel < 6 ? .gyroscope : .temperature
  }

  var channels: ChannelSet { [ChannelSet.accelerometer, .gyroscope, .temperature][rawValue] }
  /// What it measures, what counts are given for one of, and units for `--units`: for sentences.
  var name: String { ["accelerations", "rates", "temperatures"][rawValue] }
  var unit: String { ["g", "°/s", "°C"][rawValue] }
  var choices: String {
    ["g, mg, m/s2 or raw", "deg/s, mdps, rad/s or raw", "degC or raw"][rawValue]
  }
}

/// A unit of values in an imported file; raw values are words for `--units`.
enum Unit: String, CaseIterable {
  /// The sensor's own, 16 bits.
  case count = "raw"
  case g
  case milliG = "mg"
  case metrePerSecondSquared = "m/s2"
  case centimetrePerSecondSquared = "cm/s2"
  case milliMetrePerSecondSquared = "mm/s2"
  case degreePerSecond = "deg/s"
  case milliDegreePerSecond = "mdps"
  case radianPerSecond = "rad/s"
  case revolutionPerMinute = "rpm"
  case degreeCelsius = "degC"

  /// A word for a unit, as programs write it in brackets, in a row of units, in a fact or in `--units`.
  ///
  ///     m/s^2  m/s²  m s⁻²  m·s^-2  m/(s2)  m_s2  m_per_s2  metres_per_second_squared
  ///
  /// Case and blanks do not matter.
  init?(word: some StringProtocol) {
    var text = ""
    for character in word.lowercased().split(separator: " per ").joined(separator: "/") {
      switch character {
      case " ", ".", "·", "*", "^", "(", ")", "[", "]", "⋅", "'", "’": break
      case "²": text += "2"
      case "⁻", "−": text += "-"
      case "¹": text += "1"
      case "º", "˚": text += "°"
      case "µ", "μ": text += "u"
      case "_": text += "/"
      default: text.append(character)
      }
    }
    // `m_per_s2` has become `m/per/s2`, and `in m/s2` `inm/s2`.
    text = text.split(separator: "/", omittingEmptySubsequences: false)
      .filter { $0 != "per" && $0 != "in" }.joined(separator: "/")
    if text.hasPrefix("in"), word.lowercased().hasPrefix("in ") { text = String(text.dropFirst(2)) }
    // A product without a power is a unit of its own, as g·s.
    let isProduct = word.contains { "·*⋅".contains($0) } && !text.contains(where: \.isNumber)
    guard !isProduct, let unit = Unit.words[text] else { return nil }
    self = unit
  }

  /// That of x, y and z alone: a capital G is a magnetometer's gauss there.
  init?(ofAxis word: String) {
    guard !["G", "Gs", "GS", "mG"].contains(word) else { return nil }
    self.init(word: word)
  }

  /// All spellings without what programs write differently.
  private static let words: [String: Unit] = {
    var words: [String: Unit] = [:]
    let names: [(Unit, String)] = [
      (.count, "raw count counts lsb adc"), (.g, "g gs gee gees gforce g-force"),
      (.milliG, "mg millig milligs milli/g milli-g"), (.metrePerSecondSquared, "mps2 ms2 mss mpss"),
      (.centimetrePerSecondSquared, "cmps2 gal"), (.milliMetrePerSecondSquared, "mmps2"),
      (.degreePerSecond, "dps degps"), (.milliDegreePerSecond, "mdps"),
      (.radianPerSecond, "radps"), (.revolutionPerMinute, "rpm rev/min"),
      (
        .degreeCelsius,
        "degc deg/c °c c celsius deg/celsius degree/celsius degrees/celsius degreescelsius"
      ),
    ]
    let lengths: [(Unit, String)] = [
      (.metrePerSecondSquared, "m meter metre meters metres"), (.centimetrePerSecondSquared, "cm"),
      (.milliMetrePerSecondSquared, "mm"),
    ]
    let angles: [(Unit, String)] = [
      (.degreePerSecond, "° d deg degs degree degrees"),
      (.milliDegreePerSecond, "mdeg m° millideg"), (.radianPerSecond, "rad rads radian radians"),
    ]
    // After a length: once a second, and once more; after an angle: once a second.
    let squares =
      "/s2 /s/s /s/2 /sec2 /sec/sec /sec/2 /second2 /second/squared /secondsquared /seconds/squared /s/squared /second/second s-2"
    for (units, ends) in [(names, ""), (lengths, squares), (angles, "/s /sec /second s-1")] {
      for (unit, names) in units {
        for name in names.split(separator: " ") {
          for end in ends.isEmpty ? [""] : ends.split(separator: " ") {
            words["\(name)\(end)"] = unit
          }
        }
      }
    }
    return words
  }()

  /// The sensor whose values can have it, one of it in g, °/s or °C, and its sign where that is not its word.
  private var facts: (group: Group?, one: Fraction, sign: String?) {
    switch self {
    case .count: (nil, .one, "counts")
    case .g: (.accelerometer, .one, nil)
    case .milliG: (.accelerometer, Fraction(1, 1000), nil)
    case .metrePerSecondSquared: (.accelerometer, Fraction(100_000, 980_665), "m/s²")
    case .centimetrePerSecondSquared: (.accelerometer, Fraction(1000, 980_665), "cm/s²")
    case .milliMetrePerSecondSquared: (.accelerometer, Fraction(100, 980_665), "mm/s²")
    case .degreePerSecond: (.gyroscope, .one, "°/s")
    case .milliDegreePerSecond: (.gyroscope, Fraction(1, 1000), "m°/s")
    case .radianPerSecond:
      (
        .gyroscope,
        Fraction(Fraction.radiansPerDegree.denominator, Fraction.radiansPerDegree.numerator), nil
      )
    case .revolutionPerMinute: (.gyroscope, Fraction(6, 1), nil)
    case .degreeCelsius: (.temperature, .one, "°C")
    }
  }

  /// Whether a sensor's values can have it.
  func measures(_ group: Group) -> Bool { facts.group.map { $0 == group } ?? true }
  /// One of it in g, °/s or °C, in which logs have their scales.
  var inLogUnits: Fraction { facts.one }
  /// Its sign, for sentences, and its word for `--units`.
  var sign: String { facts.sign ?? rawValue }
  var word: String { rawValue }
}

/// What the user states of values and times, as `si`, `g,deg/s,ms`, `raw` or `m/s2,s,unix`.
public struct UnitsOption: Equatable, Sendable {
  /// As the user wrote it.
  public let text: String
  /// By the sensor; `raw` counts for each sensor that no other word names.
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
    var kinds: Set<String> = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = word.lowercased().filter { $0 != " " }
      let found: [Unit] =
        switch name {
        case "si": [.metrePerSecondSquared, .radianPerSecond, .degreeCelsius]
        case "g-dps": [.g, .degreePerSecond, .degreeCelsius]
        default: Unit(word: word).map { [$0] } ?? []
        }
      var kind: String? = found == [.count] ? "raw" : nil
      if name == "unix" { (kind, isUnix) = ("unix", true) }
      if let order = DateOrder(rawValue: name) { (kind, self.order) = ("order", order) }
      if let form = TimeForm(word: word) { (kind, time) = ("time", form) }
      guard kind.map({ kinds.insert($0).inserted }) ?? !found.isEmpty else { return nil }
      for unit in found where unit != .count {
        guard let group = Group.allCases.first(where: unit.measures),
          units.updateValue(unit, forKey: group) == nil
        else { return nil }
      }
    }
    guard kinds.contains("raw") else { return }
    for group in Group.allCases where units[group] == nil { units[group] = .count }
  }
}
