// SPDX-License-Identifier: Apache-2.0

import Text

/// A column that is not read, but whose cells would show that rows are not what they are imported as.
struct WatchedColumn {
  /// What its cells must be.
  enum Rule {
    /// One value: it tells one sensor from another.
    case value
    /// In the last row what they were before: below the rows a spreadsheet has `Mean`, beside values that were never sampled.
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
  /// Whether the column begins with text, whether numbers came after text, and whether the last cell is text.
  private var (beginsWithText, isMixed, isText) = (nil as Bool?, false, false)
  /// How many rows had one text: the last and the most.
  private var (run, longestRun) = (0, 0)

  init(_ rule: Rule) { self.rule = rule }

  /// Rows with one text that make a column of texts that repeat.
  private static let longRun = 8

  /// Begins anew: before the first row, and for a count where another recording begins.
  mutating func restart(isFirst: Bool) {
    if rule == .count || isFirst && rule == .rows { known = nil }
    guard isFirst else { return }
    (beginsWithText, isMixed, isText, run, longestRun) = (nil, false, false, 0, 0)
  }

  /// Takes a number.
  mutating func takeNumber() {
    if isText { isMixed = true }
    (beginsWithText, isText) = (beginsWithText ?? false, false)
  }

  /// Takes the next row's cell, without quotes and blanks around it.
  mutating func take(_ cell: UnsafeRawBufferPointer) throws(FieldError) {
    switch rule {
    case .rows:
      if case .missing = DecimalField(cell) { return isText = false }
      guard TimeParser.forms(of: cell).isEmpty else { return takeNumber() }
      (beginsWithText, isText) = (beginsWithText ?? true, true)
      if let known, cell.elementsEqual(known) {
        run += 1
      } else {
        (known, run) = (Array(cell), 1)
      }
      longestRun = max(longestRun, run)
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
      guard let known, let last = known.withUnsafeBytes({ count($0) }), count(cell) != last &+ 1
      else { return }
      throw FieldError(
        problem:
          "\"\(FieldText.shown(cell))\" follows \(shown(known)), and rows without times are taken for consecutive ones",
        remedy:
          "import the rows before and after it as tables of their own, or take all with --anyway")
    }
  }

  /// After the last row.
  func end() throws(FieldError) {
    guard isText, let known else { return }
    let isAlone = run == 1 && longestRun >= WatchedColumn.longRun
    guard beginsWithText == false ? !isMixed : isAlone else { return }
    throw FieldError(
      problem: "the last row has \"\(shown(known))\" here, and may sum up those before it",
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
