// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

/// Proposals for what is missing. They are printed, never used.
extension Understanding {
  /// What the likeliest units of times, or orders of day and month, would mean, and the words of the best for `--units`:
  /// none where the column should be left out.
  func proposedTimes(_ request: ImportRequest) -> (meaning: String, words: [String]) {
    guard dateForms.isEmpty else {
      return ("dmy if days are first, mdy if months are first", [DateOrder.dmy.rawValue])
    }
    let step = census.intervals.median
    let steps = "steps of \(Plain.significant(step * written(0)))"
    func distance(_ power: Int) -> Double { abs(log10(1e7 / (step * written(power)))) }
    let forms = [9, 6, 3, 0].filter {
      let step = step * written($0)
      let isRate = request.rate.map { (0.9...1.1).contains(step / $0.period) } ?? true
      return isRate && SenseCheck.periods.contains(step)
    }
    .sorted { distance($0) < distance($1) }
    if let rate = request.rate, forms.isEmpty {
      return ("no unit makes \(Plain.hertz(rate)) Hz of \(steps): leave the column out", [])
    }
    // A time of these years is likelier than a usual rate.
    let dated = forms.first { date(written($0)) != nil }
    let best = dated ?? forms.first ?? 9
    let shown = ([best] + forms.filter { $0 != best }).prefix(2).map {
      "\(Plain.significant(1e9 / (step * written($0)))) Hz in \(TimeForm.number(power: $0).word)"
    }
    let first = date(written(best)).map {
      ", the first \(RFC3339.text(nanoseconds: $0)) if from 1970"
    }
    return (
      step > 0 ? "\(steps): \(shown.joined(separator: ", "))\(first ?? "")" : "s, ms, us or ns",
      [TimeForm.number(power: best).word] + (dated == nil ? [] : ["unix"])
    )
  }

  /// The date of the first time, one of it being worth `scale` nanoseconds, if it counts from 1970 and is of 2001 to 2103.
  func date(_ scale: Double) -> Int64? {
    guard let first = census.first, case let time = Double(first) * scale,
      (1e18...4.2e18).contains(time)
    else { return nil }
    // A date whose second matters.
    return Int64(time / 1e9) * 1_000_000_000
  }

  /// What the likeliest units of a group, or scales of its counts, would mean, and the best: a unit, or counts a g or °/s.
  func proposed(_ group: Group, areCounts: Bool?) -> (meaning: String, unit: Unit, counts: Int64) {
    let isWhole = census.areWhole(group)
    let isScale = units[group]?.value == .count && scales[group] == nil
    let length = group == .accelerometer ? census.meanLength : nil
    let size = length ?? census.largest(group)
    typealias Candidate = (value: Double, words: String, unit: Unit, counts: Int64)
    func unit(_ unit: Unit) -> Candidate {
      (size * unit.inLogUnits.value, "in \(unit.word)", unit, 0)
    }
    func counts(_ counts: Int64) -> Candidate {
      (size / Double(counts), "as counts at \(counts) a \(group.unit)", .count, counts)
    }
    var found: [Candidate] = []
    switch group {
    case .accelerometer where length == nil: found = isScale ? [counts(16384)] : [unit(.g)]
    case .accelerometer:
      func distance(_ value: Double) -> Double { value > 0 ? abs(log10(value)) : .infinity }
      let units: [Unit] = [.g, .milliG, .metrePerSecondSquared, .milliMetrePerSecondSquared]
      let chips = (6...15).map { counts(1 << $0) }.sorted {
        distance($0.value) < distance($1.value)
      }
      found = isScale ? [] : units.map(unit)
      if isWhole || isScale { found.append(chips[0]) }
      found = Array(found.sorted { distance($0.value) < distance($1.value) }.prefix(2))
      if isWhole, !found.contains(where: { $0.counts == 16384 }) { found.append(counts(16384)) }
    case .gyroscope:
      found = isScale ? [] : [unit(.degreePerSecond), unit(.radianPerSecond)]
      let words = names(of: group).map { Set(ColumnName.pieces($0.lowercased())) }
      if words.allSatisfy({ !$0.isDisjoint(with: ["rad", "rads", "radps"]) }) { found.reverse() }
      let isRaw = isScale || isWhole && areCounts != false
      if isRaw || isWhole { found.insert(counts(131), at: isRaw ? 0 : 1) }
    case .temperature:
      let raw: Candidate = (size / 340 + 36.53, "as counts", .count, 340)
      found = [isScale || isWhole && areCounts == true ? raw : unit(.degreeCelsius)]
    }
    let meanings = found.map { "\(Plain.significant($0.value)) \(group.unit) \($0.words)" }
    return (
      "\(length == nil ? "at most" : "mean length") \(Plain.significant(size)): \(meanings.joined(separator: ", "))",
      found[0].unit, found[0].counts
    )
  }

  /// The names of a group's columns as one: `acc_*` for `acc_x`, `acc_y`, `acc_z`.
  func pattern(_ group: Group) -> String {
    let names = names(of: group)
    guard names.count == 3, !names[0].hasPrefix("column ") else {
      return names.count == 3 ? group.name : names.joined(separator: ", ")
    }
    let place = zip(names[0], names[1]).prefix { $0 == $1 }.count
    let patterns = Set(names.map { String($0.prefix(place) + "*" + $0.dropFirst(place + 1)) })
    return patterns.count == 1 ? patterns.joined() : names.joined(separator: ", ")
  }

  func names(of group: Group) -> [String] {
    columns.filter { $0.role.channel.map { Group(channel: $0) } == group }.map(\.name)
  }
}

extension Plain {
  /// A value in about three digits: `978`, `31.4`, `9.84`, `0.0612`.
  static func significant(_ value: Double) -> String {
    guard value.magnitude < 1e15, value != 0 else { return value == 0 ? "0" : "\(value)" }
    let unit = pow(10, min(0, log10(value.magnitude).rounded(.down) - 2))
    return number((value / unit).rounded() * unit, per: 1_000_000_000_000)
  }
}
