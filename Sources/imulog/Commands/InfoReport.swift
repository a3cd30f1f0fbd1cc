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
    var ticks = JSONObject()
    for (name, count) in ledger.named { ticks = ticks.with(name, count) }
    let sensorJSON = JSONObject()
      .with("model", sensor.model)
      .with("accelRange_g", sensor.accelerometerRange)
      .with("gyroRange_dps", sensor.gyroscopeRange)
      .with("filter", sensor.filter)
    return JSONObject()
      .with("number", entry.number)
      .with("id", "\(log.id)")
      .with("file", entry.path)
      .with("started", started)
      .with("clockSynchronised", summary.clock?.isSynchronised ?? false)
      .with("duration", raw: Plain.number(summary.duration, per: 1_000_000_000))
      .with("rateHz", raw: Plain.hertz(log.rate))
      .with("channels", log.channels.indices.map { ChannelSet.names[$0] })
      .with("sensor", raw: sensorJSON.text)
      .with("board", log.board)
      .with("host", log.host)
      .with("software", log.software)
      .with("realTime", log.realTime)
      .with("cpuLatency", log.cpuLatency)
      .with("syncInterval", raw: Plain.number(log.syncInterval, per: 1_000_000_000))
      .with("complete", summary.isComplete)
      .with("state", summary.state.rawValue)
      .with("stopReason", stopReason)
      .with("recoveredFrom", log.recoveredFrom.map { "\($0)" })
      .with("ticks", raw: ticks.text)
      .with("samples", summary.sampleCount)
      .with("gaps", summary.gapCount ?? 0)
      .with("damagedParts", summary.damageCount ?? 0)
      .with("bytes", summary.byteCount)
      .with("note", log.note)
      .with("review", raw: review.json)
      .text
  }
}
