import Export
import IMUModel
import LogStore

/// A recording's header, account and end, in words or as JSON.
struct InfoReport {
  let entry: CatalogueEntry
  let summary: LogSummary
  let review: ReviewReport

  private var log: RecordingDescription { summary.description }
  private var sensor: SensorDescription { log.sensor }

  private var started: String? { summary.started.map { RFC3339.text(nanoseconds: $0) } }

  private var stopReason: String {
    summary.end?.reason.name ?? summary.state.rawValue
  }

  /// Every scheduled tick, those that cannot be read too.
  private var ledger: TickLedger {
    var ledger = summary.ledger
    ledger.add(summary.lostTickCount, .lost)
    return ledger
  }

  /// Keys of at most 11 characters, and values; without what is not known.
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
    lines.append(("note", Plain.text(log.note)))
    let ticks = ["\(ledger.sampled) of \(ledger.scheduled) sampled"] + ledger.losses
    lines.append(("ticks", ticks.joined(separator: ", ")))
    if let lateness = summary.end?.measuredLateness {
      lines.append(("lateness", ReviewReport.text(lateness)))
    }
    lines.append(("gaps", review.gaps))
    if let count = summary.damageCount, count > 0 {
      lines.append(("damage", "\(count) \(count == 1 ? "part" : "parts"); see verify"))
    }
    lines.append(("bytes", bytesLine))
    lines += review.findings
    lines.append(("verdict", review.sentence))
    return lines.filter { !$0.1.isEmpty }
  }

  private var startedLine: String {
    guard let clock = summary.clock, let started else { return "not known" }
    return started + (clock.isSynchronised ? "" : " (by a clock that was not synchronised)")
  }

  private var sensorLine: String {
    var text = Plain.text(sensor.model)
    if let address = sensor.address { text += " at 0x" + String(address, radix: 16) }
    if sensor.accelerometerRange > 0 { text += ", ±\(sensor.accelerometerRange) g" }
    if sensor.gyroscopeRange > 0 { text += ", ±\(sensor.gyroscopeRange) °/s" }
    return text
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
      json.member("cpuLatency", log.cpuLatency.isEmpty ? nil : log.cpuLatency)
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
      json.member("sampleCount", summary.sampleCount)
      json.member("gapCount", summary.gapCount ?? 0)
      json.member("damageCount", summary.damageCount ?? 0)
      json.member("size_bytes", summary.byteCount)
      json.member("review") { review.add(to: &$0) }
    }
  }
}
