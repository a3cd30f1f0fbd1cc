// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The samples of a table in the order of their times; those that share a time stay in the order of the file.
struct SortedRows {
  private var items: [(time: Int64, number: UInt32, sample: RawSample)] = []
  private var index = 0

  /// The most rows, which have 128 MB.
  private static var most: UInt64 { 4_000_000 }

  init(rows: UInt64, _ name: String) throws(ImportError) {
    guard rows <= SortedRows.most else {
      throw ImportError(
        name, "has \(rows) rows, and --sort holds \(SortedRows.most) in memory",
        remedy: "put them in order before, as by sort -t, -g -k1,1")
    }
    items.reserveCapacity(Int(rows))
  }

  /// Adds a sample; gaps of the file are left out, since what they stand between changes.
  mutating func add(_ item: Item) {
    guard item.row.gap == nil else { return }
    items.append((item.row.time, UInt32(items.count), item.sample))
  }

  /// Puts them in order.
  mutating func sort() {
    items.sort { ($0.time, $0.number) < ($1.time, $1.number) }
  }

  mutating func rewind() { index = 0 }

  mutating func next() -> Item? {
    guard index < items.count else { return nil }
    defer { index += 1 }
    return Item(row: Row(time: items[index].time), sample: items[index].sample)
  }
}
