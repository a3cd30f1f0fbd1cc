// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
public import LinuxIO
public import LogStore

/// The store's recordings on the terminal.
public final class ListScreen {
  private let catalogue: Catalogue
  private let session: TerminalSession
  private let clock = SystemClock()
  /// A recording's row.
  private let row: (CatalogueEntry) -> ListDetails
  /// Exports a recording to the working directory; the sentence to show, and whether it reports a problem.
  private let export: (CatalogueEntry) throws -> (sentence: String, isAlert: Bool)
  private var view: ListView
  private var entries: [String: CatalogueEntry] = [:]
  private var details: [String: ListDetails] = [:]
  /// Recordings deleted here, which the store's list no longer contains.
  private var trashed: [String: TrashedRecording] = [:]
  private var stamp: FileStamp?

  /// Nanoseconds between two looks at the store.
  private static let period: Int64 = 1_000_000_000

  /// A list of a store.
  ///
  /// - Parameters:
  ///   - page: The first page to show, from 1.
  ///   - row: A recording's row.
  ///   - export: Exports a recording to the working directory; returns the sentence to show.
  /// - Throws: `CatalogueError` when the store cannot be listed.
  public init(
    _ catalogue: Catalogue, page: Int, _ session: TerminalSession,
    row: @escaping (CatalogueEntry) -> ListDetails,
    export: @escaping (CatalogueEntry) throws -> (sentence: String, isAlert: Bool)
  ) throws {
    self.catalogue = catalogue
    self.session = session
    self.row = row
    self.export = export
    view = ListView([], glyphs: session.glyphs)
    view = ListView(try read(), page: page, glyphs: session.glyphs)
  }

  /// Returns when the user leaves, or the program must end.
  public func run(_ signals: borrowing SignalWatch) throws {
    while true {
      let size = session.size
      session.show(
        view.screen(columns: size.columns, rows: size.rows, store: catalogue.path) {
          self.details(of: $0)
        })
      let events = session.wait(signals, until: clock.now() + ListScreen.period)
      if events.isEmpty { try refresh() }
      for event in events {
        switch event {
        case .key(let key): if !handle(view.handle(key), signals) { return }
        case .resized: break
        case .ended: return
        }
      }
    }
  }

  /// Each recording is read once, unless it is running.
  private func details(of entry: ListEntry) -> ListDetails {
    if let known = details[entry.key] { return known }
    guard let found = entries[entry.key] else { return ListDetails() }
    let row = row(found)
    if !row.isPassing { details[entry.key] = row }
    return row
  }

  /// Reads the directory if it has changed.
  private func refresh(force: Bool = false) throws {
    guard force || FileStamp(catalogue.path) != stamp else { return }
    view.refresh(try read())
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
      case .show(let entry): return try recording(entry)?.show(on: session, signals) ?? true
      case .play(let entry): return try recording(entry)?.play(on: session, signals) ?? true
      case .export(let entry):
        guard let found = entries[entry.key] else { break }
        let (sentence, isAlert) = try export(found)
        view.report(sentence, isAlert: isAlert)
      case .delete(let entry): try delete(entry)
      case .restore(let entry): try restore(entry)
      }
    } catch {
      view.report(CommandFailure(error)?.sentence ?? "\(error)", isAlert: true)
    }
    return true
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
    trashed[entry.key] = nil
    try refresh(force: true)
    view.restored(entry)
    if back.number != entry.number {
      view.report("recording \(entry.number) is back as \(back.number)")
    }
  }
}

/// When a directory last changed.
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
