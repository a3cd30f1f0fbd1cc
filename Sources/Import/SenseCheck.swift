// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What is stated against what was counted.
///
///     stated                                   objected to
///     a unit or scale of accelerations         a mean length outside 1/√10 … √10 g: the units are 10 and more apart
///     a scale that is only usual               outside 1/√2 … √2 g: the ranges of chips are 2 apart
///     accelerations, rates                     beyond 400 g, 4000 °/s, or 20,000 °/s where only the head states them
///     temperatures                             beyond 200 °C
///     dates without an offset, numbers         a step of 3600 s; of 40 or 4040 s
///     --rate                                   more than a twentieth off the middle and the mean step
///     a rate of the file                       more than a tenth, as chips are, or tenfold where the file states lost ticks
///     a unit of times                          a middle step longer than a day or shorter than 20 µs
///     numbers such as 1.000 beside 998         always: the point may be between thousands
///     times such as 7.5 beside 7.120           always: the milliseconds may lack zeros before them
///     --sort                                   times of day
///     a unit that another one contradicts      always
///     lines before the header, not read        where no option states a unit, or dates have no offset from UTC
///
/// What a known program states is not checked, unless others write the same names.
enum SenseCheck {
  /// Periods that are not objected to, in nanoseconds: from 50 kHz to one a day.
  static let periods = 2e4...86_400e9
  /// The fastest turn that an option may state, in °/s.
  static let mostRate = 4000.0
  /// The fewest rows whose mean or median is judged.
  private static let fewest: UInt64 = 8

  private typealias Objection = (problem: String, remedy: String)

  /// The objection, which `--anyway` overrides; `nil` for none.
  static func objection(_ table: Understanding, isSlower: Bool = false) -> ImportError? {
    var found: Objection? = table.contradictions.first.map {
      ($0, "correct the option or the table")
    }
    let isOption = table.units.values.contains(where: \.source.isOption)
    if found == nil, table.hasUnreadZone || table.hasUnread && !isOption {
      found = (
        "what stands before its rows is not read, and may state a unit, a scale or a zone",
        "take it out if it does not"
      )
    }
    if found == nil, table.isSorted, table.times?.value == .timeOfDay {
      found = ("--sort cannot see the days of its times of day", "write dates beside them")
    }
    if found == nil, table.syntax.shape == .lines,
      let group = table.groups.first(where: table.census.mayHaveThousands)
    {
      found = (
        "the marks in its \(group.name) have three digits behind them or are missing: they may be between thousands",
        "write thousands without marks"
      )
    }
    for group in table.groups where found == nil { found = values(group, table) }
    if found == nil, table.census.rows >= fewest { found = times(table, isSlower) }
    return found.map {
      ImportError(
        table.name, $0.problem, remedy: "\($0.remedy), or import it as it is with --anyway")
    }
  }

  private static func remedy(_ source: Understanding.Source) -> String {
    source.isOption ? "correct \(source.name)" : "state another with --units or --rate"
  }

  private static func values(_ group: Group, _ table: Understanding) -> Objection? {
    guard let unit = table.units[group], group != .temperature || unit.value != .count else {
      return nil
    }
    let scale = unit.value == .count ? table.scales[group] : nil
    // What one written is in g or °/s.
    let one =
      (scale?.value.ratio.value ?? unit.value.inLogUnits.value)
      * (table.factors[group]?.value ?? 1)
    let isUsual = table.isUsual.contains(group)
    let source =
      [unit.source, scale?.source].compactMap { $0 }.first(where: \.isOption) ?? unit.source
    guard isUsual || !source.isProgram else { return nil }
    let unitText =
      unit.value == .count
      ? "at \(Plain.significant(1 / one)) counts a \(group.unit)" : "in \(unit.value.sign)"
    let by = "\(unitText), which \(source.name) states"
    if group == .accelerometer, table.census.rows >= fewest || source.isProgram,
      let length = table.census.meanLength.map({ $0 * one }), length > 0
    {
      let isRaw = unit.value == .count && (isUsual || scale?.source == .option("--units raw"))
      let factor = isRaw ? 2.0.squareRoot() : 10.0.squareRoot()
      guard ((table.isWithoutGravity ? 0 : 1 / factor)...factor).contains(length) else {
        let better = table.proposed(.accelerometer, areCounts: nil).meaning
        return (
          "the mean length of its accelerations would be \(Plain.significant(length)) g \(by), where a sensor at rest has 1 g (\(better))",
          remedy(source)
        )
      }
    }
    let largest = table.census.largest(group) * one
    let most = [400, source.isOption ? mostRate : 20_000, 200][group.rawValue]
    guard largest > most else { return nil }
    return (
      "its \(group.name) would reach \(Plain.significant(largest)) \(group.unit) \(by)",
      remedy(source)
    )
  }

  private static func times(_ table: Understanding, _ isSlower: Bool) -> Objection? {
    let steps = table.census.intervals
    let step = steps.median
    guard table.timeColumn != nil, step > 0, let times = table.times else { return nil }
    // 13:59:59 and 14:00:00 in packed digits are 40 or 4040 apart.
    let isNumber = if case .number = times.value, !times.source.isProgram { true } else { false }
    let breaks =
      isNumber ? [40e9, 4040e9] : times.value.isLocal || times.value == .timeOfDay ? [3600e9] : []
    if step < 1e9, let length = breaks.first(where: { steps.has($0, within: 3 * step) }) {
      return (
        "a step of it is \(Plain.number(length / 1e9, per: 1)) s, as when \(isNumber ? "the digits of hhmmss are counted" : "clocks are put forward")",
        isNumber ? "write times as 14:00:00" : "write the offset from UTC behind each date"
      )
    }
    if let rate = table.rate, !isSlower {
      let factor = table.hasLostTicks ? 10 : rate.source.isOption ? 1.05 : 1.1
      // Lost ticks lengthen the mean, many of them the middle one, and packets of rows with one time shorten it.
      let short = steps.isExceeded(byAllBut: steps.count - steps.count / 10)
      let isNear = [step, short, steps.mean, steps.mean(0.4 * step...1.6 * step)]
        .contains {
          (1 / factor...factor).contains($0 / rate.value.period)
        }
      guard isNear else {
        return (
          "its rows come at about \(Plain.hertz(1e9 / step)) Hz, and \(rate.source.name) states \(Plain.hertz(rate.value)) Hz",
          remedy(rate.source)
        )
      }
    }
    guard !times.source.isProgram || !table.isUsual.isEmpty, case .number = times.value,
      !periods.contains(step)
    else {
      return nil
    }
    return (
      "its rows would come at \(Plain.hertz(1e9 / step)) Hz in \(times.value.name), which \(times.source.name) states",
      remedy(times.source)
    )
  }
}
