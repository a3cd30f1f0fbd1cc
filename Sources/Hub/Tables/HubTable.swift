// SPDX-License-Identifier: Apache-2.0

import Analysis
import Export
import IMUModel
import LogStore

/// A table with a file a recording: `DIR/NAME/host=HOST/date=DATE/UUID.parquet`.
///
/// Deriving, verifying, listing and removing run over ``all``; the table `recordings` has the columns `NAME_bytes` and
/// `NAME_path` of each.
struct HubTable: Sendable {
  let name: String
  /// Writes a recording's file, from a reader at the log's beginning.
  let write:
    @Sendable (_ log: inout LogReader<FileStorage>, inout DerivationFacts, inout BufferedSink)
      throws(ExportError) -> Void

  /// All tables; lines of ``HostRows`` have the lengths of their files in this order.
  static let all: [HubTable] = [.samples, .features]
}

/// What the tables of a recording are written from.
struct DerivationFacts {
  let account: Account
  let labels: LabelList
  /// Limited to its channels.
  let calibration: SensorCalibration?
  /// The motion's levels, which `features` measures.
  var levels = SecondLevels()
}
