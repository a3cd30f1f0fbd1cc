// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

extension Exporter {
  /// Writes messages of ROS 2 in a file of MCAP: `/imu`, and what else the recording has of `/imu/temperature`,
  /// `/imu/gaps`, `/imu/marks` and `/imu/labels`.
  ///
  /// Stamps are wall-clock times; without a wall clock they begin at 0. A first pass over the log finds clock and marks,
  /// a second one writes the samples.
  func writeMCAP<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    if let units = options.units, units != .si {
      throw .optionNotSupported(option: "--units \(units.rawValue)", format: .mcap)
    }
    let plan = try plan(&reader)
    let notes = try notes(&reader, of: plan)
    try reader.begin(plan)
    var messages = MCAPMessages(plan, notes)
    var pass = SamplePass(plan)
    var report = try pass.run(&messages, &reader, to: &sink)
    try messages.finish(report, to: &sink)
    report.remarks += try dateRemarks(&reader, started: notes.started)
    report.remarks += notes.remarks
    return report
  }
}

/// Makes messages of samples, gaps and marks, in order of time.
private struct MCAPMessages: SampleFormat, ~Copyable {
  private let plan: ExportPlan
  private let notes: RecordingNotes
  private var writer: MCAPWriter
  private var sample: MCAPMessage
  private var temperature: MCAPMessage
  private let axes: [Axis]
  /// Values of all counts of accelerometer, gyroscope and thermometer, by their bit patterns.
  private let values: [Double]
  private let hasTemperature: Bool
  private var lastTemperature: Int16?
  private var ledger = TickLedger()
  /// The marks that are still to come; the next one comes before samples that are later.
  private var marks: ArraySlice<Mark>
  /// The same of labels, by their beginnings.
  private var labels: ArraySlice<RecordingLabel>
  /// From tick 0 or the first sample, if that is earlier, to the last sample so far: where messages of labels are.
  private var reach: (first: Int64, last: Int64)?

  /// A channel, and its place in an `Imu`.
  private typealias Axis = (channel: Int, place: Int)

  /// The topics, in the order of their numbers.
  private enum Topic: Int {
    case imu, temperature, gaps, marks, labels

    static let all = [
      MCAPWriter.Topic(name: "/imu", schema: ROSMessages.imu),
      MCAPWriter.Topic(name: "/imu/temperature", schema: ROSMessages.temperature),
      MCAPWriter.Topic(name: "/imu/gaps", schema: ROSMessages.log),
      MCAPWriter.Topic(name: "/imu/marks", schema: ROSMessages.log),
      MCAPWriter.Topic(name: "/imu/labels", schema: ROSMessages.log),
    ]
  }

  init(_ plan: ExportPlan, _ notes: RecordingNotes) {
    self.plan = plan
    self.notes = notes
    marks = notes.marks[...]
    labels = plan.labels[...]
    writer = MCAPWriter(Topic.all, profile: "ros2", library: plan.description.software)
    let tables = zip(plan.channels, plan.values)
    values = (0..<3).flatMap { group in
      tables.first { $0.0 / 3 == group }?.1 ?? [Double](repeating: 0, count: 1 << 16)
    }
    axes = plan.channels.filter { $0 < 6 }.map { ($0, ROSMessages.imuPlaces[$0]) }
    hasTemperature = plan.channels.contains(6)
    sample = MCAPMessage(
      Topic.imu.rawValue, ROSMessages.imuContent(plan.channels, hasOrientation: plan.derived != nil)
    )
    temperature = MCAPMessage(Topic.temperature.rawValue, ROSMessages.temperatureContent())
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    let columns = axes.map { block.counts(ofChannel: $0.channel) }
    let temperatures = block.counts(ofChannel: 6)
    for row in rows {
      let time = block.times[row]
      reach = (reach?.first ?? min(0, time), time)
      while let mark = marks.first, mark.time <= time { try add(mark, to: &sink) }
      while let label = labels.first, label.from <= time { try add(label, to: &sink) }
      let stamp = try stamp(time)
      let tick = UInt32(truncatingIfNeeded: block.ticks[row])
      for (axis, column) in zip(axes, columns) {
        sample.set(value(column[row], of: axis.channel), at: axis.place)
      }
      if let derived = plan.derived {
        derived.next(1)
        for (value, place) in zip(derived.values, ROSMessages.orientationPlaces) {
          sample.set(value, at: place)
        }
      }
      sample.set(tick, stamp)
      writer.add(sample.bytes, of: Topic.imu.rawValue, at: stamp)
      if hasTemperature, temperatures[row] != lastTemperature {
        lastTemperature = temperatures[row]
        temperature.set(value(temperatures[row], of: 6), at: ROSMessages.temperaturePlace)
        temperature.set(tick, stamp)
        writer.add(temperature.bytes, of: Topic.temperature.rawValue, at: stamp)
      }
      if writer.hasOutput { try sink.write(writer.take()) }
    }
    ledger.sampled += UInt64(rows.count)
  }

  @inline(__always)
  private func value(_ count: Int16, of channel: Int) -> Double {
    values[(channel / 3) << 16 + Int(UInt16(bitPattern: count))]
  }

