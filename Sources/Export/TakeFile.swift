// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
public import LogStore
import Text

/// A file of the sensors of a take: of ``ExportFormat/parquet`` with a column `sensor`, or of ``ExportFormat/mcap`` with a
/// topic `/imu/NAME` for each, or a page of ``ExportFormat/html``. What one sensor has comes after what the other has.
///
/// Dates are those of the first sensor's clock, so that all are on one. The facts of each are in the file's metadata, as
/// `imulog.sensors.NAME.…`: their times count from the recording's own first tick, which is `takeDelay_ns` after the take's.
public struct TakeFile: ~Copyable {
  private var table: ParquetTable?
  private var writer: MCAPWriter?
  /// What a page has so far.
  private var page: (recordings: Int, samples: UInt64)?
  private var facts: [(name: String, text: String)] = []
  /// Nanoseconds since 1970 at the first tick of the take.
  private var start: Int64?

  /// A file without anything so far.
  public init() {}

  /// Adds the recording of a sensor, by an exporter of the same format for all.
  ///
  /// - Throws: ``ExportError``, also for a recording whose columns are not those of the first.
  public mutating func add<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: consuming Storage, of sensor: String, by exporter: Exporter, to sink: inout Sink
  ) throws(ExportError) -> Exporter.Report {
    var reader = try LogReader.open(storage)
    return try exporter.write(&reader, to: &sink) { (reader, sink) throws(ExportError) in
      try add(&reader, of: sensor, by: exporter, to: &sink)
    }
  }

  private mutating func add<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, of sensor: String, by exporter: Exporter,
    to sink: inout Sink
  ) throws(ExportError) -> Exporter.Report {
    let delay = exporter.options.takeDelay ?? 0
    let begin = start.map { $0 &+ delay }
    if exporter.options.format == .html {
      let report = try exporter.addToPage(&reader, after: page, to: &sink)
      page = ((page?.recordings ?? 0) + 1, (page?.samples ?? 0).addingSaturated(report.samples))
      return report
    }
    let added: Added
    if exporter.options.format == .mcap {
      added = try addMessages(of: sensor, by: exporter, &reader, start: begin, to: &sink)
    } else {
      added = try addRows(of: sensor, by: exporter, &reader, start: begin, to: &sink)
    }
    if start == nil { start = added.start &- delay }
    facts.append(("imulog.sensors.\(sensor).takeDelay_ns", "\(delay)"))
    for fact in added.facts {
      facts.append(
        ("imulog.sensors.\(sensor).\(fact.name.dropFirst("imulog.".count))", fact.text))
    }
    return added.report
  }

  private typealias Added = (
    report: Exporter.Report, facts: [(name: String, text: String)], start: Int64
  )

  private mutating func addMessages<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    of sensor: String, by exporter: Exporter, _ reader: inout LogReader<Storage>, start: Int64?,
    to sink: inout Sink
  ) throws(ExportError) -> Added {
    var writer = writer ?? MCAPWriter(library: Software.name)
    writer.begin(sensor: sensor)
    let added = try exporter.addMessages(&reader, to: &writer, &sink, start: start)
    self.writer = writer
    return added
  }

  private mutating func addRows<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    of sensor: String, by exporter: Exporter, _ reader: inout LogReader<Storage>, start: Int64?,
    to sink: inout Sink
  ) throws(ExportError) -> Added {
    let plan = try exporter.plan(&reader)
    let notes = try exporter.notes(&reader, of: plan)
    var table: ParquetTable
    if let begun = self.table, let start {
      table = begun
      try table.begin(plan, notes, sensor: sensor, start: start)
    } else {
      table = try ParquetTable(
        plan, notes, hasGaps: exporter.options.gaps == .rows, sensor: sensor, to: &sink)
    }
    var report = try exporter.runSamples(plan, &table, &reader, to: &sink)
    let (facts, remarks) = table.facts(damages: report.damages)
    report.remarks += remarks
    self.table = table
    return (report, facts, table.start)
  }

  /// Ends the file; nothing may follow. Traps where no recording was added.
  public mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    if var table {
      try table.finish(facts, by: Software.name, to: &sink)
    } else if var writer {
      writer.finish(metadata: "imulog", facts)
      try sink.write(writer.take())
    } else if let page {
      try sink.write(PageFrame.tail(hasOthers: page.recordings > 1))
    } else {
      preconditionFailure("a take has a recording")
    }
    try sink.flush()
  }
}
