/// A line that says which keys do what.
struct Hints {
  /// A key and what it does, what matters most first.
  let entries: [(key: String, does: String)]

  /// Writes as many as there is room for.
  func put(on screen: inout Screen, row: Int) {
    var column = 0
    for (index, entry) in entries.enumerated() {
      let width = CellWidth.of(entry.key) + 1 + CellWidth.of(entry.does)
      let space = index == 0 ? 0 : 2
      guard column + space + width <= screen.columns else { continue }
      column = screen.put(entry.key, row: row, column: column + space, .bold)
      column = screen.put(" " + entry.does, row: row, column: column, .faint)
    }
  }
}
