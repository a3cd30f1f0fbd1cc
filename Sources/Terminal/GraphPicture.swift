// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel

/// A graph at one moment: a panel for each sensor above a common time axis.
///
///     acceleration, g   ━━━ x  0.02   ━╸━ y −0.98   ┅┅┅ z  0.11
///        1.0 ┤ ⡠⠤⠒⠢⢄            ░░░
///        0.5 │⠊     ⠑⠢⠤⠤⠒⠒⠉⠉⠉⠉⠉░░░⠉⠉⠉
///     rotation, °/s      …
///            └──────┬──────▲───░░░┬────        time, marks, gaps
///                   2      ▲      4  s
struct GraphPicture {
  var sensor: GraphSensor
  /// The samples in sight, a column for each column of dots.
  var envelope: Envelope
  /// The y axes, in g and °/s; none where no value is known.
  var axes: [PanelKind: ClosedRange<Double>]
  var marks: [Int64]
  /// Parts with names.
  var labels: [Range<Int64>] = []
  /// Time of a vertical line.
  var cursor: Int64?
  /// Shown after the names of the lines.
  var values: GraphValues?
  var choice = LineChoice()
  let glyphs: GlyphSet

  /// Cells at the left for the y axis.
  private static let axisWidth = 8
  /// The least number of rows: one panel of two rows with its title, and the time axis.
  private static let fewestRows = 5

  /// The least screen with room for a graph and three rows of text.
  static let leastScreen = (columns: 30, rows: fewestRows + 3)

  static func fits(columns: Int, rows: Int) -> Bool {
    columns >= leastScreen.columns && rows >= leastScreen.rows
  }

  /// Cells that a graph is wide on a screen.
  static func plotColumns(screenColumns: Int) -> Int {
    max(1, screenColumns - axisWidth - 1)
  }

  /// An empty envelope for a screen.
  static func envelope(covering span: Range<Int64>, screenColumns: Int, glyphs: GlyphSet)
    -> Envelope
  {
    Envelope(
      covering: span,
      columns: DotCanvas.dots(glyphs).across * plotColumns(screenColumns: screenColumns))
  }

  /// The time at the left edge of a cell of a screen, as far as the graph reaches.
  static func time(atColumn column: Int, of span: Range<Int64>, screenColumns: Int) -> Int64 {
    let columns = plotColumns(screenColumns: screenColumns)
    let place = max(0, min(column - axisWidth, columns))
    return span.lowerBound
      + Int64(Double(span.upperBound - span.lowerBound) * Double(place) / Double(columns))
  }

  /// Dots side by side in a cell: columns of the envelope.
  private var across: Int { DotCanvas.dots(glyphs).across }
  private var columns: Int { envelope.columns.count / across }

  private func dots(_ column: Int) -> ArraySlice<EnvelopeColumn> {
    envelope.columns[column * across..<(column + 1) * across]
  }

  private func column(at time: Int64) -> Int? { envelope.column(at: time).map { $0 / across } }

  // MARK: Panels

  func draw(on screen: inout Screen, rows: Range<Int>) {
    var panels = sensor.panels
    // Two panels need two rows each.
    while panels.count > 1, rows.count < 2 + panels.count * 3 { panels.removeLast() }
    guard let last = panels.indices.last, rows.count >= GraphPicture.fewestRows else { return }
    let share = (rows.count - 2) / panels.count
    var row = rows.lowerBound
    for (index, kind) in panels.enumerated() {
      let end = index == last ? rows.upperBound - 2 : row + share
      drawTitle(kind, on: &screen, row: row)
      drawPanel(kind, on: &screen, rows: row + 1..<end)
      row = end
    }
    drawTimeAxis(on: &screen, row: rows.upperBound - 2)
  }

  private func drawTitle(_ kind: PanelKind, on screen: inout Screen, row: Int) {
    let narrow = (0...kind.decimals).reversed().map { (isNarrow: true, decimals: $0) }
    // The two ends of a column's values need more room than one value.
    let forms = (screen.columns < 64 ? [] : [(isNarrow: false, decimals: kind.decimals)]) + narrow
    let titles = forms.lazy.map { titleParts(kind, isNarrow: $0.isNarrow, decimals: $0.decimals) }
    let fitting = titles.first { parts in
      (parts.last.map { $0.column + CellWidth.of($0.text) } ?? 0) <= screen.columns
    }
    for part in fitting ?? titles[forms.count - 1] {
      screen.put(part.text, row: row, column: part.column, part.style)
    }
  }

  private func titleParts(
    _ kind: PanelKind, isNarrow: Bool, decimals: Int
  ) -> [(text: String, column: Int, style: CellStyle)] {
    let title = isNarrow ? kind.unit(glyphs) : "\(kind.title), \(kind.unit(glyphs))"
    var parts = [(text: title, column: 1, style: CellStyle.bold)]
    var column = isNarrow ? 2 + CellWidth.of(title) : max(3 + CellWidth.of(title), 20)
    for line in sensor.lines(of: kind, choice) {
      let sample =
        isNarrow
        ? (glyphs.isASCII ? "" : String(glyphs.sample(of: line).prefix(2)))
        : glyphs.sample(of: line) + " "
      // In ASCII a line consists of its letter.
      let name = sample + (glyphs.isASCII && isNarrow ? "\(line.letter)" : line.name)
      parts.append((text: name, column: column, style: CellStyle(line.ink)))
      column += CellWidth.of(name)
      let value = " " + valueText(kind, line, decimals)
      parts.append((text: value, column: column, style: .plain))
      column += CellWidth.of(value) + (isNarrow ? 1 : 3)
    }
    return parts
  }

