// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Import

@Suite("Units are known by all their usual spellings")
struct UnitTests {
  static let words: [(Unit, [String])] = [
    (.g, ["g", "G", "gs", "g's", "gee", "gees", "gForce"]),
    (.milliG, ["mg", "mG", "milli g", "millig's"]),
    (
      .metrePerSecondSquared,
      [
        "m/s^2", "m/s²", "m/s2", "m/s/s", "m/s**2", "m/sec^2", "m/(s2)", "m/(s^2)", "m/(sec^2)*",
        "ms^-2", "m s^-2", "m·s⁻²", "m.s-2", "mps2", "ms2", "m_s2", "m_s_2", "m_per_s2",
        "m_per_sec2",
        "metres_per_second_squared", "meters per second squared", "meter/second^2", "M/S2",
        "in m/s2",
      ]
    ),
    (.centimetrePerSecondSquared, ["cm/s^2", "cm/s²", "cm_s2", "Gal"]),
    (.milliMetrePerSecondSquared, ["mm/s^2", "mm/s²", "mm s^-2", "mm_per_s2", "mm/sec²"]),
    (
      .degreePerSecond,
      [
        "deg/s", "°/s", "º/s", "d/s", "dps", "degps", "deg/sec", "°/sec", "degrees/s", "degree/s",
        "deg_s", "deg_per_s", "degs_per_sec", "degrees_per_second", "degrees per second",
        "deg s^-1",
      ]
    ),
    (.milliDegreePerSecond, ["mdps", "mdeg/s", "m°/s", "mdeg_per_s"]),
    (
      .radianPerSecond,
      [
        "rad/s", "rad/sec", "rad s^-1", "rads-1", "radps", "rad_s", "rad_per_s",
        "radians_per_second",
        "radian/s", "rad·s⁻¹",
      ]
    ),
    (.revolutionPerMinute, ["rpm", "rev/min"]),
    (.degreeCelsius, ["degC", "°C", "c", "Celsius", "deg C", "degrees Celsius"]),
    (.count, ["raw", "count", "Counts", "LSB"]),
  ]

  @Test("and are the same in brackets, in an option and at the end of a name", arguments: words)
  func spellings(_ unit: Unit, _ words: [String]) throws {
    let name =
      unit.measures(.gyroscope) && unit != .count
      ? "gyro_x" : unit == .degreeCelsius ? "temp" : "acc_x"
    for word in words {
      #expect(Unit(word: word) == unit, "\(word)")
      #expect(ColumnName("\(name) (\(word))").bracket.flatMap { Unit(word: $0) } == unit, "\(word)")
      #expect(ColumnName("\(name)[\(word)]").bracket.flatMap { Unit(word: $0) } == unit, "\(word)")
      let option = try #require(UnitsOption(word), "\(word)")
      #expect(Group.allCases.contains { option.units[$0] == unit }, "\(word)")
      // `raw` at the end of a name says only that nothing was done to the values.
      guard word != "raw", !word.contains("(") else { continue }
      #expect(ColumnName("\(name)_\(word)").suffix.flatMap { Unit(word: $0) } == unit, "\(word)")
    }
  }

  @Test(
    "and no other word is one",
    arguments: [
      "", "gravity", "m/s", "m", "s", "rad", "deg", "deg/s2", "m/s3", "rad/s2", "rps", "kg", "F",
      "°F", "%", "hPa",
      "m/s2/s", "per", "/s", "s2", "10g",
    ])
  func strange(_ word: String) {
    #expect(Unit(word: word) == nil)
  }

  @Test("and one of each is worth what it is in a log's units")
  func values() {
    let expected: [(Unit, Double)] = [
      (.milliG, 0.001), (.metrePerSecondSquared, 1 / 9.80665),
      (.centimetrePerSecondSquared, 0.01 / 9.80665),
      (.milliMetrePerSecondSquared, 0.001 / 9.80665), (.milliDegreePerSecond, 0.001),
      (.radianPerSecond, 180 / Double.pi), (.revolutionPerMinute, 6), (.g, 1),
    ]
    for (unit, value) in expected {
      #expect(abs(unit.inLogUnits.value / value - 1) < 1e-12, "\(unit)")
    }
    for unit in Unit.allCases { #expect(Unit(word: unit.word) == unit) }
  }

  @Test("an option has one of each kind, and raw stands for those that no word names")
  func option() throws {
    let both = try #require(UnitsOption("mg,deg/s,us"))
    #expect(both.units == [.accelerometer: .milliG, .gyroscope: .degreePerSecond])
    #expect(both.time == .microseconds)
    #expect(
      UnitsOption("si")?.units == [
        .accelerometer: .metrePerSecondSquared, .gyroscope: .radianPerSecond,
        .temperature: .degreeCelsius,
      ])
    #expect(UnitsOption("raw")?.units.values.allSatisfy { $0 == .count } == true)
    #expect(
      UnitsOption("raw,degC,ms")?.units == [
        .accelerometer: .count, .gyroscope: .count, .temperature: .degreeCelsius,
      ])
    #expect(UnitsOption("s,unix")?.isUnix == true)
    #expect(UnitsOption("g,dmy")?.order == .dmy)
    for text in [
      "", "g,mg", "g,g", "si,deg/s", "s,ms", "raw,raw", "unix,unix", "dmy,mdy", "furlong", "g,",
    ] {
      #expect(UnitsOption(text) == nil, "\(text)")
    }
  }
}
