// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

extension Exporter {
  /// Writes a file as an Axivity AX6 does, or an AX3 for an accelerometer alone: for OmGui, GGIR, actipy and
  /// scikit-digital-health.
  ///
  /// A first pass measures what the header says, a second one writes. A rate that the format does not have becomes one that
  /// it has; see ``EvenRatePass``. This, and what the format cannot hold exactly, is in the remarks, and in short in the
  /// file's annotation.
  func writeCWA<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try evenPlan(&reader)
    let log = plan.description
    let channels = Set(plan.channels)
    let gyroscope = channels.intersection(3...5)
    guard channels.isSuperset(of: 0...2), gyroscope.isEmpty || gyroscope.count == 3 else {
      throw .refused(
        "cwa needs x, y and z of the accelerometer, and all or none of the gyroscope; the export would have "
          + plan.columnNames.joined(separator: ", "),
        remedy: "choose others with --channels, or another --format")
    }
    guard let layout = CWALayout(plan) else {
      let held = CWALayout.rates.map { Plain.hertz($0.rate) }.joined(separator: ", ")
      throw .refused(
        "cwa has no rate of \(Plain.hertz(log.rate)) Hz, but \(held)",
        remedy: "record with one of these as --rate, or choose another --format")
    }
    let notes = try notes(&reader, of: plan)
    let shift = try undatedShift(&reader, plan, notes)
    let zone = CWAZone(plan, notes, shift: shift)
    let rows = EvenRows(
      rate: layout.rate, origin: zone.origin, limit: CWALayout.timeLimit, started: notes.started,
      format: .cwa)
    let other = layout.isResampled ? rows : nil
    try EvenRatePass(plan, rows).refuseTooMany(&reader)
    var measured = CWASectors(plan, layout, rows)
    _ = try runSamples(plan, &measured, at: other, &reader, to: &sink)
    try measured.finish(to: &sink)
    guard let firstSecond = measured.firstSecond else { throw .noSamples(.cwa) }
    let (sensor, counts) = (log.sensor, measured.extremes)
    let scales = (
      accelerometer: try CWAScale(of: sensor, ofChannel: 0, counts: counts[0]),
      gyroscope: layout.hasGyroscope
        ? try CWAScale(of: sensor, ofChannel: 3, counts: counts[1]) : nil
    )

    var facts: [String] = []
    if layout.isResampled {
      let method = ResamplingKernel.method(from: log.rate.hertz, to: layout.rate.hertz)
      facts.append("resampled from \(Plain.hertz(log.rate)) Hz by \(method)")
    }
    if measured.filledCount > 0 { facts.append("\(measured.filledCount) rows filled") }
    let annotation = CWAAnnotation(plan, notes, zone, facts: facts)
    try sink.write(layout.header(firstSecond: firstSecond, scales, annotation.bytes))
    var sectors = CWASectors(plan, layout, rows, scales)
    var report = try runSamples(plan, &sectors, at: other, &reader, to: &sink)
    try sectors.finish(to: &sink)
    report.remarks += cwaRemarks(measured, scales, zone, layout) + annotation.leftOut
    return report
  }

  private func cwaRemarks(
    _ sectors: CWASectors, _ scales: CWALayout.Scales, _ zone: CWAZone, _ layout: CWALayout
  ) -> [String] {
    var remarks = displacement(sectors.displacement)
    if sectors.filledCount > 0 {
      remarks.append(
        Plain.count(sectors.filledCount, "row repeats", "rows repeat")
          + " the sample before: in gaps below a second, and where a sector of "
          + "\(layout.rowsInSector) rows is not full")
    }
    let rounded =
      (scales.accelerometer.isExact ? [] : ["1/\(1 << (8 + Int(scales.accelerometer.code))) g"])
      + (scales.gyroscope.map { $0.isExact ? [] : ["\(8000 >> $0.code)/32768 deg/s"] } ?? [])
    if !rounded.isEmpty {
      remarks.append("values are rounded to \(rounded.joined(separator: " and "))")
    }
    if layout.rate.hertz > 1000 {
      remarks.append(
        "at \(Plain.hertz(layout.rate)) Hz actipy leaves out rows: its times are whole milliseconds"
      )
    }
    if layout.sensor == nil {
      remarks.append("there is no temperature, which readers show as -50 degrees Celsius")
    }
    let added = zone.origin == 0 ? "" : ", with \(Plain.seconds(zone.origin)) added to them"
    remarks.append(
      zone.name.map { "times are local ones, of UTC\($0), as the format's are" }
        ?? "the recording has no date: its times begin in the year 2000\(added)")
    return remarks
  }
}
