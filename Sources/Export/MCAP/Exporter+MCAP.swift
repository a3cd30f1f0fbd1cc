// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

extension Exporter {
  /// Writes messages of ROS 2 in a file of MCAP: `/imu`, and what else the recording has of `/imu/temperature`,
  /// `/imu/mag`, `/imu/gaps`, `/imu/marks` and `/imu/labels`.
  ///
  /// Stamps are wall-clock times; without a wall clock they begin at 0, or later by
  /// whole seconds where some are before it. A first pass over the log finds clock and marks,
  /// a second one writes the samples.
  func writeMCAP<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    var writer = MCAPWriter(library: reader.description.software)
    let (report, facts, _) = try addMessages(&reader, to: &writer, &sink)
    writer.finish(metadata: "imulog", facts)
    try sink.write(writer.take())
    return report
  }

  /// Adds the messages of a recording to a file.
  ///
  /// - Parameter start: Nanoseconds since 1970 at tick 0's deadline, which a take has from its first sensor.
  /// - Returns: The facts for the file's metadata as well, and that instant.
  func addMessages<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to writer: inout MCAPWriter, _ sink: inout Sink,
    start: Int64? = nil
  ) throws(ExportError) -> (report: Report, facts: [(name: String, text: String)], start: Int64) {
    let plan = try plan(&reader)
    let notes = try notes(&reader, of: plan, hasField: options.hasField(plan.description))
    var shift = start ?? 0
    if start == nil {
      shift = try undatedShift(
        &reader, plan, notes, others: [plan.origin] + [notes.firstTime].compactMap(\.self))
    }
    let zero = start ?? notes.started ?? shift
    var messages = MCAPMessages(plan, notes, shift: shift, zero: zero, writer)
    var report = try runSamples(plan, &messages, &reader, to: &sink)
    let (facts, remarks) = try messages.end(report, to: &sink)
    report.remarks += remarks
    report.remarks += try dateRemarks(&reader, plan, notes, shift: shift) + notes.remarks
    writer = messages.writer
    return (report, facts, zero)
  }
}

/// Makes messages of samples, gaps, marks and labels, in order of time.
private struct MCAPMessages: SampleFormat, ~Copyable {
  private let plan: ExportPlan
  private let notes: RecordingNotes
  /// Nanoseconds that are added to the times of a recording without a date.
  private let shift: Int64
  /// Nanoseconds since 1970 at tick 0's deadline.
  private let zero: Int64
  private(set) var writer: MCAPWriter
  /// The content of an `Imu`; each message replaces its values.
  private var imu: [Double]
  /// Channels, and the values of all their counts by their bit patterns.
  private let axes: [(channel: Int, values: [Double])]
  private let temperatures: [Double]?
  private var lastTemperature: Int16?
  private var tally = TickTally()
  /// The marks, the labels, by their beginnings, and the magnetometer's values that are still to come: the next one comes
  /// before samples that are later.
  private var (marks, labels): (ArraySlice<Mark>, ArraySlice<RecordingLabel>)
  private var field: ArraySlice<FieldReading>
  /// From time 0, tick 0 or the first sample, whichever is earliest, to the last sample so far: where messages of labels are.
  private var (first, last): (Int64, Int64)
  private var labelCount = 0

  init(
    _ plan: ExportPlan, _ notes: RecordingNotes, shift: Int64, zero: Int64, _ writer: MCAPWriter
  ) {
    (self.plan, self.notes, self.shift, self.zero) = (plan, notes, shift, zero)
    self.writer = writer
    (marks, labels, first, last) = (notes.marks[...], plan.labels[...], min(0, plan.origin), 0)
    field = notes.field[...]
    imu = ROSContent.imu(plan.channels, hasOrientation: plan.derived != nil)
    let channels = zip(plan.channels, plan.values)
    axes = channels.filter { $0.0 < 6 }
    temperatures = channels.first { $0.0 == 6 }?.1
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    let columns = (0...6).map { block.counts(ofChannel: $0) }
    for row in rows {
      let (time, tick) = (block.times[row], UInt32(truncatingIfNeeded: block.ticks[row]))
      (first, last) = (min(first, time), time)
      try addNotes(until: time)
      try addField(until: time)
      for (channel, values) in axes {
        imu[ROSContent.imuPlaces[channel]] = values[Int(UInt16(bitPattern: columns[channel][row]))]
      }
      if let derived = plan.derived {
        derived.next(row..<row + 1, of: block)
        let isKnown = derived.values.first?.isNaN == false
        for (value, place) in zip(derived.values, ROSContent.orientationPlaces) {
          imu[place] = isKnown ? value : ROSContent.noOrientation[place]
        }
        imu[ROSContent.covariancePlace] = isKnown ? 0 : -1
      }
      try writer.add(.imu, tick, at: stamp(time), imu)
      if let temperatures, columns[6][row] != lastTemperature {
        lastTemperature = columns[6][row]
        let degrees = temperatures[Int(UInt16(bitPattern: columns[6][row]))]
        try writer.add(.temperature, tick, at: stamp(time), ROSContent.temperature(degrees))
      }
    }
    tally.sampled += UInt64(rows.count)
    try sink.write(writer.take())
  }

