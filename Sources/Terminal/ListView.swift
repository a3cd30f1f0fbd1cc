// SPDX-License-Identifier: Apache-2.0

import LogStore

/// Recordings, newest first, as many as a screen has rows for: a pure state machine of keys and of the store.
///
/// Recordings in sight stay in place when others come or go, or when a search hides them:
///
///     before            two came, 14 went
///     17 ◄─ top         17 ◄─ top        "2 newer" above
///     16                16
///     15 ◄─ selected    15 ◄─ selected
///     14                13
///     ⋮                 ⋮
struct ListView: Sendable {
  /// What the caller does after a key.
  enum Outcome: Equatable {
    case stay
    case leave
    /// Carry out a command for a recording.
    case act(Command, CatalogueEntry)
  }

  enum Command: Equatable {
    /// Show its graph.
    case show
    case play
    case export(ListFormat)
    /// Move it to the trash; then call ``deleted(_:)`` or ``report(_:isAlert:)``.
    case delete
    /// Restore it from the trash; then call ``restored(_:)`` or ``report(_:isAlert:)``.
    case restore
  }

  enum Mode: Equatable {
    case list
    case search
    case format(CatalogueEntry)
  }

  /// Recordings on a page of a list that is not interactive.
  private static let pageLength = 10

  let glyphs: GlyphSet
  let formats: [ListFormat]
  private(set) var columns = 0
  private(set) var rows = 0
  private(set) var mode = Mode.list {
    didSet { if mode != oldValue { panelPage = 0 } }
  }
  /// The page of the mode's panel.
  private(set) var panelPage = 0
  private(set) var helpPanel = HelpPanel(least: ListView.leastScreen)
  private(set) var search = ListSearch()
  private(set) var all: [CatalogueEntry]
  /// Those that were found; all without a search.
  private(set) var entries: [CatalogueEntry]
  /// The positions of the first one in sight and of the selected one.
  private(set) var top = 0
  private var selected = 0
  /// The recordings that were there last, also while a search hides them.
  private var topEntry: CatalogueEntry?
  private var selectedEntry: CatalogueEntry?
  /// Recordings deleted here, in order.
  private var deletedEntries: [CatalogueEntry] = []
  private(set) var notice = ""
  private(set) var isNoticeAlert = false

  /// - Parameters:
  ///   - entries: Newest first.
  ///   - page: The page of ten recordings whose newest one is selected; counts from 1.
  ///   - formats: An export's.
  init(
    _ entries: [CatalogueEntry], page: Int = 1, glyphs: GlyphSet, formats: [ListFormat] = []
  ) {
    (all, self.entries) = (entries, entries)
    self.glyphs = glyphs
    self.formats = formats
    let (first, overflow) = (max(1, page) - 1).multipliedReportingOverflow(by: ListView.pageLength)
    selected = overflow ? .max : first
    scroll(to: selected)
  }

  var selection: CatalogueEntry? {
    entries.indices.contains(selected) ? entries[selected] : nil
  }

  var visible: ArraySlice<CatalogueEntry> {
    entries[min(top, entries.count)..<min(top + room, entries.count)]
  }

  private var room: Int { max(1, rows - 4) }

  mutating func fit(columns: Int, rows: Int) {
    let hasOtherRows = rows != self.rows
    (self.columns, self.rows) = (columns, rows)
    if hasOtherRows { scroll(to: top) }
  }

  // MARK: The store

  /// Replaces the list, newest first. Recordings in sight stay in place.
  mutating func refresh(_ new: [CatalogueEntry]) {
    guard new != all else { return }
    // While the newest is selected, the selection follows the newest.
    let isFollowing = top == 0 && selected == 0 && search.phrase.isEmpty
    let kept = Set(new.map(\.fileName))
    /// The recording, or the next older one that remains.
    func successor(of entry: CatalogueEntry?) -> CatalogueEntry? {
      guard !isFollowing else { return new.first }
      return all.drop { $0.fileName != entry?.fileName }.first { kept.contains($0.fileName) }
        ?? new.last
    }
    let (newTop, newSelected) = (successor(of: topEntry), successor(of: selectedEntry))
    all = new
    (topEntry, selectedEntry) = (newTop, newSelected)
    search.refresh(new)
    showFound()
  }

  /// Reports that a recording is in the trash.
  mutating func deleted(_ entry: CatalogueEntry) {
    deletedEntries.append(entry)
    report("recording \(entry.number) is in the trash; u brings it back")
  }

  /// Reports and selects a restored recording, after `refresh`.
  mutating func restored(_ entry: CatalogueEntry) {
    deletedEntries.removeAll { $0 == entry }
    report("recording \(entry.number) is back")
    if let place = entries.firstIndex(where: { $0.fileName == entry.fileName }) { select(place) }
  }

  /// Shows a sentence until the next key.
  mutating func report(_ sentence: String, isAlert: Bool = false) {
    notice = sentence
    isNoticeAlert = isAlert
  }

  // MARK: Searching

  var isSearching: Bool { search.searchedCount(of: all) < all.count }

  /// The next recording to search: call ``searched(_:_:)`` with its row, and after some of them ``showFound()``.
  mutating func nextToSearch() -> CatalogueEntry? { search.next(in: all) }

