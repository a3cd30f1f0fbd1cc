// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension Understanding {
  /// What `--explain` prints: a line a column, then times, rate and sessions.
  public var explanation: [String] {
    let width = min(32, columns.map { ForeignText.shown($0.name).count }.max() ?? 0)
    var lines = [
      "\(name): \(program.map { "\($0)'s" } ?? "no program that is known"), "
        + "\(syntax.encoding.rawValue), \(Plain.count(census.rows, "row"))"
    ]
    lines += columns.map {
      "  \($0.index + 1)  \(Refusal.padded($0.name, width))  \(meaning($0))"
    }
    if timeColumn != nil, times != nil {
      let origin =
        switch epoch?.value {
        case .at(let time): RFC3339.text(nanoseconds: time)
        case .unix: "1970, by \(epoch?.source.name ?? "")"
        case nil: isDated ? "1970" : "anywhere"
        }
      let step = Plain.number(census.intervals.median / 1e6, per: 1_000_000)
      lines.append("  times count from \(origin), in steps of \(step) ms in the middle")
    }
    if let rate { lines.append("  \(Plain.hertz(rate.value)) Hz, by \(rate.source.name)") }
    for (number, session) in sessions.enumerated() where sessions.count > 1 {
      lines.append(
        "  recording \(number + 1): \(session.first) to \(session.last), \(Plain.count(session.rows, "row")), after \(session.begin.rawValue)"
      )
    }
    return lines + (remarks + contradictions).map { "  \($0)" }
  }

  private func meaning(_ column: Column) -> String {
    let by = "by \(column.source.name)"
    switch column.role {
    case .time:
      return times.map { "times: \($0.value.name), by \($0.source.name)" }
        ?? "times: their unit is missing"
    case .date: return "dates, \(by)"
    case .channel(let channel, let isReversed):
      let name = (isReversed ? "-" : "") + ChannelSet.names[channel]
      return "\(name): \(unitText(Group(channel: channel)) ?? "its unit is missing")"
    case .tick: return "ticks, \(by)"
    case .gap: return "causes of gaps, \(by)"
    case .gapTicks: return "ticks of gaps, \(by)"
    case .mark: return "marks, \(by)"
    case .device: return "left out: it names the sensor, and must have one value"
    case .leftOut(let why): return "left out: \(why)"
    case .open: return "left out unless --columns names it"
    }
  }

  /// The unit of a group, the scale of counts, and who states them.
  func unitText(_ group: Group) -> String? {
    guard let unit = units[group] else { return nil }
    guard unit.value == .count else { return "\(unit.value.sign), by \(unit.source.name)" }
    guard let scale = scales[group] else {
      return "counts, by \(unit.source.name); their scale is missing"
    }
    let counts = Plain.number(1 / scale.value.ratio.value, per: 1000)
    return "counts, by \(unit.source.name), \(counts) a \(group.unit), by \(scale.source.name)"
  }

  /// What the user should know about the head: clauses.
  var remarks: [String] {
    var remarks = notices
    for group in groups where units[group]?.value == .count {
      guard isUsual.contains(group), let text = unitText(group) else { continue }
      remarks.append("\(group.name) are \(text)")
    }
    if case .number = times?.value, epoch == nil, let date = date(census.intervals.scale) {
      remarks.append(
        "if its times count from 1970, the first is \(RFC3339.text(nanoseconds: date)): add unix to --units to keep that"
      )
    }
    return remarks
  }
}
