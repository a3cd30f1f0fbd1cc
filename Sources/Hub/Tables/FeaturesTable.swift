// SPDX-License-Identifier: Apache-2.0

import Export

extension HubTable {
  static let features = HubTable(name: "features") {
    log, facts, sink throws(ExportError) in
    facts.levels = try Exporter.writeFeatures(
      of: &log, labels: facts.labels.labels, calibration: facts.calibration, to: &sink)
  }
}
