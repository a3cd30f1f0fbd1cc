// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

/// What one thing that is missing may be: for each alternative what it would mean, and the words of the best one.
///
/// It is printed, and never taken.
struct Alternatives {
  /// What it is of, such as `acc_*`.
  let name: String
  /// What was counted, and what each alternative would make of it.
  let meaning: String
  /// For `--units`; `nil` where another option states it.
  var word: String?
  /// Counts a g or °/s, for `--accel-lsb-per-g` or `--gyro-lsb-per-dps`.
  var counts: Int?
}

extension Understanding {
  /// Counts a g of chips.
  static let countsPerG = (6...15).map { 1 << $0 }

  /// Alternatives for times whose unit, or whose order of day and month, is not stated.
  func alternativesOfTimes(_ request: ImportRequest) -> Alternatives {
    let name = timeColumn?.name ?? "time"
    guard orders.isEmpty else {
      let order = DateOrder.allCases.last { orders.contains($0) } ?? .dmy
      let meanings = orders.sorted { $0.rawValue < $1.rawValue }.map {
        $0 == .dmy ? "dmy if days are first" : $0 == .mdy ? "mdy if months are first" : "ymd"
      }
      return Alternatives(
        name: name, meaning: meanings.joined(separator: ", "), word: order.rawValue)
    }
    let step = census.intervals.median
    let shown = Plain.significant(step * written(0))
    let forms: [TimeForm] = [.seconds, .milliseconds, .microseconds, .nanoseconds]
    var found: [(form: TimeForm, hertz: Double, date: Int64?)] = forms.compactMap { form in
      guard case .number(let power, _) = form else { return nil }
      let period = step * written(power)
      guard period > 0, SenseCheck.periods.contains(period) else { return nil }
      return (form, 1e9 / period, date(power))
    }
    func distance(_ hertz: Double) -> Double { abs(log10(hertz / 100)) }
    found.sort {
      ($0.date == nil ? 1 : 0, distance($0.hertz)) < ($1.date == nil ? 1 : 0, distance($1.hertz))
    }
    if let rate = request.rate {
      return Alternatives(
        name: name,
        meaning: "no unit makes \(Plain.hertz(rate)) Hz of steps of \(shown): leave the column out")
    }
    guard let best = found.first else {
      return Alternatives(
        name: name, meaning: "steps of \(shown): s, ms, us, ns, min or h", word: "s")
    }
    var meaning = "steps of \(shown): "
    meaning += found.prefix(2).map { "\(Plain.frequency($0.hertz)) in \($0.form.word)" }
      .joined(separator: ", ")
    if let date = best.date {
      meaning += ", the first \(RFC3339.text(nanoseconds: date)) if from 1970"
    }
    if shown == "1", census.intervals.isExceeded(byAllBut: 0) == step {
      meaning += "; steps are all 1, as row numbers'"
    }
    return Alternatives(
      name: name, meaning: meaning, word: best.form.word + (best.date == nil ? "" : ",unix"))
  }

  /// The date of the first time if it counts from 1970 in units of 10^`power` ns, and is of 2001 to 2103.
  func date(_ power: Int) -> Int64? {
    guard let first = census.first, case let time = Double(first) * written(power),
      (1e18...4.2e18).contains(time)
    else { return nil }
    // A date of which the second matters.
    return Int64(time / 1e9) * 1_000_000_000
  }

