// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
public import LogStore

/// Writes a recording in one of the formats of ``ExportFormat``.
///
///     LogReader ──► blocks of samples ──► rows or messages ──► ByteSink
///
/// Memory does not grow with the recording: a block of samples, a table of texts for each unit, and the sink's buffer; but by
/// 24 bytes for each of a magnetometer's values where rows, messages or a graph have them. The same log with the same
/// options gives the same bytes.
public struct Exporter: Sendable {
  /// The result of an export.
  public struct Report: Equatable, Sendable {
    /// Samples written.
    public var samples: UInt64 = 0
    /// Parts of the log that could not be read, within the range that was read.
    public var damages: UInt64 = 0
    /// Marks among what was read of the range.
    var marks: UInt64 = 0
    /// Whether labels that the store has beside the log are damaged, and missing.
    public var areLabelsDamaged = false
    /// Facts about the recording that the format cannot express: sentences for the user.
    public var remarks: [String] = []

    /// Whether the recording is cut off within what was asked for; not while a program writes it.
    public var isCutOff = false

    /// Whether nothing of what was asked for is missing.
    public var isWhole: Bool { damages == 0 && !areLabelsDamaged && !isCutOff }
  }

  /// What to export, and how.
  public let options: ExportOptions

  /// An exporter with the given options.
  public init(_ options: ExportOptions) {
    self.options = options
  }

