// SPDX-License-Identifier: Apache-2.0

/// A recording in a list, without opening it.
struct ListEntry: Hashable {
  var number: UInt32
  /// Identifies it when the list is read again: its file's name.
  var key: String
}

/// Recordings, newest first, ten a page: a pure state machine of keys and of the store's contents.
///
/// Pages follow recordings and not positions, so that those in sight stay in place when others come or go:
///
///     before            two came, 14 went
///     17 ◄─ page        17 ◄─ page       "2 newer" above
///     16                16
///     15 ◄─ selected    15 ◄─ selected
///     14                13
///     ⋮                 ⋮
struct ListView: Sendable {
  /// The caller's next action after a key.
  enum Outcome: Equatable {
    /// Draw again.
    case stay
    case leave
    /// Show its graph.
    case show(ListEntry)
    case play(ListEntry)
    case export(ListEntry)
    /// Move it to the trash; then call ``deleted(_:)`` or ``report(_:isAlert:)``.
    case delete(ListEntry)
    /// Restore it from the trash; then call ``restored(_:)`` or ``report(_:isAlert:)``.
    case restore(ListEntry)
  }

  /// Recordings on a page.
  static let pageLength = 10

  private let glyphs: GlyphSet
  private var entries: [ListEntry]
  /// The page's first position.
  private var top = 0
  /// The selected position.
  private var selected = 0
  /// Recordings deleted here, in order.
  private var deletedEntries: [ListEntry] = []
  private var notice = ""
  private var isNoticeAlert = false

  /// A page with its newest recording selected.
  ///
  /// - Parameters:
  ///   - entries: Newest first.
  ///   - page: Counts from 1.
  init(_ entries: [ListEntry], page: Int = 1, glyphs: GlyphSet) {
    self.entries = entries
    self.glyphs = glyphs
    let (first, overflow) = (max(1, page) - 1).multipliedReportingOverflow(by: ListView.pageLength)
    top = overflow ? .max : first
    selected = top
    followSelection()
  }

  /// The selected recording; `nil` in an empty list.
  var selection: ListEntry? {
    entries.indices.contains(selected) ? entries[selected] : nil
  }

  /// Recordings in sight.
  var page: ArraySlice<ListEntry> {
    entries[min(top, entries.count)..<min(top + ListView.pageLength, entries.count)]
  }

  // MARK: The store

  /// Replaces the list, newest first. Recordings in sight stay in place.
  mutating func refresh(_ new: [ListEntry]) {
    guard new != entries else { return }
    // While the newest is selected, the selection follows the newest.
    let isFollowing = top == 0 && selected == 0
    let places = Dictionary(
      new.enumerated().map { ($0.element.key, $0.offset) }, uniquingKeysWith: { first, _ in first })
    /// The new place of a recording, or of the next older one that remains.
    func place(of position: Int) -> Int {
      for entry in entries[min(position, entries.count)...] {
        if let place = places[entry.key] { return place }
      }
      return max(0, new.count - 1)
    }
    let newTop = isFollowing ? 0 : place(of: top)
    let newSelected = isFollowing ? 0 : place(of: selected)
    entries = new
    (top, selected) = (newTop, newSelected)
    followSelection()
  }

  /// Reports that a recording is in the trash.
  mutating func deleted(_ entry: ListEntry) {
    deletedEntries.append(entry)
    report("recording \(entry.number) is in the trash; u brings it back")
  }

  /// Reports and selects a restored recording, after `refresh`.
  mutating func restored(_ entry: ListEntry) {
    deletedEntries.removeAll { $0 == entry }
    report("recording \(entry.number) is back")
    if let place = entries.firstIndex(where: { $0.key == entry.key }) {
      selected = place
      followSelection()
    }
  }

  /// Shows a sentence until the next key.
  mutating func report(_ sentence: String, isAlert: Bool = false) {
    notice = sentence
    isNoticeAlert = isAlert
  }

  // MARK: Keys

