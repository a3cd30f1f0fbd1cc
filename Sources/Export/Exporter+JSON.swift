import IMUModel
import LogStore

extension Exporter {
  /// The document: what the log's header says, what happened to the ticks, every other record, the samples.
  ///
  /// A first pass over the log finds the sums and the records of each kind, as long as they are few; the
  /// many are listed by passes of their own, so that a million gaps take no more memory than a thousand.
  func writeJSON<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader)
    let account = try LogAccount(&reader, plan)
    var text = JSONWriter()
    text.open("{")
    text.addHeader(plan)
    if plan.hasRange { text.addRange(options) }
    text.addStart(account)
    let isPart = account.isPart
    try list(.clockPairs, account.pairs, isPart, plan, &reader, &text, &sink)
    text.close("}")
    text.addEnd(account, isRange: plan.hasRange, isLive: plan.isLive)
    for (section, items) in account.sections {
      text.key(section.rawValue, onNewLine: true)
      try list(section, items, isPart, plan, &reader, &text, &sink)
    }
    text.key("samples", onNewLine: true)
    try sink.write(text.bytes)
    text.removeBytes()

    try reader.begin(plan)
    let keys = plan.columnNames.map { ",\"\($0)\":" }
    let layout = RowLayout(prefix: ",\n{\"t_ns\":", keys: keys, suffix: "}")
    var rows = RowPass(plan, layout, opening: UInt8(ascii: "["))
    var report = try rows.run(&reader, to: &sink)
    report.damages = account.damages.count
    try sink.write(Array((report.samples == 0 ? "[]}\n" : "\n]}\n").utf8))
    return report
  }

  /// Writes one section's list, in a pass of its own when its items are many.
  private func list<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ section: LogAccount.Section, _ list: ItemList, _ isPart: Bool, _ plan: ExportPlan,
    _ reader: inout LogReader<Storage>, _ text: inout JSONWriter, _ sink: inout Sink
  ) throws(ExportError) {
    text.open("[")
    if list.isWhole {
      for (item, origin) in zip(list.items, list.origins) {
        text.add(item, to: section, section == .gaps ? plan.on(origin) : plan)
      }
    } else {
      var places = GapPlaces(plan)
      if isPart { try reader.begin(plan) } else { reader.rewind() }
      while let item = try reader.nextItem() {
        if section == .gaps {
          for place in places.take(item, reader.block) {
            text.add(.gap(place.gap), to: section, plan.on(place.origin))
          }
        } else {
          text.add(item, to: section, plan)
        }
        if isPart, plan.isOver(item, of: reader) { break }
        guard text.bytes.count > 16 * 1024 else { continue }
        try sink.write(text.bytes)
        text.removeBytes()
      }
      if section == .gaps {
        for place in places.finish() {
          text.add(.gap(place.gap), to: section, plan.on(place.origin))
        }
      }
    }
    text.close("]")
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
