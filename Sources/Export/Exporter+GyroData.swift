// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

extension Exporter {
  /// Writes the phone app's document: one sensor, accelerations in g or rates in rad/s, no times.
  ///
  ///     {"identifier":UUID,"dataType":0|1,"coordinateList":[{"x":…,"y":…,"z":…},…],
  ///      "date":seconds from 2001-01-01 to the last sample,"duration":scheduled seconds}
  ///
  /// Ticks without a sample between two samples are refused unless the options name a fill; of a damaged log they are
  /// left out. `date` is absent when the log has no clock pair or no sample, as in the app's own documents.
  func writeGyroData<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let description = reader.description
    let sensor = try phoneSensor(description.channels)
    let plan = try ExportPlan(
      options, description, mask: sensor.mask, units: sensor == .accel ? .gDps : .si)
    let account = try LogAccount(&reader, plan)
    let missing = account.missingTicks
    // A damaged log is exported as far as it can be read, and the report has the damage.
    guard missing == 0 || options.fill != nil || account[.damage].count > 0 else {
      throw .ticksMissing(count: missing, format: .gyrodata)
    }
    let repeated = options.fill == .hold ? missing.addingSaturated(account.ticksAfter) : 0
    let length = account.tally.sampled.addingSaturated(repeated)
    guard repeated == 0 || length <= Exporter.heldLimit else {
      throw .tooLong(samples: length, limit: Exporter.heldLimit, format: .gyrodata)
    }
    let (rate, second) = (description.rate, 1_000_000_000 as Int64)
    // The last row follows the last sample by the distance of their ticks.
    let lastSample = account.sampledTicks?.upperBound ?? 0
    let lastRow = lastSample + (repeated > 0 ? account.ticksAfter : 0)
    let held = rate.nanoseconds(atTick: lastRow) &- rate.nanoseconds(atTick: lastSample)
    var date: Int64?
    // Before anything is written.
    if let started = account.started, let last = account.lastTime {
      let reference = started.subtractingReportingOverflow(ExportedNames.phoneReferenceDate)
      let end = last.addingReportingOverflow(held)
      let sum = reference.partialValue.addingReportingOverflow(end.partialValue)
      guard !reference.overflow, !end.overflow, !sum.overflow else {
        throw .timeNotHeld(at: last, started: started, format: .gyrodata)
      }
      date = sum.partialValue
    }
    var head = JSONWriter()
    head.open("{")
    head.member("identifier", description.id.description.uppercased())
    head.member("dataType", sensor == .accel ? 0 : 1)
    head.key("coordinateList")
    try sink.write(head.bytes)

    let layout = RowLayout(
      prefix: ",{\"x\":", time: nil, keys: ["", ",\"y\":", ",\"z\":"], suffix: "}")
    var rows = TextRows(
      plan, layout, opening: UInt8(ascii: "["), gaps: repeated > 0 ? .hold : .leaveOut)
    var report = try runSamples(plan, &rows, &reader, to: &sink)
    if repeated > 0 { try rows.hold(upTo: lastRow + 1, to: &sink) }
    report.samples = rows.count
    report.damages = account[.damage].count
    report.remarks = remarks(account, description.rate)
    if sensor == .accel, options.channels == nil,
      !description.channels.isDisjoint(with: .gyroscope)
    {
      report.remarks.append(
        "the gyroscope is left out: a file of gyrodata holds one sensor, and `imulog export --channels gyro` writes this one"
      )
    }
    let marks = try notes(&reader, of: plan).markCount
    report.remarks += leftOut(labels: plan.labels.count, marks: marks)

    var tail = JSONWriter()
    tail.number(rows.count == 0 ? "[]" : "]")
    var duration: Int64 = 0
    if let first = rows.first, let last = rows.last {
      if let date { tail.member("date", number: Plain.number(date, per: second)) }
      // From the first row to the end of the last one's period; where the chip keeps the time, by its own rate.
      duration =
        description.clock == .grid
        ? rate.nanoseconds(atTick: last.tick &+ 1) - rate.nanoseconds(atTick: first.tick)
        : last.time &- first.time &+ held &+ rate.periodNanoseconds
    }
    tail.member("duration", number: Plain.number(duration, per: second))
    tail.close("}")
    try sink.write(tail.bytes + [UInt8(ascii: "\n")])
    return report
  }

  /// The most samples, repeated ones included: a gap may have any length.
  static let heldLimit: UInt64 = 100_000_000

  /// Remarks about facts that the document cannot express.
  private func remarks(_ account: LogAccount, _ rate: SampleRate) -> [String] {
    var remarks: [String] = []
    let holds = options.fill == .hold
    let after = holds ? account.ticksAfter : 0
    let missing = account.missingTicks.addingSaturated(after)
    let around = account.ticksAround - min(after, account.ticksAround)
    if rate.hertz != 10 {
      remarks.append(
        "gyrodata has no times: a program that assumes 10 Hz misreads this recording at "
          + "\(Plain.hertz(rate.hertz)) Hz; only its duration shows the rate")
    }
    if around > 0 {
      remarks.append(
        account.tally.sampled == 0
          ? "none of the \(Plain.count(around, "tick")) has a sample: the document is empty"
          : "\(Plain.count(around, "tick")) before the first sample \(holds ? "" : "or after the last one ")"
            + "\(around == 1 ? "has" : "have") none: the document is shorter by that")
    }
    return remarks + missingRemarks(missing)
  }

  private func phoneSensor(_ recorded: ChannelSet) throws(ExportError) -> ExportChannels {
    if options.channels == .both, !recorded.isDisjoint(with: .accelerometer),
      !recorded.isDisjoint(with: .gyroscope)
    {
      throw .refused(
        "gyrodata holds one sensor", remedy: "add --channels accel or --channels gyro")
    }
    var sensor = options.channels ?? .both
    if sensor == .both { sensor = recorded.isDisjoint(with: .accelerometer) ? .gyro : .accel }
    guard !recorded.isDisjoint(with: sensor.mask) else {
      throw .channelsNotRecorded(sensor, recorded: recorded)
    }
    guard recorded.isSuperset(of: sensor.mask) else {
      throw .sensorNeeded(sensor, .gyrodata, recorded: recorded)
    }
    return sensor
  }
}
