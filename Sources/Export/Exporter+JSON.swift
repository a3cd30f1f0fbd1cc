// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LogFormat
package import LogStore
package import Text

extension Exporter {
  /// Writes the document: the log's header, the account of its ticks, every other record, and the samples.
  ///
  /// A first pass over the log finds the sums, and the records of each kind as long as they are few. Kinds with more
  /// records are listed by a pass of their own, so that a million gaps take no more memory than a thousand.
  func writeJSON<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader)
    let account = try LogAccount(&reader, plan)
    var text = JSONWriter()
    text.open("{")
    text.addHeader(plan)
    text.addSelection(plan)
    text.addStart(account)
    try list(.clockPairs, account, plan, &reader, &text, &sink)
    text.close("}")
    text.addEnd(account, isLive: options.isLive)
    text.key("field", onNewLine: true)
    if let field = plan.description.sensor.field {
      text.open("{")
      text.addFacts(field)
      try list(.field, account, plan, &reader, &text, &sink)
      text.close("}")
    } else {
      text.null()
    }
    for section in [.gaps, .marks, .sensorEvents, .damage] as [LogAccount.Section] {
      try list(section, account, plan, &reader, &text, &sink)
    }
    text.addLabels(plan)
    text.words(onNewLine: true)
    text.key("samples", onNewLine: true)
    try sink.write(text.bytes)
    text.removeBytes()

    var layout = recordLayout(plan)
    (layout.prefix, layout.suffix) = (",\n" + layout.prefix, "}")
    var report = try writeRows(plan, layout, opening: UInt8(ascii: "["), &reader, to: &sink)
    report.damages = account[.damage].count
    try sink.write(report.samples == 0 ? "[]}\n" : "\n]}\n")
    return report
  }

  /// Writes the list of one section, in a pass of its own when it has many items.
  private func list<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ section: LogAccount.Section, _ account: LogAccount, _ plan: ExportPlan,
    _ reader: inout LogReader<Storage>, _ text: inout JSONWriter, _ sink: inout Sink
  ) throws(ExportError) {
    text.key(section.rawValue, onNewLine: section != .clockPairs && section != .field)
    text.open("[")
    if account[section].isWhole {
      for (item, origin) in account[section].items { text.add(item, plan.on(origin)) }
    } else {
      _ = try LogAccount(&reader, plan) { (kind, item, origin) throws(ExportError) in
        guard kind == section else { return }
        text.add(item, plan.on(origin))
        guard text.bytes.count > 16 * 1024 else { return }
        try sink.write(text.bytes)
        text.removeBytes()
      }
    }
    text.close("]")
  }
}

// The keys of the JSON document, in the document's order.

extension JSONWriter {
  /// From `format` to `units`.
  mutating func addHeader(_ plan: ExportPlan) {
    let log = plan.description
    times.areClaimed = log.isImported
    member("format", "imulog-json")
    line("schema") { $0.integer(JSONWriter.schema) }
    line("id") { $0.string(log.id.description) }
    line("number") { $0.integer(log.number) }
    line("recoveredFrom") { $0.string(log.recoveredFrom?.description) }
    line("note") { $0.string(log.note) }
    line("sensor") { $0.sensor(of: log) }
    for (name, text) in log.texts { line(name) { $0.string(text) } }
    line("origin") { $0.origin(log.origin) }
    line("take") { $0.take(log.take) }
    line("axes") { $0.string(log.axes?.description) }
    line("calibration") { $0.calibration(log.calibration) }
    line("calibrated") { $0.calibration(plan.calibration) }
    line("rate_hz") { $0.rate(log.rate) }
    object("units") { json in
      json.member(plan.timeName, "ns")
      for name in plan.options.hasUncertainty ? ExportedNames.bounds : [] {
        json.member(name, "ns")
      }
      for channel in plan.channels {
        json.member(ChannelSet.names[channel], plan.unit(ofChannel: channel).name)
      }
      for column in plan.derivedColumns { json.member(column.name, column.unit) }
    }
  }

  /// How the columns were computed that are computed from the whole recording.
  mutating func addOrientation(_ plan: ExportPlan) {
    guard let derived = plan.derived else { return }
    object("orientation") { json in
      for (name, text) in derived.facts {
        json.key(name)
        // All but the first two are numbers.
        if Double(text) == nil { json.string(text) } else { json.number(text) }
      }
    }
  }

  /// How the samples were made from those of the recording, if they were, and the requested part of it.
  mutating func addSelection(_ plan: ExportPlan) {
    if plan.options.isResampled {
      object("resampled") { json in
        json.key("rate_hz")
        json.rate(plan.description.rate)
        json.member("kernel", ResamplingKernel.name)
        json.member("pass_band", number: "\(ResamplingKernel.passBand)")
      }
    }
    addOrientation(plan)
    guard plan.hasRange else { return }
    object("range") { json in
      json.member("from_ns", plan.options.from)
      json.member("to_ns", plan.options.to)
    }
  }

  mutating func line(_ name: String, _ value: (inout JSONWriter) -> Void) {
    key(name, onNewLine: true)
    value(&self)
  }

