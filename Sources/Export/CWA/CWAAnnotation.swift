// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

/// The annotation of a file, percent-coded, in 448 bytes: the note, facts, and marks and labels with times in seconds as
/// people count them.
///
///     _n=NOTE&_co=imulog UUID, resampled from 104 Hz by a low-pass filter, 32 rows filled, times of UTC+01:00, seconds
///     from 2025-11-22T08:26:40.123; 3.2 jump; 5 to 9.5 walking
///
/// The note is cut where the facts need the room, and there are as many marks and labels as leave it whole.
struct CWAAnnotation {
  private(set) var bytes: [UInt8] = []
  /// A remark about the end of the note, marks and labels for which there was no room.
  private(set) var leftOut: [String] = []

  private static let size = 448

  init(_ plan: ExportPlan, _ notes: RecordingNotes, _ zone: CWAZone, facts: [String]) {
    func seconds(_ time: Int64) -> String {
      String(Plain.seconds(plan.sinceZero(time)).dropLast(2))
    }
    let items =
      notes.marks.map { "\(seconds($0.time)) \($0.label.isEmpty ? "mark" : $0.label)" }
      + plan.labels.map { "\(seconds($0.from)) to \(seconds($0.to)) \($0.name)" }
    var facts = ["imulog \(plan.description.id)"] + facts
    facts.append(zone.name.map { "times of UTC\($0)" } ?? "no date")
    if !items.isEmpty { facts.append("seconds from \(zone.text(plan.zero))") }
    let ending = Array("_co=".utf8) + CWAAnnotation.coded(facts.joined(separator: ", "))
    var isCut = false
    if !plan.description.note.isEmpty {
      bytes = Array("_n=".utf8)
      isCut = plan.description.note.contains { !put(String($0), before: ending.count + 1) }
      bytes.append(UInt8(ascii: "&"))
    }
    bytes += ending
    let itemCount = items.firstIndex { !put("; \($0)", before: 0) } ?? items.count
    let left =
      (isCut ? ["the end of the note"] : [])
      + [
        ("mark", max(0, Int(clamping: notes.markCount) - itemCount)),
        ("label", min(plan.labels.count, items.count - itemCount)),
      ].filter { $0.1 > 0 }.map { Plain.count($0.1, $0.0) }
    guard !left.isEmpty else { return }
    leftOut = [
      "\(left.joined(separator: " and ")) left out: cwa has \(CWAAnnotation.size) bytes for all notes"
    ]
  }

  /// Appends a text, and returns whether there was room for it and so many bytes after it.
  private mutating func put(_ text: String, before count: Int) -> Bool {
    let code = CWAAnnotation.coded(text)
    guard bytes.count + code.count + count <= CWAAnnotation.size else { return false }
    bytes += code
    return true
  }

  private static func coded(_ text: String) -> [UInt8] {
    text.utf8.flatMap { byte -> [UInt8] in
      switch UnicodeScalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_": [byte]
      case " ": [UInt8(ascii: "+")]
      default: Array("%\(Plain.hexadecimal(byte))".utf8)
      }
    }
  }
}

/// The local time of a file: that of the machine's zone at the recording's beginning, which stays so.
struct CWAZone {
  /// Nanoseconds from 2000-01-01 of the local time to the recording's zero.
  let origin: Int64
  /// Hours and minutes ahead of UTC; `nil` where nothing dates the recording.
  let name: String?

  /// - Parameter shift: Nanoseconds that are added to the times of a recording without a date.
  init(_ plan: ExportPlan, _ notes: RecordingNotes, shift: Int64) {
    let unit: Int64 = 1_000_000_000
    guard let started = plan.started(notes.clock) else {
      (origin, name) = (shift, nil)
      return
    }
    let offset = LocalTime.offset(at: (started == 0 ? plan.zero : started) / unit)
    let (sum, overflow) = started.addingReportingOverflow((offset - CWALayout.epoch) * unit)
    (origin, name) = (overflow ? .max : sum, LocalTime.zone(offset))
  }

  func text(_ time: Int64) -> Substring {
    let (sum, overflow) = time.addingReportingOverflow(origin)
    let date = overflow ? 0 : sum &+ CWALayout.epoch * 1_000_000_000
    return RFC3339.text(nanoseconds: date).dropLast()
  }
}
