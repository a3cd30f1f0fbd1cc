// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

extension Exporter {
  /// Writes a file as an Axivity AX6 does, or an AX3 for an accelerometer alone: for OmGui, GGIR, actipy and
  /// scikit-digital-health.
  ///
  /// A first pass measures what the header says, a second one writes. What the format cannot hold exactly is in the remarks.
  func writeCWA<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try evenPlan(&reader, units: .raw)
    let log = plan.description
    let hasGyroscope = plan.channels.contains { (3...5).contains($0) }
    guard [0, 1, 2].allSatisfy(plan.channels.contains),
      !hasGyroscope || [3, 4, 5].allSatisfy(plan.channels.contains)
    else {
      throw .accelerometerNeeded(
        .cwa, exported: plan.channels.map { ChannelSet.names[$0] }.joined(separator: ", "))
    }
    guard let layout = CWALayout(plan) else {
      throw .rateNotHeld(log.rate, held: CWALayout.rates.map(\.rate), format: .cwa)
    }
    let notes = try notes(&reader, of: plan)
    let zone = CWAZone(plan, notes)
    var measured = CWASectors(layout, plan, origin: zone.origin, started: notes.started)
    _ = try runSamples(plan, &measured, &reader, to: &sink)
    try measured.finish(to: &sink)
    guard let firstSecond = measured.firstSecond else { throw .noSamples(.cwa) }
    let scales = try cwaScales(log.sensor, hasGyroscope, measured.extremes)

    let annotation = CWALayout.annotation([
      ("_n", log.note),
      (
        "_co",
        "imulog \(log.id)"
          + (measured.filledCount > 0 ? ", \(measured.filledCount) rows filled" : "")
          + (zone.name.map { ", times of UTC\($0)" } ?? ", no date")
      ),
    ])
    try sink.write(
      layout.header(
        session: log.number, firstSecond: firstSecond, gyroscope: scales.gyroscope, annotation))
    var sectors = CWASectors(
      layout, plan, origin: zone.origin, started: notes.started, scales: scales)
    var report = try runSamples(plan, &sectors, &reader, to: &sink)
    try sectors.finish(to: &sink)
    report.remarks += cwaRemarks(measured, scales, zone, hasMarks: notes.markCount > 0, layout)
    return report
  }

  private func cwaScales(
    _ sensor: SensorDescription, _ hasGyroscope: Bool, _ extremes: [ClosedRange<Int>]
  ) throws(ExportError) -> CWALayout.Scales {
    guard sensor.accelerometerScale.numerator > 0 else {
      throw .unusableScale(channels: "the accelerometer", scale: sensor.accelerometerScale)
    }
    guard
      let accelerometer = CWAScale(
        ofAccelerometer: sensor.accelerometerScale, counts: extremes[0])
    else { throw .valuesNotHeld("accelerations", limit: "16 g", format: .cwa) }
    guard hasGyroscope else {
      return CWALayout.Scales(accelerometer: accelerometer, gyroscope: nil)
    }
    guard sensor.gyroscopeScale.numerator > 0 else {
      throw .unusableScale(channels: "the gyroscope", scale: sensor.gyroscopeScale)
    }
    guard let gyroscope = CWAScale(ofGyroscope: sensor.gyroscopeScale, counts: extremes[1]) else {
      throw .valuesNotHeld("angular rates", limit: "4000 deg/s", format: .cwa)
    }
    return CWALayout.Scales(accelerometer: accelerometer, gyroscope: gyroscope)
  }

  /// What is not exact, and what is left out.
  private func cwaRemarks(
    _ sectors: CWASectors, _ scales: CWALayout.Scales, _ zone: CWAZone, hasMarks: Bool,
    _ layout: CWALayout
  ) -> [String] {
    var remarks: [String] = []
    if let remark = displacement(sectors.displacement) { remarks.append(remark) }
    if sectors.filledCount > 0 {
      let rows = sectors.filledCount == 1 ? "1 row repeats" : "\(sectors.filledCount) rows repeat"
      remarks.append(
        "\(rows) the sample before: in gaps below a second, and where a sector of "
          + "\(layout.rowsInSector) rows is not full")
    }
    let rounded =
      (scales.accelerometer.isExact ? [] : ["1/\(1 << (8 + Int(scales.accelerometer.code))) g"])
      + (scales.gyroscope.map { $0.isExact ? [] : ["\(8000 >> $0.code)/32768 deg/s"] } ?? [])
    if !rounded.isEmpty {
      remarks.append("values are rounded to \(rounded.joined(separator: " and "))")
    }
    if layout.sensor == nil {
      remarks.append("there is no temperature, which readers show as -50 degrees Celsius")
    }
    remarks.append(
      zone.name.map { "times are local ones, of UTC\($0), as the format's are" }
        ?? "the recording has no date: its times begin in the year 2000")
    if hasMarks { remarks.append("the marks are left out: cwa has no place for them") }
    return remarks
  }
}

/// The local time of a file: that of the machine's zone at the recording's beginning, which stays so.
private struct CWAZone {
  /// Nanoseconds from 2000-01-01 of the local time to the recording's zero.
  let origin: Int64
  /// Hours and minutes ahead of UTC; `nil` where nothing dates the recording.
  let name: String?

  init(_ plan: ExportPlan, _ notes: RecordingNotes) {
    let unit: Int64 = 1_000_000_000
    guard let started = notes.started ?? (plan.isDatedByItself ? 0 : nil) else {
      (origin, name) = (0, nil)
      return
    }
    let offset = DateText.offset(at: (started == 0 ? plan.zero : started) / unit)
    let (sum, overflow) = started.addingReportingOverflow((offset - CWALayout.epoch) * unit)
    (origin, name) = (overflow ? .max : sum, DateText.zone(offset))
  }
}
