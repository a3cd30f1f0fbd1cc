// SPDX-License-Identifier: Apache-2.0

/// A panel that lists a view's keys, in the middle of the screen and over what is there.
///
///     ┌─ keys ─────────────────────┐
///     │ enter     show the graph   │
///     │ /         search           │
///     └──────────── any key closes ┘
///
/// Keys have a line each, in up to three columns. Where that has no room, they follow each other like words, on pages; the
/// frame says how many keys follow:
///
///     ┌─ keys ───────────────────┐
///     │ enter show the graph     │
///     │ p play  x export         │
///     └─────────── space: 8 more ┘
struct KeyHelp {
  private let title: String
  private let keys: [(key: String, meaning: String)]
  private let closing: String
  /// Whether the first page follows the last one; otherwise the panel closes.
  private let isEndless: Bool

  /// Keys with the most important first.
  init(_ keys: [(key: String, meaning: String)]) {
    self.keys = keys
    (title, closing, isEndless) = ("keys", "any key closes", false)
  }

  /// A choice by keys, which stays until one of them, or Escape, is pressed.
  init(choice: [(key: String, meaning: String)], title: String) {
    keys = choice
    self.title = title
    (closing, isEndless) = ("esc leaves", true)
  }

  /// Cells between two columns.
  private static let space = 3
  private static let mostColumns = 3
  /// Cells of the frame and of a blank inside it, on both sides.
  private static let frame = 4

  private typealias Piece = (text: String, column: Int, isKey: Bool)

  /// The page to show after a key; `nil` for a key that turns no page, and after the last page.
  func page(after key: Key, on page: Int, columns: Int, rows: Int) -> Int? {
    let count = pages(columns: columns, rows: rows, GlyphSet()).count
    guard [.character(" "), .down, .right, .pageDown].contains(key), count > 1 else { return nil }
    // A terminal that grew has fewer pages.
    let next = min(page, count - 1) + 1
    return next < count ? next : isEndless ? 0 : nil
  }

  /// Draws a page, or the last one when there are fewer.
  func draw(_ page: Int = 0, on screen: inout Screen, glyphs: GlyphSet) {
    let pages = pages(columns: screen.columns, rows: screen.rows, glyphs)
    guard !pages.isEmpty else { return }
    let page = min(page, pages.count - 1)
    let lines = pages[page]
    let following = pages[(page + 1)...].joined().joined().count { $0.isKey }
    let closing =
      following > 0
      ? "space: \(following) more" : isEndless && page > 0 ? "space: first ones" : closing
    let room = screen.columns - KeyHelp.frame
    let contents = lines.joined().map { $0.column + CellWidth.of($0.text) }.max() ?? 0
    let width = min(room, max(contents, CellWidth.of(title), CellWidth.of(closing)))
    let top = (screen.rows - lines.count - 2) / 2
    let left = (screen.columns - width - KeyHelp.frame) / 2
    for row in top..<top + lines.count + 2 {
      screen.put(String(repeating: " ", count: width + KeyHelp.frame), row: row, column: left)
    }
    drawFrame(
      on: &screen, rows: top...top + lines.count + 1, columns: left...left + width + 3, glyphs)
    screen.put(" \(title) ", row: top, column: left + 2, .bold)
    screen.put(
      " \(closing) ", row: top + lines.count + 1, endingBefore: left + width + 3, .faint)
    for (index, line) in lines.enumerated() {
      for piece in line {
        screen.put(
          piece.text, row: top + 1 + index, column: left + 2 + piece.column,
          piece.isKey ? .bold : .plain)
      }
    }
  }

  private func drawFrame(
    on screen: inout Screen, rows: ClosedRange<Int>, columns: ClosedRange<Int>, _ glyphs: GlyphSet
  ) {
    for row in rows {
      for column in [columns.lowerBound, columns.upperBound] {
        screen[row, column] = Cell(glyphs.vertical, .faint)
      }
    }
    let corners = [
      (rows.lowerBound, "┌" as Unicode.Scalar, "┐" as Unicode.Scalar), (rows.upperBound, "└", "┘"),
    ]
    for (row, left, right) in corners {
      for column in columns { screen[row, column] = Cell(glyphs.horizontal, .faint) }
      screen[row, columns.lowerBound] = Cell(glyphs.isASCII ? "+" : left, .faint)
      screen[row, columns.upperBound] = Cell(glyphs.isASCII ? "+" : right, .faint)
    }
  }

  // MARK: Layout

  /// The lines of each page; none without room.
  private func pages(columns: Int, rows: Int, _ glyphs: GlyphSet) -> [[[Piece]]] {
    let room = (columns: columns - KeyHelp.frame, rows: rows - 2)
    guard room.columns > 0, room.rows > 0 else { return [] }
    if let table = table(room.columns, room.rows) { return [table] }
    let lines = words(room.columns, glyphs)
    return stride(from: 0, to: lines.count, by: room.rows).map {
      Array(lines[$0..<min($0 + room.rows, lines.count)])
    }
  }

  /// The keys one below the other, in the fewest columns; `nil` without room.
  private func table(_ columns: Int, _ rows: Int) -> [[Piece]]? {
    for count in 1...KeyHelp.mostColumns {
      let height = (keys.count + count - 1) / count
      guard height <= rows else { continue }
      var lines = Array(repeating: [Piece](), count: height)
      var left = 0
      for start in stride(from: 0, to: keys.count, by: max(1, height)) {
        let part = keys[start..<min(start + height, keys.count)]
        let meanings = left + 2 + (part.map { CellWidth.of($0.key) }.max() ?? 0)
        for (index, (key, meaning)) in part.enumerated() {
          lines[index] += [(key, left, true), (meaning, meanings, false)]
        }
        left = meanings + (part.map { CellWidth.of($0.meaning) }.max() ?? 0) + KeyHelp.space
      }
      if left - KeyHelp.space <= columns { return lines }
    }
    return nil
  }

  private func words(_ columns: Int, _ glyphs: GlyphSet) -> [[Piece]] {
    var lines: [[Piece]] = [[]]
    var column = 0
    for (key, meaning) in keys {
      let meaningColumn = CellWidth.of(key) + 1
      if column > 0, column + meaningColumn + CellWidth.of(meaning) > columns {
        lines.append([])
        column = 0
      }
      let text = CellWidth.fit(meaning, columns - column - meaningColumn, isASCII: glyphs.isASCII)
      lines[lines.count - 1] += [(key, column, true), (text, column + meaningColumn, false)]
      column += meaningColumn + CellWidth.of(text) + 2
    }
    return lines
  }
}

/// The panel of a view's keys, which `?` opens. While open it takes every key but Ctrl-C; a click does not close it.
struct HelpPanel {
  var least = GraphPicture.leastScreen
  private(set) var page: Int?

  var isOpen: Bool { page != nil }

  /// Whether it takes a key, which then has no other meaning.
  mutating func takes(_ key: Key, of help: KeyHelp, columns: Int, rows: Int) -> Bool {
    let fits = columns >= least.columns && rows >= least.rows
    switch (fits ? page : nil, key) {
    case (nil, .character("?")) where fits: page = 0
    case (nil, _): return false
    case (_?, .pressed), (_?, .dragged), (_?, .released): break
    case (let shown?, _): page = help.page(after: key, on: shown, columns: columns, rows: rows)
    }
    return key != .control("c")
  }

  func draw(_ help: KeyHelp, on screen: inout Screen, glyphs: GlyphSet) {
    if let page { help.draw(page, on: &screen, glyphs: glyphs) }
  }
}
