// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Terminal
import Text

/// A recording's row in a list, also where it cannot be read.
struct ListRow {
  static let heading = [
    "NUMBER", "STARTED", "DURATION", "SENSOR", "RATE", "SAMPLES", "MISSING", "GAPS", "SIZE",
    "STATE", "NOTE",
  ]
  /// The same for the trash, with the dates of removal and of final deletion.
  static let trashHeading = Array(heading.dropLast()) + ["REMOVED", "GOES", "NOTE"]
  static let isNumeric = [
    true, false, true, false, true, true, true, true, true, false, false, false, false,
  ]

  private let entry: CatalogueEntry
  private let summary: LogSummary?
  private let problem: LogError?
  /// Names of its labels; `nil` where they cannot be read.
  let labels: [String]?
  /// Its place in the trash; `nil` outside of it.
  private let trashed: TrashedRecording?

  /// The host of a hub's recording.
  let host: String?

  init(
    _ entry: CatalogueEntry, _ trashed: TrashedRecording? = nil, in catalogue: Catalogue,
    host: String? = nil
  ) {
    (self.entry, self.trashed, self.host) = (entry, trashed, host)
    var found: LogSummary?
    var problem: LogError?
    do throws(LogError) {
      found = try ListRow.summary(of: entry, catalogue)
    } catch {
      problem = error
    }
    labels = found.flatMap { ListRow.labels($0.description.id, in: catalogue) }
    summary = found
    self.problem = problem
  }

  /// A file of labels that cannot be read is shown as such; `imulog label` says why.
  private static func labels(_ id: RecordingID, in catalogue: Catalogue) -> [String]? {
    do {
      return try catalogue.labels(of: id).names
    } catch {
      return nil
    }
  }

  var isImported: Bool { summary?.description.isImported == true }

  /// Whether it has labels, or can be read and they cannot.
  var hasLabelCell: Bool { labels.map { !$0.isEmpty } ?? (summary != nil) }

  /// The most characters of a cell of labels, unless the first name is longer.
  private static let labelWidth = 40

  /// The names of labels, each once.
  static func labelCell(_ rows: [ListRow]) -> String {
    let labels = rows.map(\.labels)
    guard !labels.contains(where: { $0 == nil }) else { return "?" }
    return shortened(labels.flatMap { $0 ?? [] }.withoutRepeats)
  }

  /// Names, and how many found no room: `walking, running, 7 more`.
  private static func shortened(_ names: [String]) -> String {
    guard let first = names.first else { return "" }
    var cell = Plain.text(first)
    for (index, name) in names.enumerated().dropFirst() {
      let longer = cell + ", " + Plain.text(name)
      let isLast = index == names.count - 1
      guard longer.count + (isLast ? 0 : 10) <= ListRow.labelWidth else {
        return cell + ", \(names.count - index) more"
      }
      cell = longer
    }
    return cell
  }

  /// Its summary. Only a recording with losses is read from end to end, to count its gaps; then it shows damage, too.
  private static func summary(
    of entry: CatalogueEntry, _ catalogue: Catalogue
  ) throws(LogError) -> LogSummary {
    let summary = try catalogue.summary(of: entry)
    guard summary.gapCount == nil, summary.missingTickCount > 0 else { return summary }
    var reader = try catalogue.reader(of: entry)
    return try reader.account().summary
  }

  private var gapCount: UInt64 { summary?.gapCount ?? 0 }

  /// Seconds since 1970 by the log's clock, else by the file's name; `nil` for an import without a date, whose file's name
  /// has the instant of the import.
  private var startSeconds: Int64? {
    if let started = summary?.started { return Int64.floored(started, by: 1_000_000_000).whole }
    return summary?.description.isImported == true ? nil : entry.startSeconds
  }

  private static let undated = "undated"

  private var gaps: String { gapCount == 0 ? "-" : "\(gapCount)" }

  /// Cells as in ``heading``.
  var columns: [String] {
    let started = startSeconds.map { LocalTime.text(seconds: $0) } ?? ListRow.undated
    guard let summary else {
      var cells: [String] = ["\(entry.number)", started]
      cells += Array(repeating: "", count: 7)
      cells.append("unreadable")
      cells += removal
      return cells + [Plain.text(problem.map { "\($0)" } ?? "")]
    }
    let cells: [String] = [
      "\(entry.number)", started, Plain.seconds(summary.duration),
      summary.description.namedModel, "\(Plain.hertz(summary.description.rate)) Hz",
      "\(summary.sampleCount)", summary.missingTickCount == 0 ? "-" : "\(summary.missingTickCount)",
      gaps, Plain.bytes(summary.byteCount), summary.state.rawValue,
    ]
    return cells + removal + [Plain.text(summary.description.note)]
  }

  /// Whether it is of the same take as the row before it, and of an earlier sensor. Only these two decide, so that a take
  /// has the same rows on each page.
  func isOfTake(_ before: ListRow) -> Bool {
    guard let take = summary?.description.take, let other = before.summary?.description.take else {
      return false
    }
    return host == before.host && other.id == take.id && take.index < other.index
  }

