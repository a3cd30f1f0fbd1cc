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
  /// Rows that were read, by file.
  private var details: [String: ListDetails] = [:]
  /// When to read the rows of running recordings again.
  private var passing: [String: MonotonicTime] = [:]
  private var isRowMissing = false
  private var trashed: [String: [TrashedRecording]] = [:]
  /// When the directory last changed.
  private var stamp: [Int]?

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
    stamp = ListScreen.stamp(catalogue.path)
    view = ListView(
      try catalogue.list().entries, page: page, glyphs: session.glyphs,
      formats: ListFormat.list(formats))
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
    preview.select(hasPreview ? view.selection : nil)
    let end = clock.now() + ListScreen.share
    isRowMissing = false
    session.show(
      view.screen(store: catalogue.path, preview: preview.preview) { entry in
        if let known = details[entry.fileName] { return known }
        // One row at least, however long it takes.
        guard !isRowMissing, clock.now() < end else {
          isRowMissing = true
          return ListDetails()
        }
        return details(of: entry)
      })
  }

  /// Reads each recording once, unless it is running.
  private func details(of entry: CatalogueEntry) -> ListDetails {
    if let known = details[entry.fileName] { return known }
    let start = clock.now()
    let row = row(entry)
    details[entry.fileName] = row
    if row.isPassing {
      let end = clock.now()
      let pause = max(ListScreen.period, ListScreen.passingShare * (end - start))
      passing[entry.fileName] = end + pause
    }
    return row
  }

  private func readAgain() {
    let now = clock.now()
    for (file, time) in passing where time <= now {
      passing[file] = nil
      details[file] = nil
      view.changed(file)
      if view.selection?.fileName == file { preview.readAgain() }
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

  private func refresh(force: Bool = false) throws {
    let present = ListScreen.stamp(catalogue.path)
    guard force || present != stamp else { return }
    stamp = present
    view.refresh(try catalogue.list().entries)
    let files = Set(view.all.map(\.fileName))
    details = details.filter { files.contains($0.key) }
    passing = passing.filter { files.contains($0.key) }
  }

  private static func stamp(_ path: String) -> [Int]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  /// Carries out a key; `false` to leave.
  private func handle(_ outcome: ListView.Outcome, _ signals: borrowing SignalWatch) -> Bool {
    guard case .act(let command, let entry) = outcome else { return outcome != .leave }
    do {
      switch command {
      case .show:
        // Labels may have been made there.
        defer {
          details[entry.fileName] = nil
          view.changed(entry.fileName)
        }
        let take = try catalogue.take(of: entry).recordings
        return RecordingOnScreen.show(
          try take.map { try RecordingOnScreen($0, in: catalogue) },
          from: take.firstIndex(of: entry) ?? 0, on: session, signals, in: catalogue)
      case .play: return try RecordingOnScreen(entry, in: catalogue).play(on: session, signals)
      case .export(let format): try export(entry, format)
      case .delete: try delete(entry)
      case .restore: try restore(entry)
      }
    } catch {
      view.report(RecordingProblem.text(error, file: entry.fileName), isAlert: true)
    }
    return true
  }

  private func export(_ entry: CatalogueEntry, _ format: ListFormat) throws {
    view.report("exporting recording \(entry.number) as \(format.name)")
    show()
    let (sentence, isAlert) = try export(entry, format.name)
    view.report(sentence, isAlert: isAlert)
  }

  /// Deletes a recording, with the others of its take.
  private func delete(_ entry: CatalogueEntry) throws {
    let wall = clock.readWallClock()
    let now = WallTime(nanoseconds: wall.wall, isSynchronised: wall.isSynchronised)
    let take = try catalogue.take(of: entry, isRemoval: true).recordings
    trashed[entry.fileName] = []
    for member in take {
      trashed[entry.fileName]?.append(try catalogue.remove(member, now: now))
    }
    view.deleted(entry)
    if take.count > 1 {
      let numbers = take.map { "\($0.number)" }.joined(separator: ", ")
      view.report("recordings \(numbers) are in the trash; u brings them back")
    }
    try refresh(force: true)
  }

  private func restore(_ entry: CatalogueEntry) throws {
    guard let found = trashed[entry.fileName] else {
      return view.report("recording \(entry.number) was not deleted here", isAlert: true)
    }
    let back = try found.map { try catalogue.restore($0).number }
    try refresh(force: true)
    view.restored(entry)
    if back.count > 1 || back != [entry.number] {
      let numbers = back.map { "\($0)" }.joined(separator: ", ")
      view.report(
        back.count > 1
          ? "recordings \(numbers) are back" : "recording \(entry.number) is back as \(numbers)")
    }
  }
}
