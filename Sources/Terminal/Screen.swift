// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The contents of a terminal: rows of cells.
struct Screen: Equatable, Sendable {
  let columns: Int
  let rows: Int
  private var cells: [Cell]

  /// A blank screen; sizes below 1 count as 1.
  init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    cells = Array(repeating: .blank, count: self.columns * self.rows)
  }

  /// The cell at a place; outside the screen it is blank, and setting it does nothing.
  subscript(row: Int, column: Int) -> Cell {
    get { contains(row, column) ? cells[row * columns + column] : .blank }
    set {
      guard contains(row, column) else { return }
      cells[row * columns + column] = newValue.normal
    }
  }

  private func contains(_ row: Int, _ column: Int) -> Bool {
    row >= 0 && row < rows && column >= 0 && column < columns
  }

  /// Writes text from a place to the end of the row, and returns the column after it. Characters that a terminal could obey
  /// become `?`; a wide character that does not fit is left out.
  @discardableResult
  mutating func put(
    _ text: some StringProtocol, row: Int, column: Int, _ style: CellStyle = .plain
  ) -> Int {
    var column = column
    for scalar in text.unicodeScalars {
      let shown = ForeignText.isObeyed(scalar) ? "?" : scalar
      let width = CellWidth.of(shown)
      if width == 0 { continue }
      guard column + width <= columns else { break }
      split(row, column)
      if width == 2 { split(row, column + 1) }
      self[row, column] = Cell(shown, style)
      if width == 2 { self[row, column + 1] = Cell(Cell.half.scalar, style) }
      column += width
    }
    return column
  }

  /// Writes text so that it ends before `column`, and returns the column where it begins: 0 without room.
  @discardableResult
  mutating func put(
    _ text: String, row: Int, endingBefore column: Int, _ style: CellStyle = .plain
  ) -> Int {
    let start = max(0, column - CellWidth.of(text))
    put(text, row: row, column: start, style)
    return start
  }

  /// Changes the style of a whole row.
  mutating func restyle(row: Int, _ style: CellStyle) {
    for column in 0..<columns where row >= 0 && row < rows {
      self[row, column] = Cell(self[row, column].scalar, style)
    }
  }

  /// The screen with `?` for each character that is not ASCII.
  func inASCII() -> Screen {
    var screen = self
    for (index, cell) in cells.enumerated() {
      guard cell.scalar == Cell.half.scalar || !cell.scalar.isASCII else { continue }
      screen.cells[index].scalar = cell.scalar.isASCII ? " " : "?"
    }
    return screen
  }

  /// Removes a wide character when one of its halves is overwritten.
  private mutating func split(_ row: Int, _ column: Int) {
    if self[row, column].scalar == Cell.half.scalar { self[row, column - 1] = .blank }
    if self[row, column + 1].scalar == Cell.half.scalar { self[row, column + 1] = .blank }
  }

  /// The rows as lines of text.
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// The rows as text, without colours and without blanks at their ends.
  var lines: [String] {
    (0..<rows).map { row in
      var line = String.UnicodeScalarView()
      for column in 0..<columns where self[row, column].scalar != Cell.half.scalar {
        line.append(self[row, column].scalar)
      }
      while line.last == " " { line.removeLast() }
      return String(line)
    }
  }
}

/// A key and its function.
typealias KeyHint = (key: String, does: String)

extension Screen {
  /// Writes key hints into a row, the most important first: as many as fit.
  mutating func put(_ hints: [KeyHint], row: Int) {
    var column = 0
    for (index, hint) in hints.enumerated() {
      let width = CellWidth.of(hint.key) + 1 + CellWidth.of(hint.does)
      let space = index == 0 ? 0 : 2
      guard column + space + width <= columns else { continue }
      column = put(hint.key, row: row, column: column + space, .bold)
      column = put(" " + hint.does, row: row, column: column, .faint)
    }
  }

  /// The message of a terminal without room for a view, which needs `least`.
  static func tooSmall(
    columns: Int, rows: Int, least: (columns: Int, rows: Int)
  ) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    screen.put(paragraph: "too small: \(least.columns)x\(least.rows) or more", row: 0, .plain)
    return screen
  }
}

/// The meaning of a cell; a ``Palette`` gives it a colour.
enum Ink: UInt8, CaseIterable, Sendable {
  /// Ordinary text.
  case text
  case faint
  case x
  case y
  case z
  case magnitude
  /// Ticks without samples.
  case gap
  /// A mark of the user.
  case mark
  /// A problem.
  case alert
  /// A recording that runs.
  case recording
}

/// A cell's appearance apart from its character.
struct CellStyle: Equatable, Sendable {
  var ink: Ink
  var isBold: Bool
  /// Whether foreground and background are exchanged.
  var isReversed: Bool

  init(_ ink: Ink = .text, isBold: Bool = false, isReversed: Bool = false) {
    self.ink = ink
    self.isBold = isBold
    self.isReversed = isReversed
  }

  static let plain = CellStyle()
  static let faint = CellStyle(.faint)
  static let bold = CellStyle(.text, isBold: true)
}

/// One place of a terminal.
struct Cell: Equatable, Sendable {
  /// The character; U+0000 in the right half of a wide one.
  var scalar: Unicode.Scalar
  /// Its appearance.
  var style: CellStyle

  /// A character in a style.
  init(_ scalar: Unicode.Scalar, _ style: CellStyle = .plain) {
    self.scalar = scalar
    self.style = style
  }

  /// An empty cell. It has no colour: only an exchanged background shows.
  static let blank = Cell(" ")
  /// The right half of a wide character.
  static let half = Cell("\0")

  /// The one form of all cells that look the same.
  var normal: Cell {
    scalar == " " && !style.isReversed ? .blank : self
  }
}

/// How many cells a character takes on a terminal: a short form of `wcwidth`, which follows the locale and not the terminal.
/// (Unicode Standard Annex 11, East Asian Width.)
public enum CellWidth {
  /// 0 for combining and invisible characters, 2 for East Asian wide characters and emoji, else 1.
  public static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    for range in wide where range.contains(value) { return 2 }
    return 1
  }

  /// The sum over a text.
  public static func of(_ text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  /// The text cut to at most `width` cells; a cut text ends in `…`, or in `~` with ASCII only.
  static func fit(_ text: String, _ width: Int, isASCII: Bool = false) -> String {
    guard of(text) > width else { return text }
    guard width > 0 else { return "" }
    var kept = String.UnicodeScalarView()
    var taken = 0
    for scalar in text.unicodeScalars {
      let wanted = of(scalar)
      guard taken + wanted <= width - 1 else { break }
      kept.append(scalar)
      taken += wanted
    }
    return String(kept) + (isASCII ? "~" : "…")
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}