  mutating func add<Sink: ByteSink & ~Copyable>(_ gap: Gap, at time: Int64, to sink: inout Sink)
    throws(ExportError)
  {
    tally.add(gap.count, gap.cause)
    // Before the first sample it is not known where the export begins.
    if tally.sampled > 0 { try addNotes(until: time) }
    let code = gap.code == 0 ? "" : " (errno \(gap.code))"
    let text = "\(Plain.count(gap.count, "tick")) missing: \(gap.cause.phrase)\(code)"
    let content = ROSContent.log(level: 30, name: "imulog.gap", text)
    try writer.add(.gaps, UInt32(truncatingIfNeeded: gap.firstTick), at: stamp(time), content)
    try sink.write(writer.take())
  }

  /// Writes the magnetometer's values up to a time, stamped with their intervals' ends and published at the beginnings.
  private mutating func addField(until time: Int64) throws(ExportError) {
    while let value = field.first, value.time <= time {
      let teslas = plan.microteslas(value).map { $0 / 1_000_000 }
      try writer.add(
        .mag, UInt32(field.startIndex), at: stamp(value.time),
        publishedAt: stamp(value.time - Int64(value.width)), ROSContent.field(teslas))
      field.removeFirst()
    }
  }

  /// Writes the marks and labels that begin at a time or before it, in the order of their times.
  private mutating func addNotes(until time: Int64) throws(ExportError) {
    while true {
      let mark = marks.first.flatMap { $0.time <= time ? $0 : nil }
      let label = labels.first.flatMap { $0.from <= time ? $0 : nil }
      // A label's message is at its beginning, or where the export begins.
      let begin = label.map { max($0.from, plan.from, first) }
      if let mark, begin.map({ mark.time <= $0 }) ?? true {
        let content = ROSContent.log(level: 20, name: "imulog.mark", mark.label)
        try writer.add(.marks, UInt32(marks.startIndex), at: stamp(mark.time), content)
        marks.removeFirst()
      } else if let label, let begin {
        if label.to > first {
          let content = ROSContent.log(level: 20, name: "imulog.label", "\(label)")
          try writer.add(.labels, UInt32(labels.startIndex), at: stamp(begin), content)
          labelCount += 1
        }
        labels.removeFirst()
      } else {
        return
      }
    }
  }

  /// Writes the marks and labels after the last sample.
  ///
  /// - Returns: The recording's facts and account; a remark on the labels that end before the recording begins or begin
  ///   after its last sample, as in a foreign file. They have no message: at another time it would be wrong, and theirs may
  ///   have no date.
  mutating func end<Sink: ByteSink & ~Copyable>(
    _ report: Exporter.Report, to sink: inout Sink
  ) throws(ExportError) -> (facts: [(name: String, text: String)], remarks: [String]) {
    labels.removeLast(labels.count { $0.from > max(last, plan.from, first) })
    try addNotes(until: .max)
    try addField(until: .max)
    let added = shift == 0 ? "" : ", with \(Plain.seconds(shift)) added"
    let isDated = plan.started(notes.clock) != nil
    let epoch = isDated ? "1970-01-01T00:00:00Z" : "0, for want of a wall clock\(added)"
    var facts = HeaderFacts(plan, notes)
    facts.add("times", "nanoseconds from \(epoch)")
    for (index, label) in plan.labels.enumerated() { facts.add("labels.\(index)", "\(label)") }
    facts.addTally(tally, damages: report.damages)
    try sink.write(writer.take())
    let outside = plan.labels.count - labelCount
    let remark = "labels outside of the recording: \(outside); the metadata alone has them"
    return (facts.facts, outside == 0 ? [] : [remark])
  }

  /// Nanoseconds since 1970 of a time since tick 0's deadline.
  ///
  /// - Throws: Before 1970 and after 2038-01-19T03:14:07Z, where a message's seconds of 32 bits end.
  @inline(__always)
  private func stamp(_ time: Int64) throws(ExportError) -> UInt64 {
    let (stamp, overflow) = time.addingReportingOverflow(zero)
    guard !overflow, stamp >= 0, stamp < 1 << 31 * 1_000_000_000 else {
      throw .timeNotHeld(at: time, started: notes.started, format: .mcap)
    }
    return UInt64(stamp)
  }
}
