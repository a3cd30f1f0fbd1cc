// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

/// What the annotation of a file says, beside the note: 448 bytes for all.
///
///     imulog UUID, resampled from 104 Hz by a low-pass filter, 32 rows filled, times of UTC+01:00, seconds from
///     2025-11-22T08:26:40.123; 3.2 jump; 5 to 9.5 walking
struct CWAWords {
  private let plan: ExportPlan
  private let layout: CWALayout
  private let zone: CWAZone
  /// Marks and labels, each with its time in seconds as people count it.
  let items: [String]

  init(_ plan: ExportPlan, _ layout: CWALayout, _ notes: RecordingNotes, _ zone: CWAZone) {
    (self.plan, self.layout, self.zone) = (plan, layout, zone)
    func seconds(_ time: Int64) -> String {
      String(Plain.seconds(plan.sinceZero(time)).dropLast(2))
    }
    items =
      notes.marks.map { "\(seconds($0.time)) \($0.label.isEmpty ? "mark" : $0.label)" }
      + plan.labels.map { "\(seconds($0.from)) to \(seconds($0.to)) \($0.name)" }
  }

  func facts(filledCount: UInt64) -> String {
    var facts = ["imulog \(plan.description.id)"]
    if layout.isResampled {
      facts.append(
        "resampled from \(Plain.hertz(plan.description.rate)) Hz by \(CWAWords.method(plan, layout))"
      )
    }
    if filledCount > 0 { facts.append("\(filledCount) rows filled") }
    facts.append(zone.name.map { "times of UTC\($0)" } ?? "no date")
    if !items.isEmpty {
      let (sum, overflow) = plan.zero.addingReportingOverflow(zone.origin)
      let begin = RFC3339.text(
        nanoseconds: overflow ? 0 : sum &+ CWALayout.epoch * 1_000_000_000)
      facts.append("seconds from \(begin.dropLast())")
    }
    return facts.joined(separator: ", ")
  }

  /// How another rate is made.
  static func method(_ plan: ExportPlan, _ layout: CWALayout) -> String {
    let kernel = CWAKernel(from: plan.description.rate.hertz, to: layout.rate.hertz)
    return kernel.isFilter
      ? "a low-pass filter of \(Plain.hertz(layout.rate.hertz * CWAKernel.cutoff / 2)) Hz"
      : "a cubic through the samples around, a line where these are uneven"
  }

  /// The remark about marks and labels for which there was no room; `nil` when all are there.
  func leftOut(_ itemCount: Int, _ markCount: UInt64) -> String? {
    let marks = Int(clamping: markCount) - min(itemCount, Int(clamping: markCount))
    let labels = min(plan.labels.count, items.count - itemCount)
    let words =
      (marks > 0 ? ["\(marks) \(marks == 1 ? "mark" : "marks")"] : [])
      + (labels > 0 ? ["\(labels) \(labels == 1 ? "label" : "labels")"] : [])
    guard !words.isEmpty else { return nil }
    return
      "\(words.joined(separator: " and ")) left out: cwa has \(CWALayout.annotationSize) bytes for all notes"
  }
}

/// The local time of a file: that of the machine's zone at the recording's beginning, which stays so.
struct CWAZone {
  /// Nanoseconds from 2000-01-01 of the local time to the recording's zero.
  let origin: Int64
  /// Hours and minutes ahead of UTC; `nil` where nothing dates the recording.
  let name: String?

  init(_ plan: ExportPlan, _ notes: RecordingNotes) {
    let unit: Int64 = 1_000_000_000
    guard let started = notes.started ?? (plan.isDatedByItself ? 0 : nil) else {
      (origin, name) = (0, nil)
      return
    }
    let offset = DateText.offset(at: (started == 0 ? plan.zero : started) / unit)
    let (sum, overflow) = started.addingReportingOverflow((offset - CWALayout.epoch) * unit)
    (origin, name) = (overflow ? .max : sum, DateText.zone(offset))
  }
}
