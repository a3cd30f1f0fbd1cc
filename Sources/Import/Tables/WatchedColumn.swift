// SPDX-License-Identifier: Apache-2.0

import Text

/// A column that is not read, but whose cells would show that rows are not what they are imported as.
struct WatchedColumn {
  /// What its cells must be.
  enum Rule {
    /// One value: it tells one sensor or unit from another.
    case value
    /// Numbers, or one text in all rows: another text may tell of another sensor, or label a sum of rows.
    case text
    /// As much more in each row: nothing else shows that one is missing among rows without times.
    case count

    /// A clause for `--explain`.
    var reason: String {
      switch self {
      case .value: "it names the sensor or a unit, and must have one value"
      case .text: "--columns does not name it, and a text in it must be in all rows"
      case .count: "it rises with the rows, and must not leave one out"
      }
    }
  }

  private let rule: Rule
  /// The cell before, or the only value or text.
  private var known: [UInt8]?
  /// From a row to the next, of a count.
  private var step: Double?
  /// Whether a cell had a number or nothing.
  private var hasOthers = false

  init(_ rule: Rule) { self.rule = rule }

  /// Begins anew: before the first row, and for a count where another recording begins.
  mutating func restart(isFirst: Bool) {
    guard rule == .count || isFirst && rule == .text else { return }
    (known, step, hasOthers) = (nil, nil, false)
  }

  /// Takes a number where text is watched; false after text.
  mutating func takesNumber() -> Bool {
    guard known == nil else { return false }
    hasOthers = true
    return true
  }

  /// Takes the next row's cell, without quotes and blanks around it.
  mutating func take(_ cell: UnsafeRawBufferPointer) throws(FieldError) {
    switch rule {
    case .text:
      let isMissing = if case .missing = DecimalField(cell) { true } else { false }
      if isMissing || !TimeParser.forms(of: cell).isEmpty {
        guard !takesNumber() else { return }
        throw change(cell)
      }
      guard !hasOthers, known.map({ cell.elementsEqual($0) }) ?? true else { throw change(cell) }
      if known == nil { known = Array(cell) }
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
      guard let found = number(cell) else {
        throw FieldError(
          problem: "\"\(FieldText.shown(cell))\" is not a count, as other rows have here",
          remedy: "take the row out, or take all with --anyway")
      }
      guard let before, let last = before.withUnsafeBytes({ number($0) }) else { return }
      let length = step ?? found - last
      step = length
      guard length <= 0 || abs(found - last - length) > 0.001 * length else { return }
      throw FieldError(
        problem:
          "\"\(FieldText.shown(cell))\" follows \(shown(before)), and rows without times are taken for consecutive ones",
        remedy:
          "name it as time= if it has the times, or as skip= if it says nothing of them; else import the rows before and after it as tables of their own"
      )
    }
  }

  private func change(_ cell: UnsafeRawBufferPointer) -> FieldError {
    let text = "\"\(FieldText.shown(cell))\""
    let clause = known.map { "\"\(shown($0))\", then \(text)" } ?? "\(text), which other rows lack"
    return FieldError(
      problem: "it has \(clause): the rows may be of several sensors, or sums of others",
      remedy:
        "name it as skip= in --columns if it says nothing of the sensor, as a person's notes; else import the rows of each sensor as a table of their own"
    )
  }

  private func shown(_ cell: [UInt8]) -> String { cell.withUnsafeBytes { FieldText.shown($0) } }

  private func number(_ cell: UnsafeRawBufferPointer) -> Double? {
    if case .number(let number) = DecimalField(cell) { number.value } else { nil }
  }
}
