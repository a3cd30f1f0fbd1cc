// SPDX-License-Identifier: Apache-2.0

import ChipClock
import IMUModel
import LogStore
import Text

/// What the readings of a chip's FIFO show, for people.
struct ChipTimesReport {
  private let clock: ClockAccount
  private let nominal: Double

  /// `nil` where the computer keeps the time.
  init?(_ account: Account) {
    guard let clock = account.chipClock else { return nil }
    (self.clock, nominal) = (clock, account.description.rate.hertz)
  }

  /// Findings, and epochs, that are named one by one.
  private static let limit = 10

  /// Keys of at most 11 characters, and values.
  var lines: [(String, String)] {
    [
      ("chip clock", rate), ("instants", instants), ("assumed", assumed), summary,
    ] + places
  }

  /// In one line what was proved of the samples' number.
  var summary: (String, String) { ("proved", losses) }

  /// Where something is missing, or the readings contradict each other.
  var places: [(String, String)] {
    var lines = clock.epochs.prefix(ChipTimesReport.limit).map { ("epoch", text($0)) }
    if clock.epochCount > lines.count {
      lines.append(("epochs", "\(clock.epochCount) in all"))
    }
    let findings = clock.findings.prefix(ChipTimesReport.limit).map {
      ("finding", "\(text($0)), \(word($0))")
    }
    lines += findings
    if clock.findingCount > findings.count {
      lines.append(("findings", "\(clock.findingCount) in all"))
    }
    return lines
  }

  private var rate: String {
    guard let hertz = clock.rate.hertz else { return "the readings do not show its rate" }
    var text = "\(Plain.hertz(hertz)) Hz estimated"
    let parts = (hertz / nominal - 1) * 1e6
    if parts.magnitude < 1e9 {
      text += ", \(Int64(parts.magnitude.rounded())) ppm \(parts < 0 ? "slow" : "fast")"
    }
    guard let bounds = clock.rate.bounds else { return text }
    let most = max(bounds.upperBound / hertz - 1, 1 - bounds.lowerBound / hertz) * 1e6
    guard most < 1e9 else { return text }
    return text + ", proved to \(Plain.number(Int64((most * 10).rounded(.up)), per: 10)) ppm"
  }

  private var instants: String {
    var parts: [String] = []
    if let median = clock.median, let percentile99 = clock.percentile99, let most = clock.maximum {
      let texts = [median, percentile99, most].map { "±\(($0 + 999) / 1000) µs" }
      parts.append("proved to \(texts[0]) median, \(texts[1]) 99 %, \(texts[2]) at most")
    }
    if clock.unprovedCount > 0 {
      parts.append("\(clock.unprovedCount) as recorded, without a proof")
    }
    return parts.isEmpty ? "none" : parts.joined(separator: "; ")
  }

  private var assumed: String {
    let assumed = clock.assumptions
    return "drift up to \(Plain.hertz(assumed.drift)) ppm/s, jitter up to "
      + "\(Plain.hertz(assumed.jitter)) µs"
      + (clock.stampCount > 0 ? ", the chip's \(clock.stampCount) time stamps" : "") + leftOut
  }

  /// Bounds that were not used.
  private var leftOut: String {
    guard clock.leftOutCount > 0 else { return "" }
    let places = Plain.count(clock.leftOutCount, "place")
    return clock.stampCount > 0
      ? "; in \(places) neither these nor edges, as some contradict the readings there"
      : ", the edges of the interrupt line, but not in \(places) where some contradict the readings"
  }

  private var losses: String {
    var text = "\(clock.lostCount) lost unnoticed, \(clock.doubledCount) doubled"
    if clock.contradictionCount > 0 {
      text +=
        ", \(clock.contradictionCount) "
        + (clock.contradictionCount == 1 ? "contradiction" : "contradictions")
    }
    if let median = clock.median, Double(median) * 2 > 1e9 / nominal {
      text += "; intervals longer than a period do not show the loss of a single sample"
    }
    return text
  }

  private func text(_ epoch: ClockAccount.Epoch) -> String {
    let number =
      switch epoch.missing {
      case let range? where range.lowerBound == range.upperBound:
        "\(range.lowerBound) missing, proved"
      case let range?: "\(range.lowerBound) to \(range.upperBound) missing, proved"
      case nil: "about \(epoch.estimated) missing, not proved"
      }
    return "\(epoch.cause.phrase) \(ChipTimesReport.place(epoch.times)): \(number)"
  }

  private func text(_ finding: ClockAccount.Finding) -> String {
    let place = ChipTimesReport.place(finding.times)
    switch finding.kind {
    case .lost(let counts): return "\(ChipTimesReport.number(counts)) lost \(place)"
    case .doubled(let counts): return "\(ChipTimesReport.number(counts)) doubled \(place)"
    case .rateChanged(let change):
      let parts = Int64(max(-1e9, min(change, 1e9)).rounded())
      return "rate changed by \(parts) ppm \(place)"
    case .wrongCount: return "a wrong count, left out, \(place)"
    case .contradiction(let counts):
      guard counts != 0...0 else { return "readings that contradict each other \(place)" }
      return
        "readings that contradict each other \(place), by \(ChipTimesReport.number(counts)) lost"
    }
  }

  /// A change of the rate has no bound; all else contradicts the assumptions otherwise.
  private func word(_ finding: ClockAccount.Finding) -> TimeWord {
    if case .rateChanged = finding.kind { .estimated } else { .proved }
  }

  private static func number(_ counts: ClosedRange<Int64>) -> String {
    counts.lowerBound == counts.upperBound
      ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
  }

  private static func place(_ times: ClosedRange<Int64>) -> String {
    let (from, to) = (Plain.seconds(times.lowerBound), Plain.seconds(times.upperBound))
    return from == to ? "at \(from)" : "between \(from) and \(to)"
  }
}
