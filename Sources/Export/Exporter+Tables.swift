// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

// Formats of one row of text a sample.

extension Exporter {
  func recordLayout(_ plan: ExportPlan) -> RowLayout {
    func key(_ name: String) -> String { ",\"\(name)\":" }
    let (label, bounds) = (key(ExportedNames.label), ExportedNames.bounds.map(key))
    return RowLayout(
      prefix: "{\"\(plan.timeName)\":", time: TimeForm(origin: options.takeDelay ?? 0),
      bounds: options.hasUncertainty
        ? (earliest: bounds[0], latest: bounds[1], unknown: "null") : nil,
      boundDelay: options.takeDelay ?? 0,
      keys: plan.columnNames.map(key), derivedKeys: plan.derivedColumns.map { key($0.name) },
      derivedUnknown: plan.derivedColumns.map { $0.isOptional ? "" : key($0.name) + "null" },
      labels: options.hasLabels
        ? LabelColumn(plan.labels, prefix: label + "\"", suffix: "\"", empty: label + "null") : nil,
      suffix: "}\n")
  }

  /// The layout of CSV, and its header line.
  ///
  /// - Parameter started: Nanoseconds since 1970 at tick 0's deadline, for dates.
  func tableLayout(_ plan: ExportPlan, started: Int64?) -> (header: [UInt8], layout: RowLayout) {
    func named(_ name: String, _ suffix: String) -> String {
      options.hasUnitNames && !suffix.isEmpty ? "\(name)_\(suffix)" : name
    }
    let gaps: [String] = options.gaps == .rows ? ExportedNames.gaps : []
    let bounds: [String] = options.hasUncertainty ? ExportedNames.bounds : []
    let values: [String] = plan.channels.map {
      named(ChannelSet.names[$0], plan.unit(ofChannel: $0).suffix)
    }
    let derived: [String] = plan.derivedColumns.map { named($0.name, $0.suffix) }
    var names: [String] = [options.time?.name ?? plan.timeName]
    names += bounds + values + derived
    if options.hasLabels { names.append(ExportedNames.label) }
    names += gaps
    let origin = options.time?.isDate == true ? started ?? 0 : options.takeDelay ?? 0
    let layout = RowLayout(
      time: TimeForm(kind: options.time, origin: origin, started: started),
      bounds: bounds.isEmpty ? nil : (earliest: ",", latest: ",", unknown: ""),
      boundDelay: options.takeDelay ?? 0,
      keys: Array(repeating: ",", count: values.count),
      derivedKeys: Array(repeating: ",", count: derived.count),
      derivedUnknown: Array(repeating: ",", count: derived.count),
      labels: options.hasLabels
        ? LabelColumn(plan.labels, prefix: ",\"", suffix: "\"", empty: ",") : nil,
      suffix: gaps.isEmpty ? "\n" : ",,\n")
    return (Array((names.joined(separator: ",") + "\n").utf8), layout)
  }

