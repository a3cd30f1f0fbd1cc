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
    var problem = understanding.contradictions.first.map { ($0, "correct the option") }
    if understanding.census.rows >= fewest {
      for group in understanding.groups where problem == nil {
        problem = values(group, understanding)
      }
      problem = problem ?? times(understanding)
    }
    return problem.map {
      ImportError(
        understanding.names[0], kind: .objection, $0.0,
        remedy: "\($0.1), or import it as it is with --anyway")
    }
  }

  private static func values(_ group: Group, _ understanding: Understanding)
    -> (problem: String, remedy: String)?
  {
    guard group != .temperature, let unit = understanding.units[group] else { return nil }
    let scale = unit.value == .count ? understanding.scales[group] : nil
    // What one written is in g or °/s.
    let one =
      (scale?.value.ratio.value ?? unit.value.inLogUnits.value)
      * (understanding.factors[group]?.value ?? 1)
    let isUsual = understanding.isUsual.contains(group)
    let isGiven = isOption(unit.source) || (scale.map { isOption($0.source) } ?? false)
    if !isGiven, case .program = unit.source, !isUsual { return nil }
    let by =
      (scale.map { isOption($0.source) } ?? false) && !isOption(unit.source)
      ? scale?.source.name ?? "" : unit.source.name
    let largest = understanding.census.largest(group) * one
    guard group == .accelerometer else {
      let most: Double = isGiven ? 4000 : 20_000
      guard largest > most else { return nil }
      return (
        "its rates would reach \(Plain.brief(largest)) °/s in \(unit.value.sign), which \(by) states",
        remedy(unit, by)
      )
    }
    if let length = understanding.census.meanLength.map({ $0 * one }), length > 0 {
      let isRaw =
        unit.value == .count
        && (isUsual || scale?.source == .option("--units raw"))
      let factor = isRaw ? 2.0.squareRoot() : 10.0.squareRoot()
      let bounds = isGiven || isUsual ? 1 / factor...factor : 0...16
      if !bounds.contains(length) {
        let what =
          unit.value == .count ? "at \(Plain.brief(1 / one)) counts a g" : "in \(unit.value.sign)"
        let better = understanding.alternatives(.accelerometer, areCounts: nil).meaning
        return (
          "the mean length of its accelerations would be \(Plain.brief(length)) g \(what), which \(by) states, and that of a "
            + "sensor at rest is 1 g (\(better))",
          remedy(unit, by)
        )
      }
    }
    guard isGiven, largest > 400 else { return nil }
    return (
      "its accelerations would reach \(Plain.brief(largest)) g in \(unit.value.sign), which \(by) states",
      remedy(unit, by)
    )
  }

  private static func times(_ understanding: Understanding) -> (problem: String, remedy: String)? {
    let step = understanding.census.intervals.median
    guard understanding.timeColumn != nil, step > 0, let times = understanding.times else {
      return nil
    }
    if let rate = understanding.rate, !(0.1...10).contains(step / rate.value.period) {
      return (
        "its rows come at about \(Plain.frequency(1e9 / step)), and \(rate.source.name) states \(Plain.hertz(rate.value)) Hz",
        isOption(rate.source) ? "correct --rate or leave it out" : "state the rate with --rate"
      )
    }
    if case .program = times.source { return nil }
    guard case .number = times.value, !periods.contains(step) else { return nil }
    return (
      "its rows would come at \(Plain.frequency(1e9 / step)) in \(times.value.name), which \(times.source.name) states",
      isOption(times.source) ? "correct --units" : "state the unit with --units"
    )
  }

  private static func isOption(_ source: Understanding.Source) -> Bool {
    if case .option = source { true } else { false }
  }

  private static func remedy(_ unit: Understanding.Stated<Unit>, _ by: String) -> String {
    isOption(unit.source) ? "correct \(by)" : "state the unit with --units"
  }
}
