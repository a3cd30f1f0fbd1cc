// SPDX-License-Identifier: Apache-2.0

package import Analysis
package import IMUModel
import LogFormat
package import LogStore

extension Exporter {
  /// Writes what each UTC second of a recording shows as a row of a Parquet file: figures of every axis, vibration in bands,
  /// temperature, how well the times are known, labels and marks. Values are those of the mounting.
  ///
  /// - Parameters:
  ///   - labels: The recording's labels, in their order.
  ///   - calibration: Of its sensor; `nil` leaves the sensor's errors in.
  /// - Returns: How strong the motion was.
  /// - Complexity: two passes over the log.
  package static func writeFeatures<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    of reader: inout LogReader<Storage>, labels: [RecordingLabel],
    calibration: SensorCalibration?, to sink: inout Sink
  ) throws(ExportError) -> SecondLevels {
    var options = ExportOptions(format: .parquet, units: .raw)
    options.isForHub = true
    options.labels = labels
    options.isCalibrated = calibration != nil
    options.calibration = calibration
    options.hasUncertainty = reader.description.clock != .grid
    let exporter = Exporter(options)
    reader.rewind()
    _ = try exporter.correct(&reader)
    let plan = try exporter.plan(&reader)
    let notes = try exporter.notes(&reader, of: plan)
    var table = try FeatureTable(plan, notes, hertz: reader.description.rate.hertz, to: &sink)
    _ = try exporter.runSamples(plan, &table, &reader, to: &sink)
    try table.finish(to: &sink)
    return table.levels
  }
}

/// The rows of seconds, each with a sample, the beginning of a gap, or a mark. A second with more samples than
/// ``SecondFeatures/most``, which no chip makes, has several rows.
struct FeatureTable: SampleFormat {
  private let plan: ExportPlan
  private let started: Int64
  private var marks: ArraySlice<Mark>
  private var features: SecondFeatures
  private var table: FlatTable
  /// The largest distance of each second from its mean, over the axes of the accelerometer, or else of the gyroscope.
  fileprivate private(set) var levels = SecondLevels()
  /// The second that is being collected, since 1970.
  private var second: Int64?
  private var missing: UInt64 = 0
  private var markCount = 0
  /// The largest half of an interval, and whether one is not proved.
  private var (error, isUnproved): (Int64, Bool) = (0, false)

  private static func columns(_ recording: String) -> [(name: String, kind: ParquetKind)] {
    let figures = ChannelSet.names[..<6].flatMap { axis in
      ["mean", "rms", "peak", "crest", "kurtosis"].map { "\(axis)_\($0)" }
    }
    let bands = SecondFeatures.bands.map {
      "accel_rms_\(Int($0.lowerBound))_\(Int($0.upperBound))hz"
    }
    var columns: [(name: String, kind: ParquetKind)] = [
      ("t", .time(isUTC: true)), ("recording", .constant(recording)), ("samples", .integer),
      ("missing", .integer),
    ]
    for name in figures + bands { columns.append((name, .float)) }
    return columns + [
      ("temp_degc", .float), ("t_error_ns", .integer), ("label", .text), ("marks", .integer),
    ]
  }

  init<Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, _ notes: RecordingNotes, hertz: Double, to sink: inout Sink
  ) throws(ExportError) {
    (self.plan, started, marks) = (
      plan, notes.started ?? 0, notes.marks.sorted { $0.time < $1.time }[...]
    )
    features = SecondFeatures(plan.description, hertz: hertz)
    table = try FlatTable(FeatureTable.columns("\(plan.description.id)"), to: &sink)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    let times = block.times
    var row = rows.lowerBound
    while row < rows.upperBound {
      try move(to: times[row], to: &sink)
      if features.count >= SecondFeatures.mostSamples { try endSecond(to: &sink) }
      let next = self.end
      let limit = min(rows.upperBound, row + SecondFeatures.mostSamples - features.count)
      var end = row + 1
      while end < limit, times[end] < next { end += 1 }
      features.add(row..<end, of: block)
      if let bounds {
        for row in row..<end {
          guard bounds.isKnown(row) else {
            isUnproved = true
            continue
          }
          error = max(error, (bounds.latest[row] &- bounds.earliest[row]) / 2)
        }
      }
      row = end
    }
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ gap: Gap, at time: Int64, to sink: inout Sink
  ) throws(ExportError) {
    try move(to: time, to: &sink)
    missing &+= gap.count
  }

  /// Ends the second before a time.
  private mutating func move<Sink: ByteSink & ~Copyable>(
    to time: Int64, to sink: inout Sink
  ) throws(ExportError) {
    let own = Int64.flooredSum(started, time, by: 1_000_000_000)
    try passMarks(before: own, to: &sink)
    // An import's gap may be placed before the sample that it follows.
    if let second, own > second { try endSecond(to: &sink) }
    second = max(second ?? own, own)
  }

  /// Ends each second before this one that has a mark.
  private mutating func passMarks<Sink: ByteSink & ~Copyable>(
    before limit: Int64, to sink: inout Sink
  ) throws(ExportError) {
    while let mark = marks.first {
      let own = Int64.flooredSum(started, mark.time, by: 1_000_000_000)
      guard own < limit else { return }
      if let second, own > second { try endSecond(to: &sink) }
      second = max(second ?? own, own)
      markCount += 1
      marks = marks.dropFirst()
    }
  }

  /// The time at which the second ends, in nanoseconds since tick 0's deadline.
  private var end: Int64 {
    let whole = Int64.floored(started, by: 1_000_000_000)
    let (seconds, overflow) = ((second ?? 0) &+ 1 &- whole.whole).multipliedReportingOverflow(
      by: 1_000_000_000)
    return overflow ? .max : seconds.subtractingReportingOverflow(whole.rest).partialValue
  }

  private mutating func endSecond<Sink: ByteSink & ~Copyable>(to sink: inout Sink)
    throws(ExportError)
  {
    guard let second else { return }
    let end = self.end
    let due = marks.prefix { $0.time < end }
    markCount += due.count
    marks = marks.dropFirst(due.count)
    var row: [FlatTable.Value?] = [
      .integer(second &* 1_000_000), nil, .integer(Int64(features.count)),
      .integer(Int64(clamping: missing)),
    ]
    let axes = (0..<6).map { features.axis($0) }
    let motion = axes[..<3].contains { $0 != nil } ? axes[..<3] : axes[3...]
    levels.add(motion.compactMap { $0?.peak }.max() ?? 0, at: second)
    for axis in axes {
      row += [axis?.mean, axis?.rms, axis?.peak, axis?.crest, axis?.kurtosis].map {
        $0.map { .float(Float($0)) }
      }
    }
    row += features.bandRMS().map { $0.map { .float(Float($0)) } }
    let names = LabelColumn.names(plan.labels, at: end &- 500_000_000)
    let isKnown = plan.options.hasUncertainty && !isUnproved && features.count > 0
    row += [
      features.temperature.map { .float(Float($0)) }, isKnown ? .integer(error) : nil,
      names.isEmpty ? nil : .text(names), .integer(Int64(markCount)),
    ]
    try table.add(row, to: &sink)
    features.removeAll()
    (missing, error, isUnproved, markCount) = (0, 0, false, 0)
  }

  mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    try passMarks(before: .max, to: &sink)
    try endSecond(to: &sink)
    try table.finish(to: &sink)
  }
}