  /// NDJSON: flat records, one a line.
  func writeRecords<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader)
    return try writeRows(plan, recordLayout(plan), gaps: .members, &reader, to: &sink)
  }

  /// Writes samples as rows, and gaps where they are to have some; says what rows leave out.
  private func writeRows<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, _ layout: RowLayout, gaps: TextRows.Gaps,
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    var report = try writeRows(
      plan, layout, opening: nil, gaps: options.gaps == .rows ? gaps : .leaveOut, &reader, to: &sink
    )
    report.remarks += leftOut(labels: 0, marks: report.marks)
    if !options.hasLabels, !plan.labels.isEmpty {
      let labels = Plain.count(plan.labels.count, "label is", "labels are")
      report.remarks.append("\(labels) left out: `imulog export --labels` has a column of them")
    }
    return report
  }

  /// CSV: one header line, and comments before it only where they are asked for.
  func writeTable<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader)
    var notes: RecordingNotes?
    if options.time?.isDate == true || options.hasPreamble {
      notes = try self.notes(&reader, of: plan)
    }
    let started = plan.started(notes?.clock)
    if let time = options.time, time.isDate, started == nil {
      throw .refused(
        "--time \(time.rawValue) needs the date of the recording, and its log has no reading of a wall clock",
        remedy: "leave it out; \"--time seconds\" counts from the first scheduled tick")
    }
    if options.hasPreamble, let notes {
      let lines = HeaderFacts(plan, notes).facts.map { fact in
        "# \(fact.name): \(EscapedLine.line(fact.text))\n"
      }
      try sink.write(lines.joined())
    }
    let (header, layout) = tableLayout(plan, started: started)
    try sink.write(header)
    let empty = layout.keys.count + layout.derivedKeys.count + (layout.bounds == nil ? 0 : 2)
    return try writeRows(plan, layout, gaps: .cells(empty: empty), &reader, to: &sink)
  }

  /// What dates the recording, and the marks in the plan's range.
  ///
  /// - Parameter hasField: Whether the magnetometer's values are wanted, too.
  func notes<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, of plan: ExportPlan, hasField: Bool = false
  ) throws(ExportError) -> RecordingNotes {
    let notes: RecordingNotes
    do {
      let limit = hasField ? FieldRows.limit + 1 : 0
      notes = try reader.notes(fieldLimit: limit) { plan.contains($0) }
    } catch {
      throw .log(error)
    }
    guard notes.field.count <= FieldRows.limit else {
      throw .refused(
        "it has over \(FieldRows.limit) values of a magnetometer", remedy: ExportError.choosePart)
    }
    return notes
  }

  /// Gyroflow's table: counts, the gyroscope first, with their scales in the header.
  ///
  ///     GYROFLOW IMU LOG
  ///     version,1.3
  ///     …
  ///     t,gx,gy,gz,ax,ay,az
  ///     0,1,-2,…
  ///
  /// Readers recognise the file by its first 500 bytes, and end a value at a comma, so texts are short, and ASCII without
  /// commas. Times are nanoseconds; readers count from the first.
  func writeGCSV<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try gyroscopePlan(reader.description, units: .raw)
    let log = plan.description
    guard log.sensor.gyroscopeScale.numerator != 0 else {
      throw .unusableScale(ofChannel: 3, log.sensor)
    }
    let notes = try notes(&reader, of: plan)
    var lines = ["GYROFLOW IMU LOG", "version,1.3"]
    func add(_ name: String, _ text: String, limit: Int = 40) {
      let word = Exporter.gcsvWord(text, limit: limit)
      if !word.isEmpty { lines.append("\(name),\(word)") }
    }
    add("id", log.sensor.model)
    lines.append("orientation,XYZ")
    add("note", log.note, limit: 80)
    add("fwversion", log.software)
    let second: Int64 = 1_000_000_000
    let started = notes.started.map { Int64.floored($0, by: second) }
    if let started { lines.append("timestamp,\(started.whole)") }
    lines.append("vendor,imulog")
    lines.append("tscale,1e-9")
    let scale = log.sensor.gyroscopeScale
    lines.append("gscale,\(.pi * Double(scale.numerator) / (180 * Double(scale.denominator)))")
    if plan.channels.count == 6 {
      lines.append("ascale,\(log.sensor.accelerometerScale.value)")
    }
    lines.append((["t"] + plan.columnNames).joined(separator: ","))
    try sink.write(lines.joined(separator: "\n") + "\n")
    let layout = RowLayout(keys: plan.channels.map { _ in "," }, suffix: "\n")
    var report = try writeRows(plan, layout, &reader, to: &sink)
    if let started, started.rest != 0 {
      let date = RFC3339.text(second: started.whole) + "Z"
      report.remarks.append(
        "its date is cut to a whole second, \(date): gcsv has no fractions of one")
    }
    if Exporter.gcsvWord(log.note, limit: 80) != log.note {
      report.remarks.append(
        "its note is not whole in it: gcsv has room for 80 characters of ASCII, without commas and quotes"
      )
    }
    report.remarks += leftOut(labels: plan.labels.count, marks: notes.markCount)
    return report
  }

  /// Kalibr's table: rad/s, then m/s², at nanoseconds since 1970.
  ///
  /// Kalibr reads the last nine digits of a time as the decimals of a second, and needs one more before them.
  func writeKalibr<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try gyroscopePlan(reader.description, units: .si).on(reader.origin())
    guard plan.channels.count == 6 else {
      throw .sensorNeeded(.accel, .kalibr, recorded: reader.description.channels)
    }
    let notes = try notes(&reader, of: plan)
    // A date must not become another one; times without a date may.
    let (started, second) = (plan.started(notes.clock), 1_000_000_000 as Int64)
    let shift = try undatedShift(&reader, plan, notes, atLeast: second)
    if let started, let first = try reader.firstSample(in: plan)?.time {
      let (begin, overflow) = first.addingReportingOverflow(started)
      guard !overflow, begin >= second else {
        throw .timeNotHeld(at: first, started: notes.started, format: .kalibr)
      }
    }
    try sink.write("timestamp,omega_x,omega_y,omega_z,alpha_x,alpha_y,alpha_z\n")
    let layout = RowLayout(
      time: TimeForm(origin: started ?? shift, started: notes.started, format: .kalibr),
      keys: plan.channels.map { _ in "," }, suffix: "\n")
    var report = try writeRows(plan, layout, &reader, to: &sink)
    report.remarks += try dateRemarks(&reader, plan, notes, shift: shift)
    report.remarks += leftOut(labels: plan.labels.count, marks: notes.markCount)
    return report
  }

  /// The plan of a format that has one choice of units, and the gyroscope's columns first.
  private func gyroscopePlan(
    _ description: RecordingDescription, units: ExportUnits
  ) throws(ExportError) -> ExportPlan {
    let asked = options.channels ?? .both
    let channels = description.channels
    guard channels.isSuperset(of: .gyroscope), asked != .accel else {
      throw .sensorNeeded(.gyro, options.format, recorded: channels)
    }
    var mask = asked.mask
    // Half an accelerometer would shift the columns.
    if !channels.isSuperset(of: .accelerometer) { mask = .gyroscope }
    return try ExportPlan(options, description, mask: mask, units: units).gyroscopeFirst()
  }

  private static func gcsvWord(_ text: String, limit: Int) -> String {
    let bytes = text.utf8.prefix(limit).map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: ","): UInt8(ascii: ";")
      case UInt8(ascii: "\""), ..<0x20, 0x7f...: UInt8(ascii: " ")
      default: byte
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