  mutating func add<Sink: ByteSink & ~Copyable>(_ gap: Gap, at time: Int64, to sink: inout Sink)
    throws(ExportError)
  {
    ledger.add(gap.count, gap.cause)
    let code = gap.code == 0 ? "" : " (errno \(gap.code))"
    let text =
      "\(gap.count) \(gap.count == 1 ? "tick" : "ticks") missing: \(gap.cause.phrase)\(code)"
    try add(
      .gaps, ROSMessages.logContent(.warning, name: "imulog.gap", text), time,
      UInt32(truncatingIfNeeded: gap.firstTick), to: &sink)
  }

  private mutating func add<Sink: ByteSink & ~Copyable>(_ mark: Mark, to sink: inout Sink)
    throws(ExportError)
  {
    try add(
      .marks, ROSMessages.logContent(.info, name: "imulog.mark", mark.label), mark.time,
      UInt32(marks.startIndex), to: &sink)
    marks.removeFirst()
  }

  /// A label's message is at its beginning, or where the export begins. One that a foreign file of labels puts outside of
  /// the recording is at its nearer end: its own time may have no date.
  private mutating func add<Sink: ByteSink & ~Copyable>(
    _ label: RecordingLabel, to sink: inout Sink
  ) throws(ExportError) {
    let (first, last) = reach ?? (0, 0)
    // The last sample stands for the period after it.
    let (end, overflow) = last.addingReportingOverflow(plan.description.rate.periodNanoseconds)
    let time = min(max(label.from, plan.from, first), max(overflow ? last : end, plan.from, first))
    try add(
      .labels, ROSMessages.logContent(.info, name: "imulog.label", "\(label)"), time,
      UInt32(labels.startIndex), to: &sink)
    labels.removeFirst()
  }

  private mutating func add<Sink: ByteSink & ~Copyable>(
    _ topic: Topic, _ content: MCAPRecords, _ time: Int64, _ sequence: UInt32, to sink: inout Sink
  ) throws(ExportError) {
    var message = MCAPMessage(topic.rawValue, content)
    let stamp = try stamp(time)
    message.set(sequence, stamp)
    writer.add(message.bytes, of: topic.rawValue, at: stamp)
    if writer.hasOutput { try sink.write(writer.take()) }
  }

  /// Writes the marks after the last sample, the account, and the file's summary.
  mutating func finish<Sink: ByteSink & ~Copyable>(
    _ report: Exporter.Report, to sink: inout Sink
  ) throws(ExportError) {
    while let mark = marks.first { try add(mark, to: &sink) }
    while let label = labels.first { try add(label, to: &sink) }
    let isDated = notes.started != nil || plan.isDatedByItself
    let zero = isDated ? "1970-01-01T00:00:00Z" : "0, for want of a wall clock"
    let account =
      [("times", "nanoseconds from \(zero)"), ("damages", "\(report.damages)")]
      + plan.labels.enumerated().map { ("labels.\($0)", "\($1)") }
      // Their sum is not the schedule's where the log is damaged.
      + ledger.named.dropFirst().map { ("ticks.\($0.name)", "\($0.count)") }
    writer.add(
      metadata: "imulog",
      HeaderFacts(plan, notes).facts + account.map { ("imulog.\($0.0)", $0.1) })
    writer.finish()
    try sink.write(writer.take())
  }

  /// Nanoseconds since 1970 of a time since tick 0's deadline.
  ///
  /// - Throws: Before 1970 and after 2038-01-19T03:14:07Z, where a message's seconds of 32 bits end.
  @inline(__always)
  private func stamp(_ time: Int64) throws(ExportError) -> UInt64 {
    let (stamp, overflow) = time.addingReportingOverflow(notes.started ?? 0)
    guard !overflow, stamp >= 0, stamp < 1 << 31 * 1_000_000_000 else {
      throw .timeNotHeld(at: time, started: notes.started, format: .mcap)
    }
    return UInt64(stamp)
  }
}

/// A message record in memory, of which numbers and values are replaced from one message to the next.
///
///     opcode │ length │ channel │ sequence │ log time │ publish time │ content: 4 bytes │ stamp │ …
private struct MCAPMessage {
  private(set) var bytes: [UInt8]

  private static let contentPlace = 31

  init(_ channel: Int, _ content: MCAPRecords) {
    bytes =
      MCAPRecords(.message) {
        $0.put(UInt16(channel + 1))
        $0.put([UInt8](repeating: 0, count: 20))
        $0.put(content)
      }.bytes
  }

  /// Replaces a value at a place of the content.
  @inline(__always)
  mutating func set(_ value: Double, at place: Int) {
    set(value.bitPattern, MCAPMessage.contentPlace + place)
  }

  /// Replaces the message's number and its times.
  @inline(__always)
  mutating func set(_ sequence: UInt32, _ time: UInt64) {
    let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
    let stampPlace = MCAPMessage.contentPlace + ROSMessages.stampPlace
    set(sequence, 11)
    set(time, 15)
    set(time, 23)
    set(UInt32(truncatingIfNeeded: seconds), stampPlace)
    set(UInt32(truncatingIfNeeded: rest), stampPlace + 4)
  }

  @inline(__always)
  private mutating func set(_ value: some FixedWidthInteger & BitwiseCopyable, _ place: Int) {
    precondition(place + MemoryLayout.size(ofValue: value) <= bytes.count)
    // Safe: the value is within the array, as was checked.
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: value.littleEndian, toByteOffset: place, as: type(of: value))
    }
  }
}