  /// Cells as in ``heading`` of a recording, or of those of a take with the first one's number: sums, and the worst state.
  ///
  /// - Parameter areAll: Whether a recording that is not among them is not there.
  static func columns(of take: [ListRow], areAll: Bool) -> [String] {
    let rows = take.sorted { $0.entry.number < $1.entry.number }
    let summaries = rows.compactMap(\.summary)
    guard rows.count > 1, let longest = summaries.map(\.duration).max() else {
      return rows[0].columns
    }
    func sum(_ count: (LogSummary) -> UInt64) -> String {
      let sum = summaries.map(count).reduce(0, &+)
      return sum == 0 ? "-" : "\(sum)"
    }
    let count = areAll ? summaries[0].description.take?.count ?? 0 : rows.count
    let rates = summaries.map(\.description.rate).sorted { $0.hertz < $1.hertz }
    let slowest = Plain.hertz(rates[0])
    let fastest = Plain.hertz(rates[rates.count - 1])
    let states = Set(summaries.map(\.state))
    var cells = rows[0].columns
    cells[2] = Plain.seconds(longest)
    cells[3] =
      (count > rows.count ? "\(rows.count) of \(count): " : "")
      + shortened(summaries.map(\.description.sensorName))
    cells[4] = (slowest == fastest ? slowest : "\(slowest)-\(fastest)") + " Hz"
    cells[5] = "\(summaries.map(\.sampleCount).reduce(0, &+))"
    cells[6] = sum(\.missingTickCount)
    cells[7] = sum { $0.gapCount ?? 0 }
    cells[8] = Plain.bytes(summaries.map(\.byteCount).reduce(0, &+))
    let order: [LogSummary.State] = [.damaged, .live, .recovered, .complete]
    cells[9] = order.first(where: states.contains)?.rawValue ?? cells[9]
    return cells
  }

  /// The trash's cells; `?` for a removal while the clock was not set.
  private var removal: [String] {
    guard let trashed else { return [] }
    return [trashed.removedSeconds, trashed.dueSeconds].map {
      $0.map { LocalTime.text(seconds: $0) } ?? "?"
    }
  }

  var details: ListDetails {
    var row = ListDetails()
    (row.started, row.zone) =
      startSeconds.map { LocalTime.parts(seconds: $0) } ?? (ListRow.undated, "")
    guard let summary else {
      (row.state, row.isAlert) = ("unreadable", true)
      row.note = problem.map { Plain.text(RecordingProblem.text($0, file: entry.fileName)) } ?? ""
      return row
    }
    row.length = Plain.length(summary.duration)
    row.sensor = summary.description.namedModel
    row.hertz = Plain.hertz(summary.description.rate)
    row.state = summary.state.rawValue
    row.gaps = gaps
    row.size = Plain.bytes(summary.byteCount)
    let labels = ListRow.labelCell([self])
    row.note = ((labels.isEmpty ? [] : ["[\(labels)]"]) + [Plain.text(summary.description.note)])
      .joined(separator: " ")
    row.isPassing = summary.state == .live
    return row
  }

  func add(to json: inout JSONWriter) {
    func date(_ seconds: Int64?) -> String? {
      seconds.map { RFC3339.text(second: $0) + "Z" }
    }
    json.object { json in
      if let host { json.member("host", host) }
      json.member("number", entry.number)
      json.member("id", summary.map { "\($0.description.id)" })
      json.member("started", date(startSeconds))
      json.member(
        "duration_s", number: summary.map { Plain.number($0.duration, per: 1_000_000_000) })
      json.key("sensor")
      if let summary { json.sensor(of: summary.description) } else { json.null() }
      json.member("sensorName", summary?.description.knownSensorName)
      json.key("take")
      json.take(summary?.description.take)
      json.key("rate_hz")
      if let summary { json.rate(summary.description.rate) } else { json.null() }
      json.member("sampleCount", summary?.sampleCount)
      json.member("complete", summary?.isComplete ?? false)
      json.member("state", summary?.state.rawValue)
      json.member("gapCount", summary == nil ? nil : gapCount)
      json.member("size_bytes", summary?.byteCount)
      json.member("note", summary?.description.note)
      if let labels {
        json.member("labels", labels)
      } else {
        json.member("labels", nil as String?)
      }
      json.member("error", problem.map { "\($0)" })
      if let trashed {
        json.member("removed", date(trashed.removedSeconds))
        json.member("expires", date(trashed.dueSeconds))
      }
    }
  }
}

extension RecordingDescription {
  /// The user's name for the sensor; `nil` without one.
  var knownSensorName: String? { sensorName.isEmpty ? nil : sensorName }

  /// The sensor for a person: its model, and before it the user's name for it.
  var namedModel: String {
    Plain.text((knownSensorName.map { "\($0), " } ?? "") + sensor.model)
  }
}
