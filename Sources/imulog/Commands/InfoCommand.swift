// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUModel
import LogStore
import Terminal
import Text

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Show everything about a recording, with a verdict.",
    discussion: """
      The last line is the verdict: good, flawed, damaged or running. Flawed: more than 1 sample in 1000 \
      missing, a gap above 1 s, a clipped value, 1 sample in 100 late by half a period, the acceleration at \
      rest off by a tenth, a failed certificate, a fault at the end, or no end.

      Recordings of several sensors have a line for each; ID/NAME shows one of them.
      """,
    examples: "imulog info latest",
    "imulog info 3/left",
    "imulog info latest --check || echo \"do it again\"")

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print only the verdict; exit status: 0 good, 1 flawed, 65 damaged, 75 running.")
  var check = false

  mutating func run() throws {
    let catalogue = try program.openStore(source.storeOptions)
    let take = try catalogue.take(source.id)
    let reports = try take.recordings.map { try InfoReport($0, in: catalogue) }
    guard reports.count + take.missing > 1 else { return try print(reports[0]) }
    for remark in take.remarks { Console.talk(remark) }
    let report = TakeReport(reports: reports, missing: take.missing)
    if json {
      try Console.document { report.add(to: &$0, isVerdict: check) }
    } else {
      for line in check ? [report.sentence] : report.lines { try Console.data(line) }
    }
    if check, let status = report.status { throw ExitCode(status.rawValue) }
  }

  private func print(_ report: InfoReport) throws {
    let review = report.review
    if check {
      try json ? Console.json(review.json) : Console.data(review.account.sentence)
      if let status = review.status { throw ExitCode(status.rawValue) }
      return
    }
    if json { return try Console.document(report.add) }
    for row in report.lines { try Console.data(TextTable.line(row)) }
  }
}

/// All of a recording but its samples, for people or as JSON.
struct InfoReport {
  let entry: CatalogueEntry
  let review: ReviewReport
  let labels: LabelList
  /// Why its labels cannot be read.
  let labelProblem: CatalogueError?

  /// Reads a recording from end to end.
  init(_ entry: CatalogueEntry, in catalogue: Catalogue) throws {
    self.entry = entry
    let isLive = try catalogue.isLive(entry)
    var reader = try LogReader(
      try ProgressStorage(reading: entry.path, "reading recording \(entry.number)"))
    review = ReviewReport(try reader.account(isLive: isLive, ofSamples: true))
    var list = LabelList()
    var problem: CatalogueError?
    do throws(CatalogueError) {
      list = try catalogue.labels(of: review.account.summary.description.id)
    } catch {
      problem = error
    }
    (labels, labelProblem) = (list, problem)
  }

  private var summary: LogSummary { review.account.summary }
  private var log: RecordingDescription { summary.description }
  private var sensor: SensorDescription { log.sensor }

  private var started: String? { summary.started.map { RFC3339.text(nanoseconds: $0) } }

  private var stopReason: String {
    summary.end?.reason.name ?? summary.state.rawValue
  }

  private var tally: TickTally { summary.tally }