  /// Alternatives for a group whose unit, or the scale of its counts, is not stated.
  ///
  /// - Parameter areCounts: Whether the other group's proposal is counts; `nil` where there is none.
  func alternatives(_ group: Group, areCounts: Bool?) -> Alternatives {
    let (name, largest) = (pattern(group), census.largest(group))
    let isWhole = census.areWhole(group)
    let isScale = units[group]?.value == .count && scales[group] == nil
    switch group {
    case .accelerometer:
      guard let length = census.meanLength, length > 0 else {
        return Alternatives(
          name: name, meaning: "at most \(Plain.brief(largest)): g if they are g",
          word: isScale ? nil : "g", counts: isScale ? 16384 : nil)
      }
      func distance(_ g: Double) -> Double { abs(log10(g)) }
      let counts =
        Understanding.countsPerG.min {
          distance(length / Double($0)) < distance(length / Double($1))
        } ?? 16384
      var found: [(words: String, g: Double, word: String?, counts: Int?)] =
        isScale
        ? []
        : [Unit.g, .milliG, .metrePerSecondSquared, .milliMetrePerSecondSquared].map {
          ("in \($0.word)", length * $0.inLogUnits.value, $0.word, nil)
        }
      if isWhole || isScale {
        for count in Set([counts, 16384]) {
          found.append(("as counts at \(count) a g", length / Double(count), nil, count))
        }
      }
      found.sort { distance($0.g) < distance($1.g) }
      var shown = Array(found.prefix(2))
      if isWhole, let usual = found.first(where: { $0.counts == 16384 }),
        !shown.contains(where: { $0.counts == 16384 })
      {
        shown.append(usual)
      }
      return Alternatives(
        name: name,
        meaning: "mean length \(Plain.brief(length)): "
          + shown.map { "\(Plain.brief($0.g)) g \($0.words)" }.joined(separator: ", "),
        word: found[0].word, counts: found[0].counts)
    case .gyroscope:
      let isRaw = isScale || (isWhole && areCounts ?? true)
      func meaning(_ factor: Double, _ words: String) -> String {
        "\(Plain.brief(largest * factor)) °/s \(words)"
          + (largest * factor > 4000 ? " (beyond chips)" : "")
      }
      let raw = meaning(1 / 131, "as counts at 131")
      let all =
        isScale
        ? [raw]
        : (isRaw ? [raw] : []) + [meaning(1, "in deg/s")] + (isWhole && !isRaw ? [raw] : [])
          + [meaning(Unit.radianPerSecond.inLogUnits.value, "in rad/s")]
      return Alternatives(
        name: name,
        meaning: (isWhole ? "whole numbers, " : "") + "at most \(Plain.brief(largest)): "
          + all.joined(separator: ", "), word: isRaw ? nil : "deg/s", counts: isRaw ? 131 : nil)
    case .temperature:
      let isRaw = isScale || (isWhole && areCounts == true)
      let raw = "\(Plain.brief(largest / 340 + 36.53)) °C as counts"
      return Alternatives(
        name: name,
        meaning:
          "at most \(Plain.brief(largest)): \(isRaw ? raw : "\(Plain.brief(largest)) °C in degC")",
        word: isRaw ? "raw" : "degC")
    }
  }

  /// The names of a group's columns as one: `acc_*` of `acc_x`, `acc_y`, `acc_z`.
  func pattern(_ group: Group) -> String {
    let names = columns(group).map(\.name)
    if names.allSatisfy({ $0.hasPrefix("column ") }) { return group.name }
    guard names.count == 3 else { return names.joined(separator: ", ") }
    let place = zip(names[0], names[1]).prefix { $0 == $1 }.count
    let patterns = Set(names.map { String($0.prefix(place) + "*" + $0.dropFirst(place + 1)) })
    return patterns.count == 1 ? patterns.joined() : names.joined(separator: ", ")
  }

  /// The columns of a group.
  func columns(_ group: Group) -> [Column] {
    columns.filter {
      if case .channel(let channel, _) = $0.role { Group(channel: channel) == group } else { false }
    }
  }
}

extension Plain {
  /// A value in about three digits: `978`, `31.4`, `9.84`, `0.061`.
  static func brief(_ value: Double) -> String {
    let size = value.magnitude
    guard size < 1e15 else { return "\(value)" }
    if size >= 100 || size == 0 { return number(value, per: 1) }
    let divisor: Int64 = size >= 10 ? 10 : size >= 0.1 ? 100 : size >= 0.01 ? 1000 : 10_000
    let text = number(value, per: divisor)
    // 1.00 g, not 1 g: what was rounded shows its digits.
    guard size < 10, size >= 0.1, divisor == 100 else { return text }
    let decimals = text.parts(around: ".")?.after.count ?? 0
    return decimals == 2 ? text : text + (decimals == 0 ? ".00" : "0")
  }

  /// A value in four digits, without zeros at its end: `0.02`, `1001`.
  static func significant(_ value: Double) -> String {
    guard value > 0, value < 1e15 else { return number(value, per: 1) }
    let power = Int(log10(value).rounded(.down)) - 3
    let unit = pow(10, Double(power))
    return number((value / unit).rounded() * unit, per: 1_000_000_000_000)
  }

  /// Hertz in at most four digits: `17.54 Hz`, `50 kHz`.
  static func frequency(_ hertz: Double) -> String {
    hertz >= 10_000
      ? "\(number(hertz / 1000, per: 10)) kHz"
      : hertz >= 0.1 ? "\(number(hertz, per: 100)) Hz" : "\(Plain.hertz(hertz)) Hz"
  }
}
