// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

extension Exporter {
  /// Writes a file as an Axivity AX6 does, or an AX3 for an accelerometer alone: for OmGui, GGIR, actipy and
  /// scikit-digital-health.
  ///
  /// A first pass measures what the header says, a second one writes. A rate that the format does not have becomes one that
  /// it has; see ``CWARatePass``. This, and what the format cannot hold exactly, is in the remarks, and in short in the
  /// file's annotation.
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
    _ = try runCWA(plan, &measured, &reader, to: &sink)
    try measured.finish(to: &sink)
    guard let firstSecond = measured.firstSecond else { throw .noSamples(.cwa) }
    let scales = try cwaScales(log.sensor, hasGyroscope, measured.extremes)

    let words = CWAWords(plan, layout, notes, zone)
    let (annotation, itemCount) = CWALayout.annotation(
      note: log.note, facts: words.facts(filledCount: measured.filledCount), items: words.items)
    try sink.write(
      layout.header(
        session: log.number, firstSecond: firstSecond, gyroscope: scales.gyroscope, annotation))
    var sectors = CWASectors(
      layout, plan, origin: zone.origin, started: notes.started, scales: scales)
    var report = try runCWA(plan, &sectors, &reader, to: &sink)
    try sectors.finish(to: &sink)
    report.remarks += cwaRemarks(measured, scales, zone, layout)
    if let remark = words.leftOut(itemCount, notes.markCount) { report.remarks.append(remark) }
    return report
  }

  /// Gives the samples to the format, or those of its rate.
  private func runCWA<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, _ sectors: inout CWASectors, _ reader: inout LogReader<Storage>,
    to sink: inout Sink
  ) throws(ExportError) -> Report {
    let layout = sectors.layout
    guard layout.isResampled else { return try runSamples(plan, &sectors, &reader, to: &sink) }
    try reader.begin(plan)
    var block = SampleBlock()
    var pass = CWARatePass(plan, layout, origin: sectors.origin, started: sectors.started)
    var report = try pass.run(&reader) { (row, time, counts) throws(ExportError) in
      block.append(tick: row, time: time, sample: Exporter.rounded(counts))
      guard block.count == SampleBlock.capacity else { return }
      try sectors.add(0..<block.count, of: block, nil, to: &sink)
      block.removeAll()
    }
    if !block.isEmpty { try sectors.add(0..<block.count, of: block, nil, to: &sink) }
    report.remarks.append(
      "the values are resampled from \(Plain.hertz(plan.description.rate)) to "
        + "\(Plain.hertz(layout.rate)) Hz, a rate of cwa, by \(CWAWords.method(plan, layout))")
    if pass.sameTimes > 0 {
      let samples = pass.sameTimes == 1 ? "1 sample is" : "\(pass.sameTimes) samples are"
      report.remarks.append("\(samples) left out, at the time of the one before")
    }
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
    _ sectors: CWASectors, _ scales: CWALayout.Scales, _ zone: CWAZone, _ layout: CWALayout
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
    return remarks
  }
}
