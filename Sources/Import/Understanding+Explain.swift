// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension Understanding {
  /// What `--explain` prints: a line a column, then times, rate and sessions.
  public var explanation: [String] {
    let names = columns.map { ForeignText.shown($0.name) }
    let width = min(32, names.map(\.count).max() ?? 0)
    var lines = [
      "\(self.names.joined(separator: " and ")): "
        + (program.map { "\($0)'s" } ?? "no program that is known")
        + ", \(syntax.encoding.rawValue), \(Plain.count(census.rows, "row"))"
    ]
    for (column, name) in zip(columns, names) {
      let pad = String(repeating: " ", count: max(0, width - name.count))
      lines.append("  \(column.index + 1)  \(name)\(pad)  \(meaning(column))")
    }
    if timeColumn != nil, times != nil {
      let median = census.intervals.median
      if median > 0 {
        lines.append("  steps of \(Plain.number(median / 1e6, per: 1_000_000)) ms in the middle")
      }
      lines.append("  times count from \(origin)")
    }
    if let rate { lines.append("  \(Plain.hertz(rate.value)) Hz, by \(rate.source.name)") }
    for (number, session) in sessions.enumerated() where sessions.count > 1 {
      let begin =
        switch session.begin {
        case .file: "the beginning of the file"
        case .blankLine: "a blank line"
        case .header: "the header again"
        case .time: "times that begin again"
        }
      lines.append(
        "  recording \(number + 1): \(session.first) to \(session.last), \(Plain.count(session.rows, "row")), after \(begin)"
      )
    }
    return lines + (remarks + contradictions).map { "  \($0)" }
  }

  private var origin: String {
    switch epoch?.value {
    case .at(let time): return RFC3339.text(nanoseconds: time)
    case .unix: return "1970, by \(epoch?.source.name ?? "")"
    case nil: return isDated ? "1970" : "anywhere"
    }
  }

  private func meaning(_ column: Column) -> String {
    switch column.role {
    case .time:
      guard let times else { return "times: their unit is missing" }
      return "times: \(times.value.name), by \(times.source.name)"
    case .date: return "dates, by \(column.source.name)"
    case .channel(let channel, let isReversed):
      let group = Group(channel: channel)
      let name = (isReversed ? "-" : "") + ChannelSet.names[channel]
      guard let unit = units[group] else { return "\(name): its unit is missing" }
      guard unit.value == .count else {
        return "\(name): \(unit.value.sign), by \(unit.source.name)"
      }
      guard let scale = scales[group] else {
        return "\(name): counts, by \(unit.source.name); their scale is missing"
      }
      let ratio = scale.value.ratio.value
      return "\(name): counts, by \(unit.source.name), "
        + "\(Plain.number(1 / ratio, per: 1000)) a \(group.unit), by \(scale.source.name)"
    case .tick: return "ticks, by \(column.source.name)"
    case .gap: return "causes of gaps, by \(column.source.name)"
    case .gapTicks: return "ticks of gaps, by \(column.source.name)"
    case .mark: return "marks, by \(column.source.name)"
    case .leftOut(let why): return "left out: \(why)"
    case .open: return "left out unless --columns names it"
    }
  }

  /// What the user should know about the head: clauses.
  var remarks: [String] {
    var remarks = notices
    for group in groups {
      guard let unit = units[group]?.value, unit == .count, let scale = scales[group],
        scale.source == .option("--units raw")
      else { continue }
      remarks.append(
        "\(group.name) are counts, \(Plain.number(1 / scale.value.ratio.value, per: 1000)) a \(group.unit) by \(scale.source.name)"
      )
    }
    if case .number = times?.value, epoch == nil, let date = statedDate {
      remarks.append(
        "if its times count from 1970, the first is \(RFC3339.text(nanoseconds: date)): add unix to --units to keep that"
      )
    }
    return remarks
  }

  /// The date of the first time in its stated form, if it counts from 1970 and is of 2001 to 2103.
  private var statedDate: Int64? {
    guard let first = census.first, case let time = Double(first) * census.intervals.scale,
      (1e18...4.2e18).contains(time)
    else { return nil }
    return Int64(time / 1e9) * 1_000_000_000
  }
}

extension RecordingEnd {
  /// What an import made, in a line.
  func summary(_ rate: SampleRate, gaps: Int, length: Int64) -> String {
    let lost = ledger.scheduled - ledger.sampled
    return
      "\(Plain.count(ledger.sampled, "sample")) at \(Plain.hertz(rate)) Hz for \(Plain.seconds(length)), "
      + (lost == 0 ? "no gaps" : "\(Plain.count(gaps, "gap")) of \(Plain.count(lost, "tick"))")
  }
}

extension Group {
  /// What counts are given for one of.
  var unit: String {
    switch self {
    case .accelerometer: "g"
    case .gyroscope: "°/s"
    case .temperature: "°C"
    }
  }
}
