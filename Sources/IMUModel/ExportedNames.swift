// SPDX-License-Identifier: Apache-2.0

/// Names of columns that exports write, and imports know, beside the time and the channels.
package enum ExportedNames {
  /// The earliest and the latest instant of a sample.
  package static let bounds = ["t_lo_ns", "t_hi_ns"]
  /// The label that covers a sample.
  package static let label = "label"
  /// The cause of a gap, and the number of its ticks.
  package static let gaps = ["gap", "gap_ticks"]
  /// The orientation, and the acceleration without gravity.
  package static let derived = ["qw", "qx", "qy", "qz", "lx", "ly", "lz"]
}