  /// Handles a key.
  mutating func handle(_ key: Key) -> Outcome {
    report("")
    switch key {
    case .character("q"), .escape, .control("c"): return .leave
    case .up, .character("k"): select(selected - 1)
    case .down, .character("j"): select(selected + 1)
    case .pageDown, .right, .character(" "): turn(forward: true)
    case .pageUp, .left: turn(forward: false)
    case .home, .character("g"):
      top = 0
      select(0)
    case .end, .character("G"): select(entries.count - 1)
    case .character("u"):
      guard let last = deletedEntries.last else {
        report("nothing was deleted here")
        return .stay
      }
      return .restore(last)
    default: return onSelection(key)
    }
    return .stay
  }

  private func onSelection(_ key: Key) -> Outcome {
    guard let selection else { return .stay }
    switch key {
    case .enter, .character("s"): return .show(selection)
    case .character("p"): return .play(selection)
    case .character("x"): return .export(selection)
    case .character("d"), .delete: return .delete(selection)
    default: return .stay
    }
  }

  private mutating func select(_ position: Int) {
    if position < 0 || (position >= entries.count && !entries.isEmpty) {
      report(position < 0 ? "this is the newest" : "this is the oldest")
    }
    selected = position
    followSelection()
  }

  private mutating func turn(forward: Bool) {
    let step = forward ? ListView.pageLength : -ListView.pageLength
    guard entries.indices.contains(top + step) || (!forward && top > 0) else {
      return report(forward ? "this is the last page" : "this is the first page")
    }
    top = max(0, top + step)
    selected = top
    followSelection()
  }

  /// Moves the page to the selection.
  private mutating func followSelection() {
    selected = max(0, min(selected, entries.count - 1))
    top = max(0, min(top, entries.count - 1))
    while selected < top { top = max(0, top - ListView.pageLength) }
    while selected >= top + ListView.pageLength { top += ListView.pageLength }
  }

  // MARK: Drawing

  /// The list on a screen.
  ///
  /// - Parameters:
  ///   - store: The store's directory.
  ///   - details: The row of a recording in sight.
  func screen(
    columns: Int, rows: Int, store: String, details: (ListEntry) -> ListDetails
  ) -> Screen {
    guard columns >= 30, rows >= 5 else { return Screen.tooSmall(columns: columns, rows: rows) }
    var screen = Screen(columns: columns, rows: rows)
    drawTitle(on: &screen, store)
    let room = rows - 4
    // If the page does not fit, show the part with the selection.
    let first = top + max(0, selected - top - room + 1)
    let visible = entries[min(first, entries.count)..<min(first + min(room, 10), entries.count)]
    let rowsOfPage = visible.filter { entry in page.contains(entry) }.map { ($0, details($0)) }
    ListTable(entries: rowsOfPage, selection: selection, glyphs: glyphs).draw(on: &screen, row: 1)
    if entries.isEmpty {
      screen.put("no recordings yet; `imulog record` makes one", row: 2, column: 1, .faint)
    }
    let style = CellStyle(isNoticeAlert ? .alert : .text)
    screen.put(
      CellWidth.fit(notice, columns - 2, isASCII: glyphs.isASCII), row: rows - 2, column: 1, style)
    let hints: [KeyHint] = [
      ("q", "quit"), ("enter", "show"), ("p", "play"), ("d", "delete"), ("u", "undo"),
      ("x", "export"), (glyphs.upDown, "choose"), (glyphs.leftRight, "page"),
    ]
    screen.put(hints, row: rows - 1)
    return screen
  }

  private func drawTitle(on screen: inout Screen, _ store: String) {
    let count = entries.count
    let column = screen.put(
      "\(count) \(count == 1 ? "recording" : "recordings")", row: 0, column: 0, .bold)
    let newer = top > 0 ? "\(top) newer" : ""
    let older = max(0, count - top - ListView.pageLength)
    let position = [newer, older > 0 ? "\(older) older" : ""].filter { !$0.isEmpty }
      .joined(separator: ", ")
    let place = screen.put(position, row: 0, endingBefore: screen.columns, .faint)
    let text = glyphs.separator + store
    if column + CellWidth.of(text) < place - 1 {
      screen.put(text, row: 0, column: column, .faint)
    }
  }
}
