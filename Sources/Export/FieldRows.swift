// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import Text

/// Gives each of the magnetometer's values a row: that of the first sample at or after it that has none yet, at most two
/// periods of samples later. Columns say when the chip completed it, which may be well before the row.
struct FieldRows {
  /// µT to 1 nT, as the JSON document has them, and whole times.
  static let columns = ExportedNames.field.enumerated().map { place, name in
    DerivedColumns.Column(
      name: name, unit: place < 3 ? "uT" : "ns", suffix: place < 3 ? "uT" : "",
      decimals: place < 3 ? 3 : 0, isOptional: true)
  }
  private static let none = columns.map { _ in Double.nan }
  /// The most values of an export: 200 MB, a day at 97 Hz.
  static let limit = 1 << 23

  private let log: RecordingDescription
  private var rest: ArraySlice<FieldReading>
  /// Values without a row so far.
  private var left: UInt64

  init(_ notes: RecordingNotes, _ log: RecordingDescription) {
    (self.log, rest, left) = (log, notes.field[...], UInt64(notes.field.count))
  }

  /// The columns of a sample's row; not numbers where they are empty.
  mutating func next(at time: Int64) -> [Double] {
    while let value = rest.first, value.time <= time {
      rest.removeFirst()
      // A double holds whole microseconds for 28 months.
      guard (time - value.time) / 2 <= log.rate.periodNanoseconds,
        let end = Double(exactly: value.time)
      else { continue }
      left -= 1
      return log.microteslas(value) + [end - Double(value.width), end]
    }
    return FieldRows.none
  }

  /// A remark about the values that have no row.
  var remarks: [String] {
    let some = Plain.count(left, "value of the magnetometer has", "values of the magnetometer have")
    return left == 0
      ? [] : ["\(some) no row, for want of a sample soon after: --format json has all"]
  }
}
