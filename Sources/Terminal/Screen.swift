import IMUModel

/// What a terminal shows: rows of cells. A pure value.
///
///              column 0            columns-1
///       row 0 │ i m u l o g …             │
///             │                           │
///      rows-1 │                           │
struct Screen: Equatable, Sendable {
  /// Cells in a row.
  let columns: Int
  /// Rows of the screen.
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

  /// Writes text from a place to the end of the row. Characters that a terminal could obey become `?`; a wide
  /// character that does not fit is left out.
  ///
  /// - Returns: The column after it.
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

  /// Writes text so that it ends before `column`; text without room begins at column 0.
  ///
  /// - Returns: The column where it begins.
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
      if cell.scalar == Cell.half.scalar {
        screen.cells[index].scalar = " "
      } else if !cell.scalar.isASCII {
        screen.cells[index].scalar = "?"
      }
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

/// A key and what it does.
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

  /// What a terminal without room for a view shows.
  static func tooSmall(columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    screen.put("too small: 30x8 or more", row: 0, column: 0)
    return screen
  }
}
