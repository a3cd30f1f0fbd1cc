import IMUModel
import LogStore

extension Exporter {
  /// The document: what the log's header says, what became of the ticks, every other record, the samples.
  ///
  /// A first pass over the log finds the sums; a pass for each kind of record that is there lists it, so
  /// that a recording with a million gaps takes no more memory than one with none.
  func writeJSON<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(reader.description)
    let account = try LogAccount(&reader, plan)
    var text = JSONText()
    text.open("{")
    text.addHeader(plan)
    if plan.hasRange { text.addRange(options) }
    text.addStart(account)
    if account.pairCount > 0 {
      try list(.clockPairs, plan, &reader, &text, &sink)
    } else {
      text.open("[")
      text.close("]")
    }
    text.close("}")
    text.addEnd(account)
    for (section, count) in account.sections {
      text.key(section.rawValue, onNewLine: true)
      if count > 0 {
        try list(section, plan, &reader, &text, &sink)
      } else {
        text.open("[")
        text.close("]")
      }
    }
    text.key("samples", onNewLine: true)
    try sink.write(text.bytes)
    text.removeBytes()

    reader.rewind()
    let keys = plan.columnNames.map { ",\"\($0)\":" }
    let layout = RowLayout(prefix: ",\n{\"t_ns\":", keys: keys, suffix: "}")
    var rows = RowPass(plan, layout, opening: UInt8(ascii: "["))
    var report = try rows.run(&reader, to: &sink)
    report.damages = account.damageCount
    try sink.write(Array((report.samples == 0 ? "[]}\n" : "\n]}\n").utf8))
    return report
  }

  /// Writes one section's array in a pass of its own.
  private func list<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ section: LogAccount.Section, _ plan: ExportPlan, _ reader: inout LogReader<Storage>,
    _ text: inout JSONText, _ sink: inout Sink
  ) throws(ExportError) {
    reader.rewind()
    text.open("[")
    while let item = try reader.nextItem() {
      text.add(item, to: section, plan)
      guard text.bytes.count > 16 * 1024 else { continue }
      try sink.write(text.bytes)
      text.removeBytes()
    }
    text.close("]")
  }
}

extension LogAccount {
  /// The arrays of the document beside the samples; raw values are their keys.
  enum Section: String {
    case clockPairs = "pairs"
    case gaps
    case marks
    case sensorEvents
    case damage
  }

  /// The sections behind the sums, with their lengths; damage is mentioned only where there is some.
  var sections: [(Section, UInt64)] {
    var sections: [(Section, UInt64)] = [
      (.gaps, gapCount), (.marks, markCount), (.sensorEvents, eventCount),
    ]
    if damageCount > 0 { sections.append((.damage, damageCount)) }
    return sections
  }
}
