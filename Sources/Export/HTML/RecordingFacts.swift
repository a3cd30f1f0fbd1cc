// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// A recording's header and account for people, on a page and in a drawing.
struct RecordingFacts {
  let plan: ExportPlan
  let account: LogAccount

  /// `Recording 7: left knee`; without the number when it is 0, and without the note when there is none.
  var title: String {
    let log = plan.description
    let name = log.number == 0 ? "Recording" : "Recording \(log.number)"
    return log.note.isEmpty ? name : "\(name): \(log.note)"
  }

  /// The line below the title: verdict, sensor with its ranges, rate, missing samples.
  var summary: [String] {
    [
      account.verdict, sensor, "\(Plain.hertz(plan.description.rate)) Hz", length, gaps, times,
    ].filter { !$0.isEmpty }
  }

  private var gaps: String {
    let tally = account.tally
    let missing = tally.scheduled - min(tally.sampled, tally.scheduled)
    guard missing > 0 else { return "no gaps" }
    let (gaps, damages) = (account.recordedGapCount, account[.damage].count)
    var places = gaps == 0 ? [] : [Plain.count(gaps, "gap")]
    if account.ticksLost > 0, damages > 0 {
      places.append(Plain.count(damages, "unreadable part"))
    }
    return "\(missing) missing" + (places.isEmpty ? "" : " in " + places.joined(separator: " and "))
  }

  /// Names and values, the most important first.
  var rows: [(name: String, value: String)] {
    let log = plan.description
    var rows: [(name: String, value: String)] = [
      ("Started", started), ("Times", times), ("Length", "\(length) \(log.timeWord)"),
      ("Rate", "\(Plain.hertz(log.rate)) Hz claimed"),
      ("Sensor", sensor), ("Filter", log.sensor.filter),
      ("Field", field),
      ("Axes", log.axes.map { "of the mounting: \($0) of the chip" } ?? ""),
      ("Calibrated", plan.calibration.map { "by \($0.name)" } ?? ""),
      ("Orientation", orientation), ("Certificate", account.certificate?.sentence ?? ""),
      ("Board", log.board),
      ("Host", log.host),
      ("Note", log.note), ("Samples", ticks), ("Lateness", lateness), ("Ended", ended),
      ("Identity", "\(log.id)"), ("Written by", log.software),
    ]
    if account[.damage].count > 0 {
      let parts = Plain.count(account[.damage].count, "part")
      rows.append(("Damage", "\(parts) of the log cannot be read"))
    }
    return rows.filter { !$0.value.isEmpty }
  }

  /// How it was computed, with what is doubtful in it.
  private var orientation: String {
    guard let derived = plan.derived else { return "" }
    return ([derived.method] + derived.doubts).joined(separator: "; ")
  }

  private var started: String {
    guard let started = account.wallAtZero(plan) else { return "" }
    let text = RFC3339.text(second: Int64.floored(started, by: 1_000_000_000).whole) + "Z"
    guard let pair = account.bestPair else { return "\(text), claimed by the table's own times" }
    return "\(text), claimed by a clock that was \(pair.isSynchronised ? "" : "not ")synchronised"
  }

  /// From where times count, where that is not their own zero.
  private var times: String {
    guard plan.zero != 0 else { return "" }
    let zero =
      plan.isDatedByItself
      ? RFC3339.text(nanoseconds: plan.zero) : Plain.number(plan.zero, per: 1_000_000_000) + " s"
    return "times since \(zero)"
  }

  private var length: String {
    guard !plan.description.isFreeRunning else { return freeLength }
    let ticks = max(account.end?.tally.scheduled ?? 0, account.lastTick)
    let milliseconds = plan.description.rate.nanoseconds(atTick: ticks) / 1_000_000
    let whole = Plain.number(milliseconds, per: 1000) + " s"
    guard plan.hasRange else { return whole }
    let (begin, end) = account.ends(plan)
    return Plain.number(max(0, end - begin) / 1_000_000, per: 1000) + " s of " + whole
  }

  /// By the samples' times, which lie on no grid. How long the whole of a part is, is then not known.
  private var freeLength: String {
    let (begin, end) = account.ends(plan)
    let (length, overflow) = end.subtractingReportingOverflow(begin)
    let tenths = (overflow ? .max : max(0, length)) / 50_000
    return Plain.number(tenths / 2 + tenths % 2, per: 10_000) + " s"
  }

  private var sensor: String {
    let sensor = plan.description.sensor
    var text = sensor.model
    if sensor.accelerometerRange > 0 { text += ", ±\(sensor.accelerometerRange) g" }
    if sensor.gyroscopeRange > 0 { text += ", ±\(sensor.gyroscopeRange) °/s" }
    return text
  }

  private var field: String {
    guard let field = plan.description.sensor.field else { return "" }
    return "\(field.model), \(Plain.hertz(field.rate)) Hz claimed"
  }

  private var ticks: String {
    let tally = account.tally
    return (["\(tally.sampled) of \(tally.scheduled)"] + tally.losses).joined(separator: ", ")
  }

  private var lateness: String {
    guard let lateness = account.end?.measuredLateness else { return "" }
    let figures = [lateness.median, lateness.percentile99, lateness.maximum]
    let texts = figures.map { "\($0 / 1000) µs" }
    return "median \(texts[0]), 99 % \(texts[1]), most \(texts[2]), estimated"
  }

  private var ended: String {
    account.end?.reason.name
      ?? (plan.options.isLive ? "not yet: running" : "without an end: recovered")
  }
}

/// Escapes text for HTML and XML, between tags and in quoted attributes.
package enum MarkupText {
  /// `text` without anything that could be read as markup.
  ///
  /// Characters that XML 1.0 does not allow (section 2.2: control characters except tab, line feed and carriage return;
  /// U+FFFE and U+FFFF) become U+FFFD, as do all others that a terminal could obey or that change the direction of text:
  /// escaping is another job than cleaning, but the rule is that of ``ForeignText``.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t", "\n", "\r": escaped += " "
      case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      case _ where ForeignText.isObeyed(scalar): escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// JSON for a script element. Without `<` it contains no end tag and no comment; `<` only occurs in strings, where it
  /// may be an escape (RFC 8259, section 7).
  static func script(json: [UInt8]) -> [UInt8] {
    let parts = json.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    return Array(parts.joined(separator: "\\u003c".utf8))
  }
}
