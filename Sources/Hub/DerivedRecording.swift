// SPDX-License-Identifier: Apache-2.0

import Analysis
import Export
import IMUModel
import LogFormat
import LogStore
import Text

/// The files that are derived from a recording, and its row of `recordings`.
struct DerivedRecording {
  let row: RecordingRow
  /// The UTC date of its beginning, the name of the folder.
  let date: String
  /// In the order of ``HubTable/all``.
  let byteCounts: [UInt64]

  /// Makes what `write` writes, under a name of its own, or compares it with the file at its place; returns its length.
  typealias Make = (
    _ name: String, _ place: String, _ write: (inout BufferedSink) throws(ExportError) -> Void
  ) throws -> UInt64

  /// - Parameter calibration: Replaces the header's if it is of the same sensor model.
  init(
    _ entry: CatalogueEntry, _ id: RecordingID, of host: HubHost, in hub: HubDirectory,
    _ catalogue: Catalogue, _ proof: HostLedger.Proof, _ labels: LabelList,
    _ calibration: SensorCalibration?, make: Make
  ) throws {
    var reader = try catalogue.reader(of: entry)
    guard reader.description.id == id else { throw HubError.changed(path: entry.path) }
    let account = try reader.account(ofSamples: true)
    // An implausible one is ignored, and does not keep the recording out.
    let chosen =
      calibration?.sensor == account.description.sensor.model
      ? calibration : account.description.calibration.flatMap { $0.implausible == nil ? $0 : nil }
    let own = chosen?.limited(to: account.description.channels)
    date = String(
      RFC3339.text(nanoseconds: account.clock?.wallAtStart ?? 0).prefix { $0 != "T" })
    var facts = DerivationFacts(account: account, labels: labels, calibration: own)
    var files: [(path: String, byteCount: UInt64)] = []
    for table in HubTable.all {
      let place = hub.place(table, of: id, host: host.name, date: date)
      var log = try catalogue.reader(of: entry)
      let length = try make("\(host.name).\(table.name)", place) { sink throws(ExportError) in
        try table.write(&log, &facts, &sink)
      }
      files.append((place, length))
    }
    byteCounts = files.map(\.byteCount)
    row = RecordingRow(
      RowFacts(
        account: account, labels: labels, calibration: own, host: host, proof: proof, files: files),
      facts.levels)
  }

  static func makeTable(
    _ rows: [RecordingID: [UInt8]], of host: String, in hub: HubDirectory, make: Make
  ) throws -> UInt64 {
    let all = try rows.map { id, json in
      guard let row = RecordingRow(json: json) else {
        throw
          (CommandFailure(
            .damagedData,
            "\(hub.path(.rows, of: host)) has unreadable rows: delete it, and the next round makes it again"
          ))
      }
      return (id: id.description, row: row)
    }
    return try make("\(host).recordings", hub.table(of: host)) { sink throws(ExportError) in
      var table = try FlatTable(RecordingRow.columns.map { ($0.name, $0.kind) }, to: &sink)
      for (_, row) in all.sorted(by: { ($0.row.started, $0.id) < ($1.row.started, $1.id) }) {
        try table.add(row.values, to: &sink)
      }
      try table.finish(to: &sink)
    }
  }
}
