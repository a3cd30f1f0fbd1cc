// SPDX-License-Identifier: Apache-2.0

import LogStore
import Text

/// Drawing a ``ListView``:
///
///     12 of 340 recordings · /var/lib/imulog            3 newer, 1 older
///     NO. STARTED …   NOTE                    │ recording 17 · …
///     ▶ 17 …                                  │ preview, where there is room
///     ⋮                                       │
///     /left wheel                                    searched 200 of 340
///     q quit  ? keys  …
extension ListView {
  /// - Parameters:
  ///   - store: The store's directory.
  ///   - preview: The selected recording's, shown where there is room for it.
  ///   - details: The row of a recording in sight.
  func screen(
    store: String, preview: ListPreview = .reading, details: (CatalogueEntry) -> ListDetails
  ) -> Screen {
    let least = ListView.leastScreen
    guard columns >= least.columns, rows >= least.rows else {
      return Screen.tooSmall(columns: columns, rows: rows, least: least)
    }
    var screen = Screen(columns: columns, rows: rows)
    drawTitle(on: &screen, store)
    let previewColumns = ListPreview.columns(ofScreen: columns, rows: rows)
    let listColumns = columns - (previewColumns.map { $0 + 1 } ?? 0)
    var list = Screen(columns: listColumns, rows: rows - 3)
    ListTable(
      entries: visible.map { ($0, details($0)) }, selection: selection, glyphs: glyphs
    ).draw(on: &list, row: 0)
    if entries.isEmpty { list.put(absence, row: 1, column: 1, .faint) }
    screen.put(list, row: 1, column: 0)
    if let previewColumns, selection != nil {
      screen.put(
        preview.screen(columns: previewColumns, rows: rows - 3, glyphs: glyphs), row: 1,
        column: columns - previewColumns)
    }
    drawLine(on: &screen)
    screen.put(hints, row: rows - 1)
    panel?.draw(panelPage, on: &screen, glyphs: glyphs)
    helpPanel.draw(help, on: &screen, glyphs: glyphs)
    return screen
  }

  /// The least screen: a recording between its title, heading, notice and keys.
  static let leastScreen = (columns: 30, rows: 5)

  var panel: KeyHelp? {
    guard case .format(let entry) = mode else { return nil }
    return KeyHelp(
      choice: formats.map { (String($0.key), $0.name + ", " + $0.meaning) },
      title: "export recording \(entry.number) as")
  }

  private var absence: String {
    if all.isEmpty { return "no recordings yet; `imulog record` makes one" }
    return isSearching ? "searching" : "no recording contains it; esc shows all"
  }

  private func drawTitle(on screen: inout Screen, _ store: String) {
    let found = search.phrase.isEmpty ? "" : "\(entries.count) of "
    let column = screen.put(
      "\(found)\(Plain.count(all.count, "recording"))", row: 0, column: 0, .bold)
    let hidden = [(top, "newer"), (entries.count - top - visible.count, "older")]
    let position = hidden.filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
    let place = screen.put(position, row: 0, endingBefore: screen.columns, .faint)
    let text = glyphs.separator + store
    if column + CellWidth.of(text) < place - 1 {
      screen.put(text, row: 0, column: column, .faint)
    }
  }

  /// The row above the hints: a notice, or the search.
  private func drawLine(on screen: inout Screen) {
    let row = rows - 2
    guard notice.isEmpty else {
      screen.put(
        notice: notice, endingIn: row, CellStyle(isNoticeAlert ? .alert : .text),
        isASCII: glyphs.isASCII)
      return
    }
    guard mode == .search || !search.phrase.isEmpty else { return }
    var end = columns
    if isSearching {
      let progress = "searched \(search.searchedCount(of: all)) of \(all.count)"
      end = screen.put(progress, row: row, endingBefore: columns, .faint)
    }
    // The end of a long phrase is where the next letter comes.
    var text = Substring("/" + search.phrase)
    while CellWidth.of(text) > max(1, end - 2) { text = text.dropFirst() }
    let column = screen.put(text, row: row, column: 0)
    if mode == .search { screen[row, column] = Cell(" ", CellStyle(.text, isReversed: true)) }
  }

  private var hints: [KeyHint] {
    switch mode {
    case .search:
      return [("enter", "done"), ("esc", "show all"), (glyphs.upDown, "choose")]
    case .list where helpPanel.isOpen: return []
    case .format: return [("esc", "leave")]
    case .list:
      let clear: [KeyHint] = search.phrase.isEmpty ? [] : [("esc", "show all")]
      return clear + [
        ("q", "quit"), ("?", "keys"), ("enter", "show"), ("/", "search"), ("p", "play"),
        ("d", "delete"), ("u", "undo"), ("x", "export"), (glyphs.upDown, "choose"),
      ]
    }
  }

  var help: KeyHelp {
    KeyHelp([
      ("enter", "show the graph"), ("p", "play"), ("x", "export"),
      ("/", "search, show what is found"), ("esc", "show all, or quit"),
      ("d", "move to the trash"), ("u", "undo that"), ("q", "quit"),
      (glyphs.upDown + " j k", "choose"), ("PgUp PgDn", "a screen"),
      ("Home End", "newest, oldest"),
    ])
  }
}
