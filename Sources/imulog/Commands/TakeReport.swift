// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Terminal
import Text

/// A take for people or as JSON: a line for each sensor, and one verdict.
struct TakeReport {
  /// Of each sensor that is here, in the order of the take; at least one.
  let reports: [InfoReport]
  /// Sensors whose recordings are not here, or cannot be read.
  let missing: Int

  private var accounts: [Account] { reports.map(\.review.account) }

  /// The worst of the sensors; a take without one of its recordings is damaged.
  private var verdict: Verdict {
    let verdicts = accounts.map(\.verdict)
    if missing > 0 { return .damaged }
    return [.damaged, .live, .flawed].first(where: verdicts.contains) ?? .good
  }

  /// The exit status of a check; `nil` when all is good.
  var status: ExitStatus? { ReviewReport.status(of: verdict) }

  /// The verdict on one line: of all, or of each sensor that is not good.
  var sentence: String {
    var parts: [String] = []
    if missing > 0 {
      parts.append("\(missing) of \(missing + reports.count) recordings are not here")
    }
    parts += accounts.filter { $0.verdict != .good }
      .map { "\($0.description.sensorName) \($0.sentence)" }
    guard parts.isEmpty else {
      return Plain.text("\(verdict.rawValue): " + parts.joined(separator: " · "))
    }
    let sampled = accounts.reduce(0) { $0 + $1.sampleCount }
    let ticks = accounts.reduce(0) { $0 + $1.tickCount }
    return "good: \(sampled) of \(ticks) samples of \(reports.count) sensors"
  }

  /// Lines for a terminal.
  var lines: [String] {
    let first = reports[0]
    var rows = first.lines.filter { ["started", "duration", "board", "host"].contains($0.0) }
    let id = accounts[0].description.take.map { "\($0.id), " } ?? ""
    rows.insert(("take", id + "\(reports.count + missing) sensors"), at: 0)
    let heading = [
      "SENSOR", "NUMBER", "MODEL", "RATE", "SAMPLES", "MISSING", "GAPS", "CLIPPED", "VERDICT",
    ]
    let table = TextTable.text(
      [heading] + reports.map(cells), isNumeric: heading.indices.map { (3...7).contains($0) })
    let ends = [("apart", apart), ("verdict", sentence)].filter { !$0.1.isEmpty }
    return rows.map { TextTable.line($0) } + [table] + ends.map { TextTable.line($0) }
  }

  private func cells(_ report: InfoReport) -> [String] {
    let account = report.review.account
    let log = account.description
    let address = log.sensor.address.map { " at 0x" + String($0, radix: 16) } ?? ""
    let hertz = account.chipClock?.rate.hertz ?? log.rate.hertz
    let motion = account.motion
    let clipped = (motion?.clippedAccelerations ?? 0) + (motion?.clippedRates ?? 0)
    return [
      Plain.text(log.sensorName), "\(report.entry.number)", Plain.text(log.sensor.model) + address,
      "\(Plain.number(hertz, per: 10)) Hz", "\(account.sampleCount)", "\(account.missingCount)",
      "\(account.gapCount)", "\(clipped)", account.verdict.rawValue,
    ]
  }

  /// How far the difference of two sensors' times may be off, where each chip keeps its time and all of it is proved.
  private var apart: String {
    let clocks = accounts.compactMap(\.chipClock).filter { $0.unprovedCount == 0 }
    let widths = clocks.compactMap(\.maximum).sorted(by: >)
    guard widths.count == reports.count, missing == 0, widths.count > 1,
      Set(accounts.map(\.description.boot)).count == 1
    else { return "" }
    let microseconds = (widths[0] + widths[1] + 999) / 1000
    return "differences of the sensors' times are proved to ±\(microseconds) µs"
  }

  /// The members of a document.
  ///
  /// - Parameter isVerdict: Whether that is all that is asked for.
  func add(to json: inout JSONWriter, isVerdict: Bool) {
    json.member("takeID", accounts[0].description.take.map { "\($0.id)" })
    json.member("missingRecordings", missing)
    json.member("verdict", verdict.rawValue)
    guard !isVerdict else { return }
    json.member("recordings", reports, onNewLines: true) { json, report in
      json.object(report.add)
    }
  }
}
