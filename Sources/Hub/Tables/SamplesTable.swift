// SPDX-License-Identifier: Apache-2.0

import Export

extension HubTable {
  /// A row a sample. A person who deletes a recording's file here gives up a log that is lost.
  static let samples = HubTable(name: "samples") {
    log, _, sink throws(ExportError) in
    var options = ExportOptions(format: .parquet)
    options.isForHub = true
    _ = try Exporter(options).write(&log, to: &sink)
  }
}
