import Terminal

/// Rows of cells as lines of text with aligned columns.
enum TextTable {
  /// - Parameters:
  ///   - rows: The heading and the rows, a cell for each column.
  ///   - isNumeric: Which columns are right-aligned; the others are left-aligned.
  static func text(_ rows: [[String]], isNumeric: [Bool]) -> String {
    let widths = isNumeric.indices.map { column in
      rows.map { CellWidth.of($0[column]) }.max() ?? 0
    }
    return rows.map { line($0, widths, isNumeric) }.joined(separator: "\n")
  }

  /// Without spaces at its end.
  private static func line(_ cells: [String], _ widths: [Int], _ isNumeric: [Bool]) -> String {
    var line = ""
    var owed = 0
    for (column, cell) in cells.enumerated() {
      let padding = widths[column] - CellWidth.of(cell)
      if isNumeric[column] { owed += padding }
      if !cell.isEmpty {
        line += String(repeating: " ", count: owed) + cell
        owed = 0
      }
      if !isNumeric[column] { owed += padding }
      owed += 2
    }
    return line
  }
}
