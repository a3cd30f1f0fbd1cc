// SPDX-License-Identifier: Apache-2.0

import Text

/// A column that is not read, but whose cells would show that rows are not what they are imported as.
struct WatchedColumn {
  /// What its cells must be.
  enum Rule {
    /// One value: it tells one sensor from another.
    case value
    /// No label of a sum: a spreadsheet writes `Mean` beside values that were never sampled.
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

  private let rule: Rule
  /// The cell before, or the only value.
  private var known: [UInt8]?
  /// Whether the column begins with numbers, and whether numbers came after text.
  private var (beginsWithNumbers, isMixed) = (false, false)
  /// Rows so far that have one text, 0 after a number, and the most before.
  private var (run, longestRun) = (0, 0)
  private var isFirst = true

  init(_ rule: Rule) { self.rule = rule }

  /// Rows with one text that make a column of texts that repeat, and the most rows of sums.
  private static let (longRun, fewRows) = (8, 3)
  /// Words of labels beside the mean, the spread, the ends and the sum of rows.
  private static let sums: Set<String> = [
    "mean", "average", "avg", "mittelwert", "mittel", "durchschnitt", "moyenne", "media", "média",
    "promedio", "gemiddelde", "medel", "sd", "std", "stdev", "stddev", "stabw",
    "standardabweichung", "deviation", "var", "variance", "median", "min", "minimum", "max",
    "maximum", "sum", "summe", "total", "subtotal", "gesamt", "rms", "count",
  ]

  /// Begins anew: before the first row, and for a count where another recording begins.
  mutating func restart(isFirst: Bool) {
    if rule == .count || isFirst && rule == .rows { known = nil }
    guard isFirst else { return }
    (beginsWithNumbers, isMixed, run, longestRun, self.isFirst) = (false, false, 0, 0, true)
  }

  /// Takes a number after others; false after text.
  mutating func takesNumber() -> Bool {
    guard run == 0 else { return false }
    if isFirst { (beginsWithNumbers, isFirst) = (true, false) }
    return true
  }

  /// Takes a number.
  private mutating func takeNumber() throws(FieldError) {
    if isFirst { (beginsWithNumbers, isFirst) = (true, false) }
    guard run > 0 else { return }
    try endRun()
    isMixed = true
  }

  /// Takes the next row's cell, without quotes and blanks around it.
  mutating func take(_ cell: UnsafeRawBufferPointer) throws(FieldError) {
    switch rule {
    case .rows:
      if case .missing = DecimalField(cell) { return try endRun() }
      guard TimeParser.forms(of: cell).isEmpty else { return try takeNumber() }
      isFirst = false
      guard run > 0, let known, cell.elementsEqual(known) else {
        try endRun()
        (known, run) = (Array(cell), 1)
        return
      }
      run += 1
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
      let before = known
      known = Array(cell)
      guard let found = count(cell) else {
        throw FieldError(
          problem: "\"\(FieldText.shown(cell))\" is not a count, as other rows have here",
          remedy: "take the row out, or take all with --anyway")
      }
      guard let before, let last = before.withUnsafeBytes({ count($0) }), found != last &+ 1
      else { return }
      throw FieldError(
        problem:
          "\"\(FieldText.shown(cell))\" follows \(shown(before)), and rows without times are taken for consecutive ones",
        remedy:
          "import the rows before and after it as tables of their own, or take all with --anyway")
    }
  }

  /// After the last row, which has text alone.
  mutating func end() throws(FieldError) {
    let isAlone = run == 1 && longestRun >= WatchedColumn.longRun
    if run > 0, run <= WatchedColumn.fewRows, beginsWithNumbers ? !isMixed : isAlone { throw sum }
    try endRun()
  }

  /// After rows with one text, which are few where it is the label of a sum.
  private mutating func endRun() throws(FieldError) {
    guard run > 0 else { return }
    let words = String(decoding: known ?? [], as: UTF8.self).lowercased().split { !$0.isLetter }
    if run <= WatchedColumn.fewRows,
      words.contains(where: { WatchedColumn.sums.contains(String($0)) })
    {
      throw sum
    }
    (longestRun, run) = (max(longestRun, run), 0)
  }

  private var sum: FieldError {
    FieldError(
      problem: "\"\(shown(known ?? []))\" may mean that a row sums up others",
      remedy: "take such rows out, or take all with --anyway")
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
