// SPDX-License-Identifier: Apache-2.0

import Analysis
import Export
import IMUModel
import LogStore

/// A table with a file a recording: `DIR/NAME/host=HOST/date=DATE/UUID.parquet`.
///
/// What derives, verifies, lists and removes goes through ``all``; the table `recordings` has the columns
/// `NAME_bytes` and `NAME_path` of each. Another table is a file beside this one and its name in ``all``.
struct HubTable: Sendable {
  /// The name of its directory.
  let name: String
  /// Writes a recording's file, from a reader at the log's beginning.
  let write:
    @Sendable (_ log: inout LogReader<FileStorage>, inout DerivationFacts, inout BufferedSink)
      throws(ExportError) -> Void

  /// All tables; lines of ``HostRows`` have the lengths of their files in this order.
  static let all: [HubTable] = [.samples, .features]
}

/// What is known of a recording when its files are written.
struct DerivationFacts {
  let account: Account
  let labels: LabelList
  /// The calibration of its channels.
  let calibration: SensorCalibration?
  /// The motion's levels, of the table that measures them.
  var levels = SecondLevels()
}
