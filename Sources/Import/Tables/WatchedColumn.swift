// SPDX-License-Identifier: Apache-2.0

import Text

/// A column that is not read, but whose cells would show that rows are not what they are imported as.
struct WatchedColumn {
  /// What its cells must keep of the first rows.
  enum Rule {
    /// One value: it tells one sensor from another.
    case value
    /// No word for a sum: a spreadsheet writes `Mean` below the rows, beside values that were never sampled.
    case rows
    /// One more in each row: nothing else shows that one is missing among rows without times.
    case count

    /// A clause for `--explain`.
    var reason: String {
      switch self {
      case .value: "it names the sensor, and must have one value"
      case .rows: "--columns does not name it"
      case .count: "it counts rows, and must not leave one out"
      }
    }
  }

  /// What spreadsheets write beside the mean, the spread, the ends and the sum of rows, without marks.
  private static let sums: Set<String> = [
    "mean", "average", "avg", "mittelwert", "moyenne", "media", "promedio", "sd", "std", "stdev",
    "stddev", "var", "variance", "median", "min", "minimum", "max", "maximum", "sum", "summe",
    "total", "rms",
  ]

  private let rule: Rule
  /// The cell before, or the only value.
  private var known: [UInt8]?

  init(_ rule: Rule) { self.rule = rule }

  /// Forgets the count, where another recording begins.
  mutating func restart() {
    if rule == .count { known = nil }
  }

  /// Takes the next row's cell, without quotes and blanks around it.
  mutating func take(_ cell: UnsafeRawBufferPointer) throws(FieldError) {
    switch rule {
    case .rows:
      // Of others, only short words are looked at.
      guard let first = cell.first, first | 0x20 >= UInt8(ascii: "a"), 2...12 ~= cell.count,
        WatchedColumn.sums.contains(
          String(decoding: cell, as: UTF8.self).lowercased().filter(\.isLetter))
      else { return }
      throw FieldError(
        problem: "\"\(FieldText.shown(cell))\" may mean that the row sums up others",
        remedy: "take the row out, or take all with --anyway")
    case .value:
      guard let known else {
        self.known = Array(cell)
        return
      }
      guard !cell.elementsEqual(known) else { return }
      throw FieldError(
        problem:
          "its value changes, \"\(shown(known))\", \"\(FieldText.shown(cell))\": the rows may be of several sensors, units or ranges",
        remedy:
          "import the rows of each value as a table of their own, or take all with --anyway")
    case .count:
      defer { known = Array(cell) }
      guard let known, let last = known.withUnsafeBytes({ count($0) }) else { return }
      // A counter of four bits or more may begin with 0 again.
      let (next, isEnd) = (last &+ 1, last >= 15 && last & (last &+ 1) == 0)
      let found = count(cell)
      guard found != next, !isEnd || found != 0 else { return }
      throw FieldError(
        problem:
          "\"\(FieldText.shown(cell))\" follows \(shown(known)), and rows without times are taken for consecutive ones",
        remedy:
          "import the rows before and after it as tables of their own, or take all with --anyway")
    }
  }

  private func shown(_ cell: [UInt8]) -> String { cell.withUnsafeBytes { FieldText.shown($0) } }

  /// A whole number, 0 to 10^18; `nil` for others.
  private func count(_ cell: UnsafeRawBufferPointer) -> Int64? {
    guard case .number(let number) = DecimalField(cell), let whole = number.whole(tenTo: 0),
      !whole.isRounded
    else { return nil }
    return whole.value
  }
}
