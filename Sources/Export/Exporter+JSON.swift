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
    text.addResampling(plan)
    text.addOrientation(plan)
    if plan.hasRange { text.addRange(options) }
    text.addStart(account)
    let isPart = account.isPart
    try list(.clockPairs, account.pairs, isPart, plan, &reader, &text, &sink)
    text.close("}")
    text.addEnd(account, isLive: plan.isLive)
    for (section, items) in account.sections {
      text.key(section.rawValue, onNewLine: true)
      try list(section, items, isPart, plan, &reader, &text, &sink)
    }
    text.addLabels(plan)
    text.key("samples", onNewLine: true)
    try sink.write(text.bytes)
    text.removeBytes()

    var layout = recordLayout(plan)
    (layout.prefix, layout.suffix) = (",\n" + layout.prefix, "}")
    var report = try writeRows(plan, layout, opening: UInt8(ascii: "["), &reader, to: &sink)
    report.damages = account.damages.count
    try sink.write(Array((report.samples == 0 ? "[]}\n" : "\n]}\n").utf8))
    return report
  }

  /// Writes the list of one section, in a pass of its own when it has many items.
  private func list<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ section: LogAccount.Section, _ list: ItemList, _ isPart: Bool, _ plan: ExportPlan,
    _ reader: inout LogReader<Storage>, _ text: inout JSONWriter, _ sink: inout Sink
  ) throws(ExportError) {
    text.open("[")
    if list.isWhole {
      for (item, origin) in zip(list.items, list.origins) {
        text.add(item, to: section, plan.on(origin))
      }
    } else if section == .gaps {
      if isPart { try reader.begin(plan) } else { reader.rewind() }
      var gaps = JSONGaps(text: text)
      var pass = SamplePass(plan)
      _ = try pass.run(&gaps, &reader, to: &sink)
      text = gaps.text
    } else {
      var places = EventPlaces(plan)
      if isPart { try reader.begin(plan) } else { reader.rewind() }
      while let item = try reader.nextItem() {
        if section == .sensorEvents {
          for place in places.consume(item, reader.block) {
            text.add(.sensor(place.event), to: section, plan.on(place.origin))
          }
        } else {
          text.add(item, to: section, plan)
        }
        if isPart, plan.isOver(item, of: reader) { break }
        guard text.bytes.count > 16 * 1024 else { continue }
        try sink.write(text.bytes)
        text.removeBytes()
      }
      if section == .sensorEvents {
        for place in places.finish() {
          text.add(.sensor(place.event), to: section, plan.on(place.origin))
        }
      }
    }
    text.close("]")
  }
}

/// Writes the gaps of a log as items of a list.
private struct JSONGaps: SampleFormat, ~Copyable {
  var text: JSONWriter

  func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) {}

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ gap: Gap, at time: Int64, to sink: inout Sink
  ) throws(ExportError) {
    text.add(gap, at: time)
    guard text.bytes.count > 16 * 1024 else { return }
    try sink.write(text.bytes)
    text.removeBytes()
  }
}

extension LogAccount {
  /// The lists of the document beside the samples; raw values are their keys.
  enum Section: String {
    case clockPairs = "pairs"
    case gaps
    case marks
    case sensorEvents
    case damage
  }

  /// The sections after the sums.
  var sections: [(Section, ItemList)] {
    [(.gaps, gaps), (.marks, marks), (.sensorEvents, events), (.damage, damages)]
  }
}

// The keys of the JSON document, in the document's order.

extension JSONWriter {
  /// From `format` to `units`.
  mutating func addHeader(_ plan: ExportPlan) {
    let log = plan.description
    key("format")
    string("imulog-json")
    line("schema") { $0.integer(JSONWriter.schema) }
    line("id") { $0.string(log.id.description) }
    line("number") { $0.integer(log.number) }
    line("recoveredFrom") { $0.string(log.recoveredFrom?.description) }
    line("note") { $0.string(log.note) }
    line("sensor") { $0.sensor(of: log) }
    line("board") { $0.string(log.board) }
    line("host") { $0.string(log.host) }
    line("software") { $0.string(log.software) }
    line("realTime") { $0.string(log.realTime) }
    line("cpuLatency") { $0.string(log.cpuLatency.isEmpty ? nil : log.cpuLatency) }
    line("begunBy") { $0.string(log.begunBy?.rawValue) }
    line("trigger") { $0.string(log.trigger.isEmpty ? nil : log.trigger) }
    line("timetable") { $0.string(log.timetable.isEmpty ? nil : log.timetable) }
    line("axes") { $0.string(log.axes?.description) }
    line("calibration") { $0.calibration(log.calibration) }
    line("calibrated") { $0.calibration(plan.calibration) }
    line("rate_hz") { $0.rate(log.rate) }
    line("units") { json in
      json.object { json in
        json.member(plan.timeName, "ns")
        if plan.hasBounds { for name in ExportedNames.bounds { json.member(name, "ns") } }
        for channel in plan.channels {
          json.member(ChannelSet.names[channel], plan.unitName(ofChannel: channel))
        }
        for column in plan.derivedColumns { json.member(column.name, column.unit) }
      }
    }
  }

