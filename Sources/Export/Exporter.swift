import IMUModel
public import LogStore

/// Writes one recording out in one of the forms of ``ExportFormat``.
///
///     LogReader ──► blocks of samples ──► rows of text ──► ByteSink
///
/// Memory does not grow with the recording: a block of samples, a table of texts for each unit, and the
/// sink's buffer. The same log with the same options gives the same bytes.
public struct Exporter: Sendable {
  /// What came out.
  public struct Report: Equatable, Sendable {
    /// Samples written.
    public var samples: UInt64 = 0
    /// Parts of the log that could not be read and are missing, in the part of it that was read.
    public var damages: UInt64 = 0
    /// What the form cannot say of the recording: sentences for the user.
    public var remarks: [String] = []
  }

  /// What is exported and how.
  public let options: ExportOptions

  /// An exporter with the given options.
  public init(_ options: ExportOptions) {
    self.options = options
  }

  /// Writes the log in `storage` out, in any format, and flushes `sink`.
  ///
  /// A damaged log is exported as far as it can be read; the report says so. With ``ExportFormat/raw`` the
  /// bytes are copied as they are, damaged ones too, and read through afterwards for the report; units, a
  /// selection of channels and a time range are refused.
  ///
  /// - Throws: ``ExportError``; what was written before it stays written.
  public func write<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: consuming Storage, to sink: inout Sink
  ) throws(ExportError) -> Report {
    try refuseFill()
    guard options.format == .raw else {
      var reader = try LogReader.open(storage)
      return try write(&reader, to: &sink)
    }
    try refuseSelection()
    try writeLog(&storage, to: &sink)
    try sink.flush()
    return try inspect(storage)
  }

  /// Writes the recording that `reader` reads, from its begin, and flushes `sink`.
  ///
  /// A damaged log is exported as far as it can be read; the report says so. Traps for
  /// ``ExportFormat/raw``, which copies storage and reads no records.
  ///
  /// - Throws: ``ExportError``; what was written before it stays written.
  /// - Complexity: one pass over the log; for JSON, gyrodata, HTML and SVG one more before it, and for JSON one
  ///   for each kind of record (clock pairs, gaps, marks, sensor events, damage) of which it has over 1000. Of a
  ///   recording that ended only the range is read, and its first and last page.
  public func write<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    try refuseFill()
    reader.rewind()
    let report: Report
    switch options.format {
    case .json: report = try writeJSON(&reader, to: &sink)
    case .ndjson: report = try writeRecords(&reader, to: &sink)
    case .csv: report = try writeTable(&reader, to: &sink)
    case .gyrodata: report = try writeGyroData(&reader, to: &sink)
    case .html: report = try writePage(&reader, to: &sink)
    case .svg: report = try writeDrawing(&reader, to: &sink)
    case .raw: preconditionFailure("raw is a copy of storage: pass the storage and not a reader")
    }
    try sink.flush()
    return report
  }

  /// The plan for the formats that have columns.
  func plan(_ description: RecordingDescription) throws(ExportError) -> ExportPlan {
    let asked = options.channels ?? .both
    guard !description.channels.isDisjoint(with: asked.mask) else {
      throw .channelsNotRecorded(asked, recorded: description.channels)
    }
    return try ExportPlan(options, description, mask: asked.mask, units: options.units ?? .si)
  }

  /// The plan for the formats that say where gaps are.
  func plan<Storage: LogStorage & ~Copyable>(_ reader: inout LogReader<Storage>) throws(ExportError)
    -> ExportPlan
  {
    var plan = try plan(reader.description)
    plan.origin = try reader.origin()
    return plan
  }

  /// Formats with times, and the log itself, say what is missing.
  func refuseFill() throws(ExportError) {
    guard options.fill == nil || options.format == .gyrodata else {
      throw .optionNotSupported(option: "--fill", format: options.format)
    }
  }

  /// A pass that writes NDJSON.
  func recordPass(_ description: RecordingDescription) throws(ExportError) -> RowPass {
    let plan = try plan(description)
    let keys = plan.columnNames.map { ",\"\($0)\":" }
    return RowPass(plan, RowLayout(prefix: "{\"t_ns\":", keys: keys, suffix: "}\n"))
  }

  /// A pass that writes CSV, and the header line in front of it.
  func tablePass(
    _ description: RecordingDescription
  ) throws(ExportError) -> (header: [UInt8], layout: RowLayout, plan: ExportPlan) {
    let plan = try plan(description)
    let header = (["t_ns"] + plan.columnNames).joined(separator: ",") + "\n"
    let keys = plan.channels.map { _ in "," }
    return (Array(header.utf8), RowLayout(prefix: "", keys: keys, suffix: "\n"), plan)
  }

  private func writeRecords<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    var rows = try recordPass(reader.description)
    try reader.begin(rows.plan)
    return try rows.run(&reader, to: &sink)
  }

  private func writeTable<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let (header, layout, plan) = try tablePass(reader.description)
    try sink.write(header)
    try reader.begin(plan)
    var rows = RowPass(plan, layout)
    return try rows.run(&reader, to: &sink)
  }
}
