// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What is stated against what was counted.
///
///     stated                                   objected to
///     a unit or scale of accelerations         a mean length outside 1/√10 … √10 g: the units are 10 and more apart
///     a scale that is only usual               outside 1/√2 … √2 g: the ranges of chips are 2 apart
///     accelerations, rates                     beyond 400 g, 4000 °/s
///     a rate                                   a middle step outside 1/10 … 10 periods
///     a unit of times                          a middle step longer than a day or shorter than 10 µs
///     a unit that another one contradicts      always
///
/// What only the head states has wider bounds, 16 g and 20,000 °/s, and what a known program states has none.
enum SenseCheck {
  /// Periods that are not objected to, in nanoseconds: from 100 kHz to one a day.
  static let periods = 1e4...86_400e9
  /// The fewest rows.
  private static let fewest: UInt64 = 8

  /// The objection, which `--anyway` overrides; `nil` for none.
  static func objection(_ understanding: Understanding) -> ImportError? {
    var problem = understanding.contradictions.first
    var source = Understanding.Source.option("the option")
    if problem == nil, understanding.census.rows >= fewest {
      for group in understanding.groups where problem == nil {
        (problem, source) = values(group, understanding)
      }
      if problem == nil { (problem, source) = times(understanding) }
    }
    return problem.map {
      ImportError(
        understanding.names[0], kind: .objection, $0,
        remedy:
          "\(source.isOption ? "correct \(source.name)" : "state another with --units or --rate"), or import it as it is with --anyway"
      )
    }
  }

  private typealias Objection = (problem: String?, source: Understanding.Source)

  private static func values(_ group: Group, _ understanding: Understanding) -> Objection {
    let nothing = (nil as String?, Understanding.Source.option(""))
    guard group != .temperature, let unit = understanding.units[group] else { return nothing }
    let scale = unit.value == .count ? understanding.scales[group] : nil
    // What one written is in g or °/s.
    let one =
      (scale?.value.ratio.value ?? unit.value.inLogUnits.value)
      * (understanding.factors[group]?.value ?? 1)
    let isUsual = understanding.isUsual.contains(group)
    let source =
      scale?.source.isOption == true && !unit.source.isOption
      ? scale?.source ?? unit.source : unit.source
    let isGiven = source.isOption
    guard isGiven || isUsual || !source.isProgram else { return nothing }
    let unitText =
      unit.value == .count
      ? "at \(Plain.significant(1 / one)) counts a \(group.unit)" : "in \(unit.value.sign)"
    let by = "\(unitText), which \(source.name) states"
    let largest = understanding.census.largest(group) * one
    let most: Double = group == .gyroscope ? isGiven ? 4000 : 20_000 : isGiven ? 400 : .infinity
    if group == .accelerometer, let length = understanding.census.meanLength.map({ $0 * one }),
      length > 0
    {
      let isRaw = unit.value == .count && (isUsual || scale?.source == .option("--units raw"))
      let factor = isRaw ? 2.0.squareRoot() : 10.0.squareRoot()
      guard (isGiven || isUsual ? 1 / factor...factor : 0...16).contains(length) else {
        let better = understanding.proposed(.accelerometer, areCounts: nil).meaning
        return (
          "the mean length of its accelerations would be \(Plain.significant(length)) g \(by), and that of a sensor at rest is 1 g (\(better))",
          source
        )
      }
    }
    guard largest > most else { return nothing }
    return (
      "its \(group.name) would reach \(Plain.significant(largest)) \(group.unit) \(by)", source
    )
  }

  private static func times(_ understanding: Understanding) -> Objection {
    let step = understanding.census.intervals.median
    guard understanding.timeColumn != nil, step > 0, let times = understanding.times else {
      return (nil, .option(""))
    }
    if let rate = understanding.rate, !(0.1...10).contains(step / rate.value.period) {
      return (
        "its rows come at about \(Plain.hertz(1e9 / step)) Hz, and \(rate.source.name) states \(Plain.hertz(rate.value)) Hz",
        rate.source
      )
    }
    guard !times.source.isProgram, case .number = times.value, !periods.contains(step) else {
      return (nil, times.source)
    }
    return (
      "its rows would come at \(Plain.hertz(1e9 / step)) Hz in \(times.value.name), which \(times.source.name) states",
      times.source
    )
  }
}