  /// Keys of at most 11 characters, and values; unknown values are left out.
  var lines: [(String, String)] {
    // Types are named, as Swift 6.0 takes too long to find them.
    var lines: [(String, String)] = [
      ("number", "\(entry.number)"), ("id", "\(log.id)"), ("file", Plain.text(entry.path)),
      ("started", startedLine), ("duration", "\(Plain.seconds(summary.duration)) \(log.timeWord)"),
      ("rate", "\(Plain.hertz(log.rate)) Hz claimed"),
      ("channels", log.channels.indices.map { ChannelSet.names[$0] }.joined(separator: " ")),
      ("sensor", sensorLine), ("bus", Plain.text(log.busPath)), ("take", takeLine),
      ("filter", Plain.text(sensor.filter)), ("field", fieldLine),
      ("board", Plain.text(log.board)), ("host", Plain.text(log.host)),
      ("software", Plain.text(log.software)), ("real time", Plain.text(log.realTime)),
      ("synced", log.syncInterval == 0 ? "at the end" : "every \(Plain.seconds(log.syncInterval))"),
      ("state", summary.state.rawValue), ("cpu latency", Plain.text(log.cpuLatency)),
    ]
    let ticks = ["\(tally.sampled) of \(tally.scheduled) sampled"] + tally.losses
    let damages = summary.damageCount ?? 0
    let former: String = log.recoveredFrom.map { "\($0)" } ?? ""
    let axes: String = log.axes.map { "\($0)" } ?? unread("axes")
    let lateness: String = summary.end?.measuredLateness.map { ReviewReport.text($0) } ?? ""
    let more: [(String, String)] = [
      ("stopped", summary.state == .live ? "" : stopReason),
      ("from", former), ("begun by", log.begunBy?.rawValue ?? ""),
      ("trigger", Plain.text(log.trigger)), ("timetable", Plain.text(log.timetable)),
      ("note", Plain.text(log.note)), ("axes", axes),
      ("calibration", Plain.text(log.calibration?.name ?? unread("calibration"))),
      ("labels", labelsLine), ("ticks", ticks.joined(separator: ", ")),
      ("lateness", lateness),
      ("gaps", review.gaps),
      ("damage", damages > 0 ? "\(Plain.count(damages, "part")); see verify" : ""),
      ("bytes", bytesLine), ("certificate", review.certificate),
    ]
    lines += more + review.findings + [("verdict", review.account.sentence)]
    return lines.filter { !$0.1.isEmpty }
  }

  private var startedLine: String {
    guard let clock = summary.clock, let started else { return "not known" }
    return started
      + ", claimed by a clock that was \(clock.isSynchronised ? "" : "not ")synchronised"
  }

  /// Why an entry of the header cannot be read; empty when it can.
  private func unread(_ key: String) -> String {
    log.whyUnread(key).map { "cannot be read: \($0)" } ?? ""
  }

  private var sensorLine: String {
    var text = log.namedModel
    if let address = sensor.address { text += " at 0x" + String(address, radix: 16) }
    if sensor.accelerometerRange > 0 { text += ", ±\(sensor.accelerometerRange) g" }
    if sensor.gyroscopeRange > 0 { text += ", ±\(sensor.gyroscopeRange) °/s" }
    return text
  }

  private var takeLine: String {
    log.take.map { "sensor \($0.index + 1) of \($0.count), \($0.id)" } ?? unread("take")
  }

  private var fieldLine: String {
    guard let field = sensor.field else { return unread("field") }
    let found = review.account.field
    var words = [
      Plain.text(field.model), "\(Plain.hertz(field.rate)) Hz claimed",
      Plain.count(found.count, "value"),
    ]
    if let magnitudes = found.magnitudes(field) {
      let ends = [magnitudes.lowerBound, magnitudes.upperBound]
      words.append(ends.map { Plain.number($0, per: 10) }.joined(separator: " to ") + " µT")
    }
    if found.skippedCount > 0 { words.append("\(found.skippedCount) after a skipped one") }
    if found.saturatedCount > 0 { words.append("\(found.saturatedCount) saturated") }
    return words.joined(separator: ", ")
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

  func add(to json: inout JSONWriter) {
    json.times.areClaimed = log.isImported
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
    json.ticks(tally)
    json.key("lateness")
    json.lateness(summary.end?.measuredLateness)
    json.key("certificate")
    json.certificate(review.account.certificate)
    json.key("chipTimes")
    json.chipTimes(review.account.chipClock, log)
    json.key("busClock")
    json.busClock(review.account.busClock, log)
    json.key("field")
    json.field(review.account.field, log)
    json.member("boot", log.boot.isEmpty ? nil : log.boot)
    json.key("origin")
    json.origin(log.origin)
    json.member("sensorName", log.knownSensorName)
    json.member("busPath", log.busPath.isEmpty ? nil : log.busPath)
    json.key("take")
    json.take(log.take)
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