  /// Exports the log in `storage`, in any format, and flushes `sink`.
  ///
  /// A damaged log is exported as far as it can be read, and the report has the damage. ``ExportFormat/raw`` copies the
  /// bytes unchanged, damaged ones too, and reads the log afterwards for the report.
  ///
  /// - Throws: ``ExportError``; bytes written before it stay written.
  public func write<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: consuming Storage, to sink: inout Sink
  ) throws(ExportError) -> Report {
    try refuseOptions()
    guard options.format == .raw else {
      var reader = try LogReader.open(storage)
      return try write(&reader, to: &sink)
    }
    try writeLog(&storage, to: &sink)
    try sink.flush()
    return try inspect(storage, isLive: options.isLive)
  }

  /// Exports the recording that `reader` reads, from its beginning, as from storage. Traps for
  /// ``ExportFormat/raw``, which copies storage and reads no records.
  ///
  /// - Complexity: one pass over the log; for JSON, gyrodata, HTML, SVG, Parquet, MCAP, CWA and rows with a magnetometer's
  ///   values one more before it, for HTML one each for an analysis and such values, too, and for JSON one for each kind of
  ///   record (clock pairs, gaps, marks, sensor events, damage, values of the magnetometer) that occurs more than 1000 times.
  ///   With a range, of a recording that has ended only the range and the first and last page are read.
  public func write<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    try write(&reader, to: &sink) { (reader, sink) throws(ExportError) in
      try writeFormat(&reader, to: &sink)
    }
  }

  /// The same by a function that writes the format.
  func write<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink,
    _ writeFormat: (inout LogReader<Storage>, inout Sink) throws(ExportError) -> Report
  ) throws(ExportError) -> Report {
    try refuseOptions()
    reader.rewind()
    let remarks = try correct(&reader)
    var report = try writeFormat(&reader, &sink)
    report.remarks += remarks + correctionRemarks(reader) + fieldRemarks(reader.description)
    if !options.isLive { report.isCutOff = try isCutOff(&reader) }
    try sink.flush()
    if report.samples == 0, report.damages == 0, options.format.entry.hasRowsOnly {
      report.remarks.append("there is no sample to export: the output has none")
    }
    return report
  }

  private func isCutOff<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) -> Bool {
    do {
      return try reader.isCutOff(before: options.to ?? .max)
    } catch {
      throw .log(error)
    }
  }

  func plan(_ description: RecordingDescription) throws(ExportError) -> ExportPlan {
    let asked = options.channels ?? .both
    let recorded = description.channels
    if let option = chipOption, description.clock == .grid {
      throw .refused(
        "\(option) needs times by the chip's clock, and the computer kept those of this recording",
        remedy: "leave it out")
    }
    if let option = options.derivedOption,
      !recorded.isSuperset(of: [.accelerometer, .gyroscope])
    {
      throw .refused(
        "\(option) needs x, y and z of accelerometer and gyroscope, and the recording has "
          + ExportError.names(recorded), remedy: "leave it out")
    }
    guard !recorded.isDisjoint(with: asked.mask) else {
      throw .channelsNotRecorded(asked, recorded: recorded)
    }
    return try ExportPlan(
      options, description, mask: asked.mask, units: options.units ?? options.format.usualUnits)
  }

  /// The plan of formats that show where gaps are, or have columns that are computed from the whole recording.
  func plan<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) -> ExportPlan {
    var plan = try plan(reader.description)
    plan.origin = try reader.origin()
    let notes =
      plan.hasFieldRows || plan.findsNorth ? try notes(&reader, of: plan, hasField: true) : nil
    plan.derived = try DerivedColumns.make(options, plan, notes, &reader)
    return plan
  }

  /// Refuses options that the format, or another option, has no place for.
  func refuseOptions(isFollowed: Bool = false) throws(ExportError) {
    let format = options.format
    let given = options.given + (isFollowed ? [.follow] : [])
    if let option = given.first(where: { !format.takes($0) }) {
      throw .optionNotSupported(option: "--" + option.rawValue, format: format)
    }
    switch (format.entry.units, options.units) {
    case (.own, _?): throw .optionNotSupported(option: "--units", format: format)
    case (.only(let held), let units?) where units != held:
      throw .optionNotSupported(option: "--units \(units.rawValue)", format: format)
    default: break
    }
    if format == .raw, let option = options.selection {
      throw .optionNotSupported(option: option, format: format)
    }
    func named(_ isGiven: Bool, _ option: String) -> String? { isGiven ? option : nil }
    let (grid, follow) = (named(options.isResampled, "--grid"), named(isFollowed, "--follow"))
    let rows = named(options.gaps == .rows, "--gaps rows")
    let labels = named(options.hasLabels, "--labels")
    let time = options.time.flatMap { named($0.isDate, "--time \($0.rawValue)") }
    let dates = named(options.hasPreamble, "--preamble") ?? time
    let counts = named(options.units == .raw, "--units raw")
    let (take, preamble) = (
      named(options.takeDelay != nil, "--take"), named(options.hasPreamble, "--preamble")
    )
    let derived = options.derivedOption
    let exclusions: [(one: String?, other: String?, reason: String)] = [
      (rows, grid, "a grid's instants are left out one by one"),
      (derived, grid, "the orientation is computed at the chip's samples"),
      (labels, follow, "a label may be added after the samples that it names"),
      (dates, follow, "what dates a recording best may be recorded later"),
      (rows, follow, "a gap may be recorded after the samples that follow it"),
      (derived, follow, "the orientation at a sample depends on those after it, too"),
      (chipOption, follow, "what proves a sample's time is recorded up to 40 s after it"),
      (take, preamble, "the facts are those of one recording"),
      (take, named(options.hasAnalysis, "--analysis"), "it is of one recording"),
      (grid, counts, "resampled values are not counts"),
      (grid, named(options.fill != nil, "--fill"), "the grid leaves out what is missing"),
    ]
    for case (let one?, let other?, let reason) in exclusions {
      throw .optionsTogether(one, other, reason: reason)
    }
  }

  /// The option for recordings of a chip that keeps the time.
  private var chipOption: String? {
    options.isResampled ? "--grid" : options.hasUncertainty ? "--uncertainty" : nil
  }

  /// Writes every sample of the plan, or every instant of the grid, as a row.
  func writeRows<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, _ layout: RowLayout, opening: UInt8? = nil,
    gaps: TextRows.Gaps = .leaveOut, _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    var rows = TextRows(plan, layout, opening: opening, gaps: gaps)
    guard options.isResampled else {
      var report = try runSamples(plan, &rows, &reader, to: &sink)
      report.samples = rows.count
      return report
    }
    var pass = EvenRatePass(plan, EvenRows(plan, options.format))
    return try pass.run(&reader) { (_, time, counts, instants) throws(ExportError) in
      try rows.add(time, counts, instants, to: &sink)
    }
  }

  /// Exports a recording while a program is writing it, until it ends: NDJSON, CSV, or the log's own bytes.
  ///
  /// `sink` is flushed whenever it has all bytes of the log. The log's end and damage are read when the writer is gone.
  ///
  /// - Parameter more: Waits for more and returns how many bytes are final, as ``PageCheck`` finds them; `nil` when the
  ///   writer is gone.
  /// - Throws: ``ExportError``, also for documents that begin with facts from the log's end; bytes written before it stay
  ///   written.
  public func follow<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: consuming Storage, to sink: inout Sink,
    more: () throws(ExportError) -> UInt64?
  ) throws(ExportError) -> Report {
    try refuseOptions(isFollowed: true)
    guard options.format == .raw else {
      var reader = try LogReader.open(storage)
      let remarks = try correct(&reader)
      let plan = try plan(reader.description)
      let (header, layout) =
        options.format == .csv ? tableLayout(plan, started: nil) : ([], recordLayout(plan))
      try sink.write(header)
      var rows = TextRows(plan, layout)
      var pass = SamplePass(plan)
      var report = try pass.run(&rows, &reader, to: &sink, more: more)
      report.remarks += leftOut(labels: 0, marks: report.marks)
      report.remarks += remarks + correctionRemarks(reader)
      report.remarks += fieldRemarks(reader.description, isFollowed: true)
      report.isCutOff = try isCutOff(&reader)
      try sink.flush()
      return report
    }
    var offset: UInt64 = 0
    while let limit = try more() {
      try copy(&storage, offset..<max(offset, limit), to: &sink)
      offset = max(offset, limit)
      try sink.flush()
    }
    try writeLog(&storage, from: offset, to: &sink)
    try sink.flush()
    // Its writer is gone by now.
    return try inspect(storage, isLive: false)
  }

  /// Writes the log's own bytes, without the pages of zeros at the end, which were preallocated and never written.
  ///
  /// A log's last byte may be a zero, so only whole pages are left out. A correction, channels and a range are refused.
  private func writeLog<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: inout Storage, from begin: UInt64 = 0, to sink: inout Sink
  ) throws(ExportError) {
    let length: UInt64
    do {
      length = try storage.writtenByteCount()
    } catch {
      throw .log(.storage(error))
    }
    try copy(&storage, begin..<max(begin, length), to: &sink)
  }

  private func copy<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ storage: inout Storage, _ range: Range<UInt64>, to sink: inout Sink
  ) throws(ExportError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let room = try sink.reserve(reservationLimit)
      // Safe: the sink gave `reservationLimit` bytes, which are overwritten up to `count`.
      let buffer = UnsafeMutableRawBufferPointer(
        start: room, count: Int(min(UInt64(reservationLimit), range.upperBound - offset)))
      let count: Int
      do {
        count = try storage.read(at: offset, into: buffer)
      } catch {
        throw .log(.storage(error))
      }
      // Another program has truncated the file.
      guard count > 0 else { return }
      sink.commit(count)
      offset += UInt64(count)
    }
  }

  /// The report about a log that was copied unchanged.
  private func inspect<Storage: LogStorage & ~Copyable>(
    _ storage: consuming Storage, isLive: Bool
  ) throws(ExportError) -> Report {
    do {
      var reader = try LogReader(storage)
      let account = try reader.account()
      let isCutOff = !isLive && account.end?.reason ?? .recovered == .recovered
      return Report(
        samples: account.sampleCount, damages: account.damageCount, isCutOff: isCutOff)
    } catch {
      if case .storage = error { throw .log(error) }
      // Nothing can be read without the header: the whole log is damaged.
      return Report(samples: 0, damages: 1)
    }
  }
}

extension LogReader where Storage: ~Copyable {
  static func open(_ storage: consuming Storage) throws(ExportError) -> LogReader<Storage> {
    do {
      return try LogReader(storage)
    } catch {
      throw .log(error)
    }
  }
}
