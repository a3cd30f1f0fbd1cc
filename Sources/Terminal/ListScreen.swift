// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
public import LinuxIO
public import LogStore

/// The store's recordings on the terminal. Rows and previews are read in shares between two looks at the keys, so that
/// neither a large store nor a long recording delays a key.
public final class ListScreen {
  private let catalogue: Catalogue
  private let session: TerminalSession
  private let clock = SystemClock()
  private let row: (CatalogueEntry) -> ListDetails
  private let export: (CatalogueEntry, String) throws -> (sentence: String, isAlert: Bool)
  private var view: ListView
  private var preview: PreviewReader
  private var entries: [String: CatalogueEntry] = [:]
  private var details: [String: ListDetails] = [:]
  /// When to read the rows of running recordings again.
  private var passing: [String: MonotonicTime] = [:]
  private var isRowMissing = false
  private var trashed: [String: TrashedRecording] = [:]
  private var stamp: FileStamp?

  /// Nanoseconds between two looks at the store.
  private static let period: Int64 = 1_000_000_000
  /// Nanoseconds of reading between two looks at the keys.
  private static let share: Int64 = 30_000_000
  /// At most this part of the time goes into the rows of running recordings.
  private static let passingShare: Int64 = 20

  /// - Parameters:
  ///   - page: The page of ten recordings whose first one is selected; counts from 1.
  ///   - formats: Names of the formats of an export, and what each is.
  ///   - row: A recording's row.
  ///   - export: Exports a recording to the working directory in a format; returns the sentence to show, and whether it
  ///     reports a problem.
  /// - Throws: `CatalogueError` when the store cannot be listed.
  public init(
    _ catalogue: Catalogue, page: Int, _ session: TerminalSession,
    formats: [(name: String, meaning: String)],
    row: @escaping (CatalogueEntry) -> ListDetails,
    export: @escaping (CatalogueEntry, String) throws -> (sentence: String, isAlert: Bool)
  ) throws {
    self.catalogue = catalogue
    self.session = session
    self.row = row
    self.export = export
    preview = PreviewReader(catalogue)
    view = ListView([], glyphs: session.glyphs)
    view = ListView(
      try read(), page: page, glyphs: session.glyphs, formats: ListFormat.list(formats))
  }

  /// Returns when the user leaves, or the program must end.
  public func run(_ signals: borrowing SignalWatch) throws {
    var look = clock.now() + ListScreen.period
    while true {
      show()
      let hasWork = isRowMissing || view.isSearching || preview.isReading
      guard let keys = session.wait(signals, until: hasWork ? clock.now() : look) else { return }
      for key in keys {
        // Keys that were typed ahead act on what the search finds.
        search()
        if !handle(view.handle(key), signals) { return }
      }
      if clock.now() >= look {
        try refresh()
        readAgain()
        look = clock.now() + ListScreen.period
      }
      search()
      if keys.isEmpty {
        let end = clock.now() + ListScreen.share
        preview.read { clock.now() < end }
      }
    }
  }

  private func show() {
    let size = session.size
    view.fit(columns: size.columns, rows: size.rows)
    let hasPreview = ListPreview.columns(ofScreen: size.columns, rows: size.rows) != nil
    preview.select(hasPreview ? view.selection.flatMap { entries[$0.key] } : nil)
    let end = clock.now() + ListScreen.share
    isRowMissing = false
    session.show(
      view.screen(store: catalogue.path, preview: preview.preview) { entry in
        if let known = details[entry.key] { return known }
        // One row at least, however long it takes.
        guard !isRowMissing, clock.now() < end else {
          isRowMissing = true
          return ListDetails()
        }
        return details(of: entry)
      })
  }

  /// Reads each recording once, unless it is running.
  private func details(of entry: ListEntry) -> ListDetails {
    if let known = details[entry.key] { return known }
    guard let found = entries[entry.key] else { return ListDetails() }
    let start = clock.now()
    let row = row(found)
    details[entry.key] = row
    if row.isPassing {
      let end = clock.now()
      let pause = max(ListScreen.period, ListScreen.passingShare * (end - start))
      passing[entry.key] = end + pause
    }
    return row
  }

  /// Forgets the rows of running recordings whose time has come.
  private func readAgain() {
    let now = clock.now()
    for (key, time) in passing where time <= now {
      passing[key] = nil
      details[key] = nil
      view.changed(key)
      if view.selection?.key == key { preview.readAgain() }
    }
  }

  private func search() {
    guard view.isSearching else { return }
    let end = clock.now() + ListScreen.share
    while let entry = view.nextToSearch() {
      view.searched(entry, details(of: entry))
      if clock.now() >= end { break }
    }
    view.showFound()
  }

  /// Reads the directory again if it has changed.
  private func refresh(force: Bool = false) throws {
    guard force || FileStamp(catalogue.path) != stamp else { return }
    view.refresh(try read())
    details = details.filter { entries[$0.key] != nil }
    passing = passing.filter { entries[$0.key] != nil }
  }

  private func read() throws -> [ListEntry] {
    stamp = FileStamp(catalogue.path)
    let found = try catalogue.list().entries
    entries = Dictionary(found.map { ($0.fileName, $0) }, uniquingKeysWith: { first, _ in first })
    return found.map { ListEntry(number: $0.number, key: $0.fileName) }
  }

  /// Carries out a key; `false` to leave.
  private func handle(_ outcome: ListView.Outcome, _ signals: borrowing SignalWatch) -> Bool {
    do {
      switch outcome {
      case .stay: break
      case .leave: return false
      case .show(let entry):
        // Labels may have been made there.
        defer {
          details[entry.key] = nil
          view.changed(entry.key)
        }
        return try recording(entry)?.show(on: session, signals, in: catalogue) ?? true
      case .play(let entry): return try recording(entry)?.play(on: session, signals) ?? true
      case .export(let entry, let format): try export(entry, format)
      case .delete(let entry): try delete(entry)
      case .restore(let entry): try restore(entry)
      }
    } catch {
      view.report(RecordingProblem.text(error, file: outcome.entry?.key ?? ""), isAlert: true)
    }
    return true
  }

  private func export(_ entry: ListEntry, _ format: ListFormat) throws {
    guard let found = entries[entry.key] else {
      return view.report("recording \(entry.number) is gone", isAlert: true)
    }
    view.report("exporting recording \(entry.number) as \(format.name)")
    show()
    let (sentence, isAlert) = try export(found, format.name)
    view.report(sentence, isAlert: isAlert)
  }

  private func recording(_ entry: ListEntry) throws -> RecordingOnScreen? {
    try entries[entry.key].map { try RecordingOnScreen($0, in: catalogue) }
  }

  private func delete(_ entry: ListEntry) throws {
    guard let found = entries[entry.key] else { return }
    let wall = clock.readWallClock()
    trashed[entry.key] = try catalogue.remove(
      found, now: WallTime(nanoseconds: wall.wall, isSynchronised: wall.isSynchronised))
    view.deleted(entry)
    try refresh(force: true)
  }

  private func restore(_ entry: ListEntry) throws {
    guard let found = trashed[entry.key] else {
      return view.report("recording \(entry.number) was not deleted here", isAlert: true)
    }
    let back = try catalogue.restore(found)
    try refresh(force: true)
    view.restored(entry)
    if back.number != entry.number {
      view.report("recording \(entry.number) is back as \(back.number)")
    }
  }
}

/// When a file last changed; `nil` when it is gone.
private struct FileStamp: Equatable {
  let seconds: Int
  let nanoseconds: Int

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