  /// How the columns were computed that are computed from the whole recording.
  mutating func addOrientation(_ plan: ExportPlan) {
    guard let derived = plan.derived else { return }
    line("orientation") { json in
      json.object { json in
        for (name, text) in derived.facts {
          json.key(name)
          // All but the first two are numbers.
          if Double(text) == nil { json.string(text) } else { json.number(text) }
        }
      }
    }
  }

  /// How the samples were made from those of the recording, if they were.
  mutating func addResampling(_ plan: ExportPlan) {
    guard plan.isResampled else { return }
    line("resampled") { json in
      json.object { json in
        json.key("rate_hz")
        json.rate(plan.description.rate)
        json.member("kernel", ResamplingKernel.cubic)
      }
    }
  }

  /// A member on a line of its own.
  mutating func line(_ name: String, _ value: (inout JSONWriter) -> Void) {
    key(name, onNewLine: true)
    value(&self)
  }

  /// The requested part of the recording.
  mutating func addRange(_ options: ExportOptions) {
    line("range") { json in
      json.object { json in
        json.member("from_ns", options.from)
        json.member("to_ns", options.to)
      }
    }
  }

  /// `started`, and `clock` up to its list of pairs.
  mutating func addStart(_ account: LogAccount) {
    line("started") { $0.string(account.started.map { RFC3339.text(nanoseconds: $0) }) }
    key("clock", onNewLine: true)
    open("{")
    member("synchronised", account.bestPair?.isSynchronised ?? false)
    member("used", account.bestPairIndex)
    key("pairs")
  }

  /// From `complete` to `lateness`.
  ///
  /// - Parameter isLive: Whether a program is writing the recording.
  mutating func addEnd(_ account: LogAccount, isLive: Bool) {
    line("complete") { $0.bool(account.isWhole) }
    line("stopReason") {
      $0.string(account.end?.reason.name ?? (isLive ? "running" : "recovered"))
    }
    line("ticks") { $0.ticks(account.ledger) }
    line("ticksLost") { $0.integer(account.ticksLost) }
    line("lateness") { $0.lateness(account.end?.measuredLateness) }
    line("certificate") { $0.certificate(account.certificate) }
    line("chipTimes") { $0.chipTimes(account.chipClock, account.description) }
  }

  /// Adds an item to the list of the section that it belongs to, if that is this one and the item is in
  /// the range.
  mutating func add(_ item: LogItem, to section: LogAccount.Section, _ plan: ExportPlan) {
    switch (section, item) {
    case (.clockPairs, .clock(let pair)): add(pair)
    // Of a list that is whole, the part in the range.
    case (.gaps, .gap(let gap)): add(gap, at: plan.time(ofTick: gap.firstTick))
    case (.marks, .mark(let mark)) where plan.contains(mark.time): add(mark)
    case (.sensorEvents, .sensor(let event)) where plan.contains(event):
      add(event, plan)
    case (.damage, .damage(let damage)): add(damage)
    default: break
    }
  }

  private mutating func add(_ pair: ClockPair) {
    object { json in
      json.member("t_ns", pair.time)
      json.member("wall", RFC3339.text(nanoseconds: pair.wall))
      json.member("synchronised", pair.isSynchronised)
      json.member("reason", pair.reason.name)
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

  /// A list alone.
  package static func list<Value>(
    _ values: some Sequence<Value>, _ add: (inout JSONWriter, Value) -> Void
  ) -> String {
    var json = JSONWriter()
    json.open("[")
    for value in values { add(&json, value) }
    json.close("]")
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// The names of parts of the recording.
  mutating func addLabels(_ plan: ExportPlan) {
    key("labels", onNewLine: true)
    guard plan.areLabelsKnown else { return null() }
    open("[")
    for label in plan.labels { add(label) }
    close("]")
  }

  /// A name of a part of a recording.
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

  private mutating func add(_ event: SensorEvent, _ plan: ExportPlan) {
    object { json in
      json.member("t_ns", plan.time(ofTick: event.tick))
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
