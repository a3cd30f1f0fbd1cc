/// Rows of a list, their columns below one another; columns that matter less go first where there is no room.
struct ListTable {
  let entries: [(entry: ListEntry, details: ListDetails)]
  let selection: ListEntry?
  let look: Look

  /// A column, the greater the rank the sooner left out.
  private struct Column: Sendable {
    let heading: String
    let isNumeric: Bool
    let rank: Int
    let text: @Sendable (ListEntry, ListDetails) -> String
  }

  private static let columns = [
    Column(heading: "NUMBER", isNumeric: true, rank: 0) { entry, _ in "\(entry.number)" },
    Column(heading: "STARTED", isNumeric: false, rank: 1) { _, details in details.started },
    Column(heading: "LENGTH", isNumeric: true, rank: 2) { _, details in details.length },
    Column(heading: "SENSOR", isNumeric: false, rank: 7) { _, details in details.sensor },
    Column(heading: "RATE", isNumeric: true, rank: 6) { _, details in details.rate },
    Column(heading: "STATE", isNumeric: false, rank: 3) { _, details in details.state },
    Column(heading: "GAPS", isNumeric: true, rank: 4) { _, details in details.gaps },
    Column(heading: "SIZE", isNumeric: true, rank: 5) { _, details in details.size },
  ]

  /// Cells that the note has at least.
  private static let leastNote = 8

  func draw(on screen: inout Screen, row: Int) {
    guard !entries.isEmpty else { return }
    var shown = ListTable.columns
    var widths = shown.map(width)
    func total() -> Int { 2 + widths.reduce(0) { $0 + $1 + 2 } }
    while shown.count > 2, total() + ListTable.leastNote > screen.columns,
      let least = shown.indices.max(by: { shown[$0].rank < shown[$1].rank })
    {
      shown.remove(at: least)
      widths.remove(at: least)
    }
    line(shown.map(\.heading), "NOTE", shown, widths, on: &screen, row: row, .faint)
    for (index, item) in entries.enumerated() {
      let place = row + 1 + index
      let isSelected = item.entry == selection
      let cells = shown.map { $0.text(item.entry, item.details) }
      line(
        cells, item.details.note, shown, widths, on: &screen, row: place,
        CellStyle(item.details.isAlert ? .alert : .text))
      guard isSelected else { continue }
      screen.put(look.pointer, row: place, column: 0)
      screen.restyle(row: place, CellStyle(.text, isReversed: true))
    }
  }

  private func width(_ column: Column) -> Int {
    entries.map { CellWidth.of(column.text($0.entry, $0.details)) }
      .reduce(CellWidth.of(column.heading), max)
  }

  private func line(
    _ cells: [String], _ note: String, _ columns: [Column], _ widths: [Int],
    on screen: inout Screen, row: Int, _ style: CellStyle
  ) {
    var column = 2
    for (index, cell) in cells.enumerated() {
      if columns[index].isNumeric {
        screen.put(cell, row: row, endingBefore: column + widths[index], style)
      } else {
        screen.put(cell, row: row, column: column, style)
      }
      column += widths[index] + 2
    }
    screen.put(
      CellWidth.fit(note, screen.columns - column, isASCII: look.isASCII), row: row,
      column: column, style)
  }
}
