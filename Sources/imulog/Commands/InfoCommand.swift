// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUModel
import LogStore
import Terminal
import Text

/// `imulog info`: prints everything about a recording except its samples.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show everything about a recording, with a verdict.",
    discussion: """
      The last line is the verdict: good, flawed, damaged or running. A recording is flawed if more than 1 \
      sample in 1000 is missing, a gap is longer than 1 s, a value is clipped, 1 sample in 100 was more \
      than half a period late, the acceleration at rest is off by a tenth, the sensor's certificate fails, \
      a fault ended it, or the end is missing. With \
      --check only the verdict is printed, and the exit status is 0 for good, 1 for flawed, 65 for damaged, \
      75 while it is being recorded.

      Examples:
        imulog info latest
        imulog info latest --check || echo "do it again"
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print only the verdict; the exit status is 0 for a good recording.")
  var check = false

  mutating func run() throws {
    let catalogue = try program.openStore(source.storeOptions)
    let entry = try catalogue.entry(for: source.id)
    let isLive = try catalogue.isLive(entry)
    var reader = try LogReader(
      try ProgressStorage(reading: entry.path, "reading recording \(entry.number)"))
    let account = try reader.account(isLive: isLive, ofSamples: true)
    let review = ReviewReport(account)
    if check {
      try json ? Console.json(review.json) : Console.data(review.sentence)
      if let status = review.status { throw ExitCode(status.rawValue) }
      return
    }
    var labels = LabelList()
    var labelProblem: CatalogueError?
    do throws(CatalogueError) {
      labels = try catalogue.labels(of: account.summary.description.id)
    } catch {
      labelProblem = error
    }
    let report = InfoReport(
      entry: entry, summary: account.summary, review: review, labels: labels,
      labelProblem: labelProblem)
    if json { return try Console.json(report.json) }
    for (key, value) in report.lines {
      try Console.data(key + String(repeating: " ", count: 12 - key.count) + value)
    }
  }
}

/// A recording's header, account and end, for people or as JSON.
struct InfoReport {
  let entry: CatalogueEntry
  let summary: LogSummary
  let review: ReviewReport
  let labels: LabelList
  /// Why its labels cannot be read.
  let labelProblem: CatalogueError?

  private var log: RecordingDescription { summary.description }
  private var sensor: SensorDescription { log.sensor }

  private var started: String? { summary.started.map { RFC3339.text(nanoseconds: $0) } }

  private var stopReason: String {
    summary.end?.reason.name ?? summary.state.rawValue
  }

  private var ledger: TickLedger { summary.ledger }

  /// Keys of at most 11 characters, and values; unknown values are left out.
  var lines: [(String, String)] {
    var lines = [
      ("number", "\(entry.number)"), ("id", "\(log.id)"), ("file", Plain.text(entry.path)),
      ("started", startedLine), ("duration", Plain.seconds(summary.duration)),
      ("rate", "\(Plain.hertz(log.rate)) Hz"),
      ("channels", log.channels.indices.map { ChannelSet.names[$0] }.joined(separator: " ")),
      ("sensor", sensorLine), ("filter", Plain.text(sensor.filter)),
      ("board", Plain.text(log.board)), ("host", Plain.text(log.host)),
      ("software", Plain.text(log.software)), ("real time", Plain.text(log.realTime)),
      ("synced", log.syncInterval == 0 ? "at the end" : "every \(Plain.seconds(log.syncInterval))"),
      ("state", summary.state.rawValue), ("cpu latency", Plain.text(log.cpuLatency)),
    ]
    if summary.state != .live { lines.append(("stopped", stopReason)) }
    if let source = log.recoveredFrom { lines.append(("from", "\(source)")) }
    lines.append(("begun by", log.begunBy?.rawValue ?? ""))
    lines.append(("trigger", Plain.text(log.trigger)))
    lines.append(("timetable", Plain.text(log.timetable)))
    lines.append(("note", Plain.text(log.note)))
    lines.append(("axes", log.axes.map { "\($0)" } ?? unread("axes")))
    lines.append(("calibration", Plain.text(log.calibration?.name ?? unread("calibration"))))
    lines.append(("labels", labelsLine))
    let ticks = ["\(ledger.sampled) of \(ledger.scheduled) sampled"] + ledger.losses
    lines.append(("ticks", ticks.joined(separator: ", ")))
    if let lateness = summary.end?.measuredLateness {
      lines.append(("lateness", ReviewReport.text(lateness)))
    }
    lines.append(("gaps", review.gaps))
    if let count = summary.damageCount, count > 0 {
      lines.append(("damage", "\(Plain.count(count, "part")); see verify"))
    }
    lines.append(("bytes", bytesLine))
    lines.append(("certificate", review.certificate))
    lines += review.findings
    lines.append(("verdict", review.sentence))
    return lines.filter { !$0.1.isEmpty }
  }

  private var startedLine: String {
    guard let clock = summary.clock, let started else { return "not known" }
    return started + (clock.isSynchronised ? "" : " (by a clock that was not synchronised)")
  }

  /// What is wrong with an entry of the header; empty when nothing is.
  private func unread(_ key: String) -> String {
    log.whyUnread(key).map { "cannot be read: \($0)" } ?? ""
  }

  private var sensorLine: String {
    var text = Plain.text(sensor.model)
    if let address = sensor.address { text += " at 0x" + String(address, radix: 16) }
    if sensor.accelerometerRange > 0 { text += ", ±\(sensor.accelerometerRange) g" }
    if sensor.gyroscopeRange > 0 { text += ", ±\(sensor.gyroscopeRange) °/s" }
    return text
  }

  private var labelsLine: String {
    if let labelProblem { return Plain.text("\(labelProblem)") }
    let all = labels.labels
    let more = all.count > 5 ? ["and \(all.count - 5) more"] : []
    let damage = labels.damageSentence.map { [$0] } ?? []
    return (all.prefix(5).map { "\($0)" } + more + damage).joined(separator: ", ")
  }

  private var bytesLine: String {
    guard summary.sampleCount > 0 else { return "\(summary.byteCount)" }
    let hundredths = summary.byteCount * 100 / summary.sampleCount
    return "\(summary.byteCount), \(Plain.number(Int64(clamping: hundredths), per: 100)) a sample"
  }

  var json: String {
    JSONWriter.document { json in
      json.member("number", entry.number)
      json.member("id", "\(log.id)")
      json.member("file", entry.path)
      json.member("recoveredFrom", log.recoveredFrom.map { "\($0)" })
      json.member("note", log.note)
      json.key("sensor")
      json.sensor(of: log)
      json.member("board", log.board)
      json.member("host", log.host)
      json.member("software", log.software)
      json.member("realTime", log.realTime)
      json.member("axes", log.axes.map { "\($0)" })
      json.key("calibration")
      json.calibration(log.calibration)
      if !log.unread.isEmpty {
        json.member("unread", log.unread) { json, entry in
          json.object {
            $0.member("key", entry.key)
            $0.member("reason", entry.reason)
          }
        }
      }
      json.member("cpuLatency", log.cpuLatency.isEmpty ? nil : log.cpuLatency)
      json.member("begunBy", log.begunBy?.rawValue)
      json.member("trigger", log.trigger.isEmpty ? nil : log.trigger)
      json.member("timetable", log.timetable.isEmpty ? nil : log.timetable)
      json.key("rate_hz")
      json.rate(log.rate)
      json.member("syncInterval_s", number: Plain.number(log.syncInterval, per: 1_000_000_000))
      json.member("started", started)
      review.addClock(to: &json)
      json.member("duration_s", number: Plain.number(summary.duration, per: 1_000_000_000))
      json.member("complete", summary.isComplete)
      json.member("state", summary.state.rawValue)
      json.member("stopReason", stopReason)
      json.key("ticks")
      json.ticks(ledger)
      json.key("lateness")
      json.lateness(summary.end?.measuredLateness)
      review.addCertificate(to: &json)
      review.addChipTimes(to: &json)
      json.member("sampleCount", summary.sampleCount)
      json.member("gapCount", summary.gapCount ?? 0)
      json.member("damageCount", summary.damageCount ?? 0)
      json.member("size_bytes", summary.byteCount)
      if labelProblem == nil {
        json.member("labels", labels.labels) { $0.add($1) }
      } else {
        json.member("labels", nil as String?)
      }
      json.member("review") { review.add(to: &$0) }
    }
  }
}