  mutating func searched(_ entry: CatalogueEntry, _ details: ListDetails) {
    search.take(entry, details)
  }

  /// The row of a recording has changed.
  mutating func changed(_ file: String) { search.forget(file) }

  /// Shows what was found. The selected recording stays selected, or the next older one that was found.
  mutating func showFound() {
    entries = search.found(in: all)
    (top, selected) = (place(of: topEntry), place(of: selectedEntry))
    keepInSight()
  }

  /// The position of a recording, or of the next older one that is shown; else the last one.
  private func place(of entry: CatalogueEntry?) -> Int {
    guard let entry else { return 0 }
    var place = 0
    for other in all {
      if other.fileName == entry.fileName { break }
      if place < entries.count, entries[place].fileName == other.fileName { place += 1 }
    }
    return max(0, min(place, entries.count - 1))
  }

  private mutating func find(_ phrase: String) {
    search.search(for: phrase)
    showFound()
  }

  // MARK: Keys

  mutating func handle(_ key: Key) -> Outcome {
    report("")
    if mode == .list, helpPanel.takes(key, of: help, columns: columns, rows: rows) { return .stay }
    if let next = panel?.page(after: key, on: panelPage, columns: columns, rows: rows) {
      panelPage = next
      return .stay
    }
    switch mode {
    case .list: return command(key)
    case .search: typed(key)
    case .format(let entry): return choose(key, entry)
    }
    return .stay
  }

  private mutating func command(_ key: Key) -> Outcome {
    switch key {
    case .escape where !search.phrase.isEmpty:
      remember()
      find("")
    case .character("q"), .escape, .control("c"): return .leave
    case .character("/"): mode = .search
    case .character("k"): move(.up)
    case .character("j"): move(.down)
    case .character("g"): move(.home)
    case .character("G"): move(.end)
    case .right, .character(" "): move(.pageDown)
    case .left: move(.pageUp)
    case .character("u"):
      guard let last = deletedEntries.last else {
        report("nothing was deleted here")
        return .stay
      }
      return .act(.restore, last)
    default: return onSelection(key)
    }
    return .stay
  }

  private mutating func onSelection(_ key: Key) -> Outcome {
    guard let selection else { return .stay }
    switch key {
    case .enter, .character("s"): return .act(.show, selection)
    case .character("p"): return .act(.play, selection)
    case .character("x"): mode = .format(selection)
    case .character("d"), .delete: return .act(.delete, selection)
    default: move(key)
    }
    return .stay
  }

  /// Handles a key of a search's phrase. Other keys still move the selection.
  private mutating func typed(_ key: Key) {
    switch key {
    case .enter: mode = .list
    case .escape, .control("c"):
      mode = .list
      find("")
    case .backspace where search.phrase.isEmpty: mode = .list
    case .backspace: find(String(search.phrase.dropLast()))
    case .control("u"): find("")
    case .character(let scalar): find(search.phrase + String(scalar))
    default: move(key)
    }
  }

  private mutating func choose(_ key: Key, _ entry: CatalogueEntry) -> Outcome {
    switch key {
    case .escape, .control("c"), .character("q"): mode = .list
    case .character(let letter):
      guard let format = formats.first(where: { $0.key == letter }) else {
        report("no format has the key \(letter)", isAlert: true)
        return .stay
      }
      mode = .list
      return .act(.export(format), entry)
    default: break
    }
    return .stay
  }

  private mutating func move(_ key: Key) {
    switch key {
    case .up: move(by: -1)
    case .down: move(by: 1)
    case .pageUp: move(by: -room, isPage: true)
    case .pageDown: move(by: room, isPage: true)
    case .home: select(0)
    case .end: select(.max)
    default: break
    }
  }

  /// Moves the selection, and by a page the screen too.
  private mutating func move(by count: Int, isPage: Bool = false) {
    guard selected != (count < 0 ? 0 : entries.count - 1) else {
      return report(count < 0 ? "this is the newest" : "this is the oldest")
    }
    guard isPage else { return select(selected + count) }
    selected += count
    scroll(to: top + count)
  }

  private mutating func select(_ position: Int) {
    selected = position
    keepInSight()
    remember()
  }

  /// Moves the screen, as far as recordings fill it.
  private mutating func scroll(to position: Int) {
    top = min(position, entries.count - room)
    keepInSight()
    remember()
  }

  /// Moves the screen to the selection.
  private mutating func keepInSight() {
    selected = max(0, min(selected, entries.count - 1))
    top = max(0, min(max(top, selected - room + 1), selected))
  }

  /// Has what is in sight now stay in place.
  private mutating func remember() {
    guard !entries.isEmpty else { return }
    (topEntry, selectedEntry) = (entries[top], entries[selected])
  }
}

struct ListFormat: Equatable, Sendable {
  let name: String
  let meaning: String
  let key: Unicode.Scalar

  /// Formats with keys: the first letter of each name that no format before has, and is not `q`.
  static func list(_ formats: [(name: String, meaning: String)]) -> [ListFormat] {
    var taken: Set<Unicode.Scalar> = ["q"]
    return formats.compactMap { name, meaning in
      guard let key = name.unicodeScalars.first(where: { !taken.contains($0) }) else { return nil }
      taken.insert(key)
      return ListFormat(name: name, meaning: meaning, key: key)
    }
  }
}
