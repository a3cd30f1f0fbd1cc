// SPDX-License-Identifier: Apache-2.0

/// Finds a short sequence of bytes that turns one screen of a terminal into another.
///
///     was   "12.3 s  ⠒⠒⠤  "        cursor to what changed (the shortest of: nothing, a few cells written again,
///     is    "12.4 s  ⠒⠒⠤⠤ "        forward, line feed, absolute), style only where it changes, blanks at a row's
///               ▲        ▲         end erased and not written
///
/// An SSH link may be slow: an unchanged picture costs nothing. (ECMA-48: CUP, CUF, EL, ED, SGR.)
struct ScreenDifference {
  private let palette: Palette
  private var bytes: [UInt8] = []
  /// The terminal's present style.
  private var style = CellStyle.plain
  /// Where its cursor is; `nil` when unknown.
  private var row: Int?
  private var column = 0

  /// The bytes from `old` to `new`. The terminal is in normal style before and after them, with the cursor anywhere. All is
  /// drawn when `old` is `nil` or of another size.
  static func bytes(from old: Screen?, to new: Screen, palette: Palette) -> [UInt8] {
    var difference = ScreenDifference(palette: palette)
    var base = Screen(columns: new.columns, rows: new.rows)
    if let old, old.columns == new.columns, old.rows == new.rows {
      base = old
    } else {
      difference.emit("\u{1B}[m\u{1B}[H\u{1B}[2J")
      difference.row = 0
    }
    for row in 0..<new.rows { difference.draw(row, base, new) }
    if difference.style != .plain { difference.emit("\u{1B}[m") }
    return difference.bytes
  }

  private mutating func draw(_ row: Int, _ old: Screen, _ new: Screen) {
    let width = new.columns
    var end = width
    while end > 0, new[row, end - 1] == .blank { end -= 1 }
    var column = 0
    while column < width {
      let isHalf = new[row, column].scalar == Cell.half.scalar
      guard old[row, column] != new[row, column], !isHalf else {
        column += 1
        continue
      }
      // Erasing a blank rest of the row is shorter than writing more than three blanks.
      if column >= end {
        let last = (column..<width).last { old[row, $0] != .blank } ?? column
        if last - column >= 3 {
          move(row, column, new)
          apply(.plain)
          emit("\u{1B}[K")
          return
        }
      }
      move(row, column, new)
      write(new[row, column])
      column += 1
    }
  }

  private mutating func write(_ cell: Cell) {
    // A blank looks the same in all inks.
    if cell != .blank || style.isReversed { apply(cell.style) }
    emit(cell.scalar)
    column += CellWidth.of(cell.scalar)
  }

  /// Brings the cursor to a cell.
  private mutating func move(_ toRow: Int, _ toColumn: Int, _ new: Screen) {
    // After the last column terminals differ in where the cursor is.
    if row == toRow, column <= toColumn, column < new.columns {
      let distance = toColumn - column
      if distance == 0 { return }
      let forward = distance == 1 ? 3 : 3 + "\(distance)".utf8.count
      if let again = rewriting(toRow, column..<toColumn, new), again <= forward {
        for place in column..<toColumn { emit(new[toRow, place].scalar) }
      } else {
        emit(distance == 1 ? "\u{1B}[C" : "\u{1B}[\(distance)C")
      }
    } else if let row, toRow == row + 1, toColumn == 0, row < new.rows - 1 {
      emit("\r\n")
    } else {
      emit(
        toColumn == 0
          ? (toRow == 0 ? "\u{1B}[H" : "\u{1B}[\(toRow + 1)H")
          : "\u{1B}[\(toRow + 1);\(toColumn + 1)H")
    }
    (row, column) = (toRow, toColumn)
  }

  /// Bytes that rewriting unchanged cells costs; `nil` when they are wide or have another style.
  private func rewriting(_ row: Int, _ range: Range<Int>, _ new: Screen) -> Int? {
    guard range.count <= 6 else { return nil }
    var cost = 0
    for column in range {
      let cell = new[row, column]
      let looksSame = cell.style == style || (cell == .blank && !style.isReversed)
      guard looksSame, CellWidth.of(cell.scalar) == 1, cell.scalar != Cell.half.scalar else {
        return nil
      }
      cost += UTF8.width(cell.scalar)
    }
    return cost
  }

  private mutating func apply(_ new: CellStyle) {
    guard new != style else { return }
    let isCleared = style.isBold && !new.isBold || style.isReversed && !new.isReversed
    let old = isCleared ? CellStyle.plain : style
    var parameters: [String] = isCleared ? ["0"] : []
    if new.isBold, !old.isBold { parameters.append("1") }
    if new.isReversed, !old.isReversed { parameters.append("7") }
    let colour = palette.foreground(new.ink)
    if colour != palette.foreground(old.ink) { parameters.append("\(colour)") }
    if new == .plain || parameters == ["0"] {
      emit("\u{1B}[m")
    } else if !parameters.isEmpty {
      emit("\u{1B}[\(parameters.joined(separator: ";"))m")
    }
    style = new
  }

  private mutating func emit(_ text: String) { bytes += text.utf8 }
  private mutating func emit(_ scalar: Unicode.Scalar) {
    UTF8.encode(scalar).map { bytes += $0 }
  }
}
