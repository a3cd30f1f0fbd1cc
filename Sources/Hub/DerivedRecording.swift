// SPDX-License-Identifier: Apache-2.0

import Analysis
import Export
import IMUModel
import LogFormat
import LogStore

/// What is derived from one recording: its samples file, its features file, and its row of the table.
struct DerivedRecording {
  let row: RecordingRow
  /// The UTC day of its beginning, which names the folder.
  let date: String
  /// The lengths of the files.
  let samplesByteCount: UInt64
  let featuresByteCount: UInt64

  /// Makes the files, whole and outside of their places.
  ///
  /// - Parameters:
  ///   - id: The recording that the log must be.
  ///   - calibration: Of the host's sensor, in place of the header's; one of another sensor is not used.
  ///   - keep: Receives each file, and its place in the hub; returns its length.
  init(
    _ entry: CatalogueEntry, _ id: RecordingID, of host: HubHost, in hub: HubDirectory,
    _ catalogue: Catalogue, _ proof: HostLedger.Proof, _ labels: LabelList,
    _ calibration: SensorCalibration?,
    keep: (borrowing DerivedFile, _ place: String) throws -> UInt64
  ) throws {
    var reader = try catalogue.reader(of: entry)
    guard reader.description.id == id else { throw HubError.changed(path: entry.path) }
    let account = try reader.account(ofSamples: true)
    // One that no sensor can have must not keep a recording out of a hub.
    let own =
      calibration?.sensor == account.description.sensor.model
      ? calibration : account.description.calibration.flatMap { $0.implausible == nil ? $0 : nil }
    let started = account.clock?.wallAtStart ?? 0
    date = String(RFC3339.text(nanoseconds: started).prefix { $0 != "T" })
    let samples = hub.place(.samples, of: id, host: host.name, date: date)
    samplesByteCount = try DerivedRecording.make("\(host.name).samples", in: hub, samples, keep) {
      sink throws(ExportError) in
      var options = ExportOptions(format: .parquet)
      options.isForHub = true
      _ = try Exporter(options).write(&reader, to: &sink)
    }
    let features = hub.place(.features, of: id, host: host.name, date: date)
    var fresh = try catalogue.reader(of: entry)
    var levels = SecondLevels()
    featuresByteCount = try DerivedRecording.make("\(host.name).features", in: hub, features, keep)
    { sink throws(ExportError) in
      levels = try Exporter.writeFeatures(
        of: &fresh, labels: labels.labels, calibration: own, to: &sink)
    }
    row = RecordingRow(
      account, levels, labels, own, of: host, proof, samples: (samples, samplesByteCount),
      features: (features, featuresByteCount))
  }

  /// Makes the table of a host.
  static func makeTable(
    _ rows: [RecordingID: [UInt8]], of host: String, in hub: HubDirectory,
    keep: (borrowing DerivedFile, _ place: String) throws -> UInt64
  ) throws -> UInt64 {
    let all = try rows.map { id, json in
      guard let row = RecordingRow(json: json) else {
        throw HubError.step(
          CommandFailure(
            .damagedData,
            "\(hub.rows(of: host)) has rows that cannot be read: delete it, and the next round makes it again"
          ))
      }
      return (id: id.description, row: row)
    }
    return try make("\(host).recordings", in: hub, hub.table(of: host), keep) {
      sink throws(ExportError) in
      var table = try FlatTable(RecordingRow.columns, to: &sink)
      for (_, row) in all.sorted(by: { ($0.row.started, $0.id) < ($1.row.started, $1.id) }) {
        try table.add(row.values, to: &sink)
      }
      try table.finish(to: &sink)
    }
  }

  private static func make(
    _ name: String, in hub: HubDirectory, _ place: String,
    _ keep: (borrowing DerivedFile, _ place: String) throws -> UInt64,
    _ write: (inout FileDescriptorSink) throws(ExportError) -> Void
  ) throws -> UInt64 {
    let file = try DerivedFile(name, in: hub)
    var sink = FileDescriptorSink(file.descriptor, name: file.path)
    try write(&sink)
    return try keep(file, place)
  }
}
