// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

extension Exporter {
  /// Nanoseconds from 1970-01-01 to 2001-01-01, the phone's reference date, in UTC.
  package static let phoneReferenceDate: Int64 = 978_307_200_000_000_000

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
    guard missing == 0 || options.fill != nil || account.damages.count > 0 else {
      throw .ticksMissing(count: missing, format: .gyrodata)
    }
    let repeated = options.fill == .hold ? missing.addingSaturated(account.ticksAfter) : 0
    let length = account.ledger.sampled.addingSaturated(repeated)
    guard repeated == 0 || length <= Exporter.heldLimit else {
      throw .tooLong(samples: length, limit: Exporter.heldLimit, format: .gyrodata)
    }
    // Before anything is written.
    if let started = account.started, let last = account.lastTime {
      let (date, overflow) = started.subtractingReportingOverflow(Exporter.phoneReferenceDate)
      guard !overflow, !date.addingReportingOverflow(last).overflow else {
        throw .timeNotHeld(at: last, started: started, format: .gyrodata)
      }
    }
    try reader.begin(plan)

    var head = JSONWriter()
    head.open("{")
    head.member("identifier", description.id.description.uppercased())
    head.member("dataType", sensor == .accel ? 0 : 1)
    head.key("coordinateList")
    try sink.write(head.bytes)

    let layout = RowLayout(
      prefix: ",{\"x\":", time: nil, keys: ["", ",\"y\":", ",\"z\":"], suffix: "}")
    let lastSample = account.sampledTicks?.upperBound ?? 0
    var rows = RowPass(
      plan, layout, opening: UInt8(ascii: "["),
      holdEnd: repeated > 0 ? lastSample + 1 + account.ticksAfter : nil)
    var report = try rows.run(&reader, to: &sink)
    report.damages = account.damages.count
    let notes = try notes(&reader, of: plan)
    report.remarks = remarks(account, description.rate)
    if sensor == .accel, options.channels == nil,
      !description.channels.isDisjoint(with: .gyroscope)
    {
      report.remarks.append(
        "the gyroscope is left out: a file of gyrodata holds one sensor, and `imulog export --channels gyro` writes this one"
      )
    }
    report.remarks += leftOut(labels: plan.labels.count, marks: notes.markCount)

    var tail = JSONWriter()
    tail.number(report.samples == 0 ? "[]" : "]")
    // The last row follows the last sample by the distance of their ticks.
    let rate = description.rate
    let held = rate.nanoseconds(atTick: rows.lastTick) &- rate.nanoseconds(atTick: lastSample)
    if let started = account.started, report.samples > 0 {
      let reference = started.subtractingReportingOverflow(Exporter.phoneReferenceDate)
      let last = rows.lastTime.addingReportingOverflow(held)
      let date = reference.partialValue.addingReportingOverflow(last.partialValue)
      guard !reference.overflow, !last.overflow, !date.overflow else {
        throw .timeNotHeld(at: rows.lastTime, started: started, format: .gyrodata)
      }
      tail.seconds("date", date.partialValue)
    }
    // Where the chip keeps the time, by its own rate.
    let isDated = description.clock != .grid && rows.firstTick != nil
    tail.seconds(
      "duration",
      isDated
        ? rows.lastTime &- rows.firstTime &+ held &+ rate.periodNanoseconds
        : duration(rows.firstTick, rows.lastTick, rate))
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
    if UInt64(rate.numerator) != 10 * UInt64(rate.denominator) {
      remarks.append(
        "gyrodata has no times: a program that assumes 10 Hz misreads this recording at "
          + "\(Plain.hertz(rate.hertz)) Hz; only its duration shows the rate")
    }
    if around > 0 {
      remarks.append(
        account.ledger.sampled == 0
          ? "none of the \(Plain.count(around, "tick")) has a sample: the document is empty"
          : "\(Plain.count(around, "tick")) before the first sample \(holds ? "" : "or after the last one ")"
            + "\(around == 1 ? "has" : "have") none: the document is shorter by that")
    }
    if missing > 0 {
      remarks.append(
        "\(Plain.count(missing, "tick")) without a sample "
          + (holds
            ? "repeat the sample before"
            : "are left out: samples after them come too early"))
    }
    return remarks
  }

  private func phoneSensor(_ recorded: ChannelSet) throws(ExportError) -> ExportChannels {
    if options.channels == .both, !recorded.isDisjoint(with: .accelerometer),
      !recorded.isDisjoint(with: .gyroscope)
    {
      throw .oneSensorOnly
    }
    var sensor = options.channels ?? .both
    if sensor == .both { sensor = recorded.isDisjoint(with: .accelerometer) ? .gyro : .accel }
    guard !recorded.isDisjoint(with: sensor.mask) else {
      throw .channelsNotRecorded(sensor, recorded: recorded)
    }
    guard recorded.isSuperset(of: sensor.mask) else { throw .axesMissing(recorded: recorded) }
    return sensor
  }

  /// From the first tick written to the end of the last one's period.
  private func duration(_ first: UInt64?, _ last: UInt64, _ rate: SampleRate) -> Int64 {
    guard let first else { return 0 }
    return rate.nanoseconds(atTick: last &+ 1) - rate.nanoseconds(atTick: first)
  }
}

extension JSONWriter {
  /// Nanoseconds as decimal seconds, exactly.
  fileprivate mutating func seconds(_ name: String, _ nanoseconds: Int64) {
    member(name, number: Plain.number(nanoseconds, per: 1_000_000_000))
  }
}