  /// The value after a line's name, or the lowest and the highest of several.
  private func valueText(_ kind: PanelKind, _ line: GraphLine, _ decimals: Int) -> String {
    guard let values else { return "       " }
    let ends = sensor.values(values.counts(line, of: kind), of: line, kind)
    let low = Figures.signed(ends.lowerBound, decimals, glyphs)
    guard ends.lowerBound != ends.upperBound else {
      return String(repeating: " ", count: max(0, 7 - CellWidth.of(low))) + low
    }
    return low + ".." + Figures.signed(ends.upperBound, decimals, glyphs)
  }

  private func drawPanel(_ kind: PanelKind, on screen: inout Screen, rows: Range<Int>) {
    guard !rows.isEmpty else { return }
    let left = GraphPicture.axisWidth
    for row in rows { screen[row, left - 1] = Cell(glyphs.vertical, .faint) }
    guard let range = axes[kind] else { return }
    drawScale(range, on: &screen, rows: rows)
    var canvas = DotCanvas(columns: columns, rows: rows.count, glyphs)
    let plot = PanelPlot(
      envelope: envelope, kind: kind, scale: sensor.scale(kind), range: range)
    for line in sensor.lines(of: kind, choice) {
      plot.draw(line, on: &canvas, rows: rows.count)
    }
    let markColumns = Set(marks.compactMap(column(at:)))
    let cursorColumn = cursor.flatMap(column(at:))
    for column in 0..<columns {
      let dots = dots(column)
      let isGap = dots.contains(where: \.hasGap) && dots.allSatisfy { $0.sampleCount == 0 }
      let ground =
        column == cursorColumn
        ? Cell(glyphs.vertical)
        : isGap
          ? Cell(glyphs.gap, CellStyle(.gap))
          : markColumns.contains(column) ? Cell(glyphs.markLine, CellStyle(.mark)) : nil
      for row in 0..<rows.count {
        guard let cell = canvas.cell(row: row, column: column) ?? ground else { continue }
        screen[rows.lowerBound + row, left + column] = cell
      }
    }
  }

  private func drawScale(
    _ range: ClosedRange<Double>, on screen: inout Screen, rows: Range<Int>
  ) {
    let ticks = AxisTicks(range, atMost: max(2, min(6, rows.count / 2 + 1))).ticks
    for tick in ticks {
      let share = (range.upperBound - tick.value) / range.extent
      let row = rows.lowerBound + Int((share * Double(rows.count - 1)).rounded())
      guard rows.contains(row) else { continue }
      let label = tick.label.hasPrefix("-") ? glyphs.minus + tick.label.dropFirst() : tick.label
      screen.put(
        CellWidth.fit(label, GraphPicture.axisWidth - 2), row: row,
        endingBefore: GraphPicture.axisWidth - 2, .faint)
      screen[row, GraphPicture.axisWidth - 1] = Cell(glyphs.tick, .faint)
      guard tick.value == 0 else { continue }
      for column in stride(from: 1, to: columns, by: 2) {
        screen[row, GraphPicture.axisWidth + column] = Cell(glyphs.zero, .faint)
      }
    }
  }

  private func drawTimeAxis(on screen: inout Screen, row: Int) {
    let left = GraphPicture.axisWidth
    screen[row, left - 1] = Cell(glyphs.corner, .faint)
    for column in 0..<columns {
      // A gap shorter than a column shows at least here.
      screen[row, left + column] =
        dots(column).contains(where: \.hasGap)
        ? Cell(glyphs.gap, CellStyle(.gap)) : Cell(glyphs.horizontal, .faint)
    }
    for label in labels {
      guard label.lowerBound <= envelope.end, label.upperBound > envelope.start else { continue }
      let first = column(at: max(label.lowerBound, envelope.start)) ?? 0
      let last = column(at: min(label.upperBound - 1, envelope.end - 1)) ?? columns - 1
      for column in first...max(first, last) where column < columns {
        screen[row, left + column] = Cell(glyphs.label, CellStyle(.mark))
      }
    }
    let ticks = TimeTicks(envelope.start...envelope.end, atMost: max(2, columns / 10))
    let unitStart = screen.columns - ticks.unit.count - 1
    screen.put(ticks.unit, row: row + 1, column: unitStart, .faint)
    var free = 0
    for tick in ticks.ticks {
      guard let column = column(at: tick.time) else { continue }
      if screen[row, left + column].style.ink == .faint {
        screen[row, left + column] = Cell(glyphs.timeTick, .faint)
      }
      let start = max(0, left + column - tick.label.count / 2)
      guard start >= free, start + tick.label.count < unitStart else { continue }
      free = screen.put(tick.label, row: row + 1, column: start, .faint) + 1
    }
    for mark in marks {
      guard let column = column(at: mark) else { continue }
      screen[row, left + column] = Cell(glyphs.mark, CellStyle(.mark))
    }
  }
}
