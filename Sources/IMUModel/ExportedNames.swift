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
  /// The magnetic field, and the earliest and the latest instant at which the chip can have completed it.
  package static let field = ["mx", "my", "mz", "m_lo_ns", "m_hi_ns"]
  /// The epoch of the phone apps' documents, 2001-01-01T00:00:00Z, in nanoseconds since 1970.
  package static let phoneReferenceDate: Int64 = 978_307_200_000_000_000
}