  /// An object on a line of its own.
  private mutating func object(_ name: String, _ fill: (inout JSONWriter) -> Void) {
    line(name) { $0.object(fill) }
  }

  /// `started`, and `clock` up to its list of pairs.
  mutating func addStart(_ account: LogAccount) {
    line("started") { $0.string(account.started.map { RFC3339.text(nanoseconds: $0) }) }
    key("clock", onNewLine: true)
    open("{")
    member("synchronised", account.bestPair?.isSynchronised ?? false)
    member("used", account.bestPairIndex)
  }

  /// From `complete` to `chipTimes`; `isLive` while a program is writing the recording.
  mutating func addEnd(_ account: LogAccount, isLive: Bool) {
    line("complete") { $0.bool(account.isWhole) }
    line("stopReason") {
      $0.string(account.end?.reason.name ?? (isLive ? "running" : "recovered"))
    }
    line("ticks") { $0.ticks(account.tally) }
    line("ticksLost") { $0.integer(account.ticksLost) }
    line("lateness") { $0.lateness(account.end?.measuredLateness) }
    line("certificate") { $0.certificate(account.certificate) }
    line("chipTimes") { $0.chipTimes(account.chipClock, account.description) }
    line("busClock") { $0.busClock(account.busClock, account.description) }
  }

  fileprivate mutating func add(_ item: LogItem, _ plan: ExportPlan) {
    switch item {
    case .clock(let pair): add(pair)
    case .gap(let gap): add(gap, at: plan.time(ofTick: gap.firstTick))
    case .mark(let mark): add(mark)
    case .sensor(let event): add(event, at: plan.time(ofTick: event.tick))
    case .damage(let damage): add(damage)
    case .field(let value): add(value, plan)
    default: break
    }
  }

  /// A value of the magnetometer: between which instants it was completed, and what it was.
  private mutating func add(_ value: FieldReading, _ plan: ExportPlan) {
    let axes = plan.microteslas(value)
    object { json in
      json.member("t_lo_ns", value.time &- Int64(value.width))
      json.member("t_hi_ns", value.time)
      for (name, axis) in zip(["mx_ut", "my_ut", "mz_ut"], axes) {
        json.member(name, number: axis.isNaN ? nil : Plain.number(axis, per: 1000))
      }
      if value.flags.contains(.skipped) { json.member("skipped", true) }
      if value.flags.contains(.saturated) { json.member("saturated", true) }
    }
  }

  /// The members of `field` that its header has.
  package mutating func addFacts(_ field: FieldDescription) {
    member("model", field.model)
    key("rate_hz")
    rate(field.rate)
    member("scale_ut", field.scale)
    member("axes", "\(field.axes)")
  }

  private mutating func add(_ pair: ClockPair) {
    object { json in
      json.member("t_ns", pair.time)
      json.member("wall", RFC3339.text(nanoseconds: pair.wall))
      json.member("synchronised", pair.isSynchronised)
      json.member("reason", pair.reason.name)
      json.member("raw_ns", pair.others?.raw)
      json.member("boottime_ns", pair.others?.boottime)
      json.member("bracket_ns", pair.others?.bracket)
    }
  }

  mutating func add(_ gap: Gap, at time: Int64) {
    object { json in
      json.member("t_ns", time)
      json.member("tick", gap.firstTick)
      json.member("count", gap.count)
      json.member("cause", gap.cause.name)
      if gap.code != 0 { json.member("errno", gap.code) }
    }
  }

  mutating func add(_ mark: Mark) {
    object { json in
      json.member("t_ns", mark.time)
      json.member("label", mark.label)
    }
  }

  package static func list<Value>(
    _ values: some Sequence<Value>, _ add: (inout JSONWriter, Value) -> Void
  ) -> String {
    var json = JSONWriter()
    json.open("[")
    for value in values { add(&json, value) }
    json.close("]")
    return String(decoding: json.bytes, as: UTF8.self)
  }

  mutating func addLabels(_ plan: ExportPlan) {
    key("labels", onNewLine: true)
    guard plan.options.areLabelsKnown else { return null() }
    open("[")
    for label in plan.labels { add(label) }
    close("]")
  }

  package mutating func add(_ label: RecordingLabel) {
    addStretch(label.from, label.to, label.name)
  }

  mutating func addStretch(_ from: Int64, _ to: Int64, _ name: String) {
    object { json in
      json.member("from_ns", from)
      json.member("to_ns", to)
      json.member("name", name)
    }
  }

  private mutating func add(_ event: SensorEvent, at time: Int64) {
    object { json in
      json.member("t_ns", time)
      json.member("tick", event.tick)
      json.member("kind", event.kind.name)
      json.member("fault", event.fault.name)
    }
  }

  /// A part of a log that cannot be read.
  package mutating func add(_ damage: Damage) {
    object { json in
      json.member("page", damage.page)
      json.member("pages", damage.pageCount)
      json.member("offset_bytes", damage.offset)
      json.member("size_bytes", damage.byteCount)
      json.member("ticksLost", damage.ticksLost)
      json.member("what", damage.description)
    }
  }
}
