import Export
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Terminal

/// The store's recordings on the terminal, to choose from.
final class ListScreen {
  private let catalogue: Catalogue
  private let session: TerminalSession
  private let clock = SystemClock()
  private var view: ListView
  private var entries: [String: CatalogueEntry] = [:]
  private var details: [String: ListDetails] = [:]
  /// What was deleted here, for the way back: the store's list has it no longer.
  private var trashed: [String: TrashedRecording] = [:]
  private var stamp: FileStamp?

  /// How often the store is looked at, in nanoseconds.
  private static let lookPeriod: Int64 = 1_000_000_000

  init(_ catalogue: Catalogue, page: Int, _ session: TerminalSession) throws {
    self.catalogue = catalogue
    self.session = session
    stamp = FileStamp(catalogue.path)
    let found = try catalogue.list().entries
    entries = Dictionary(found.map { ($0.fileName, $0) }, uniquingKeysWith: { first, _ in first })
    view = ListView(found.map(ListScreen.listed), page: page, look: session.look)
  }

  /// Returns when the user leaves, or the program is to end.
  func run(_ signals: borrowing SignalWatch) throws {
    while true {
      draw()
      let events = session.wait(signals, until: clock.now() + ListScreen.lookPeriod)
      if events.isEmpty { try refresh() }
      for event in events {
        switch event {
        case .key(let key): if try !act(view.handle(key), signals) { return }
        case .resized: break
        case .ended: return
        }
      }
    }
  }

  private static func listed(_ entry: CatalogueEntry) -> ListEntry {
    ListEntry(number: entry.number, key: entry.fileName)
  }

  private func draw() {
    let size = session.size
    session.show(
      view.screen(columns: size.columns, rows: size.rows, store: catalogue.path) {
        self.details(of: $0)
      })
  }

  /// Read once for each recording, while it stays as it is.
  private func details(of entry: ListEntry) -> ListDetails {
    if let known = details[entry.key] { return known }
    guard let found = entries[entry.key] else {
      return ListDetails(
        started: "", zone: "", length: "", sensor: "", hertz: "", state: "", gaps: "", size: "",
        note: "", isAlert: false)
    }
    let row = ListRow(found, in: catalogue)
    if !row.isPassing { details[entry.key] = row.details }
    return row.details
  }

  /// Reads the directory anew when it has changed.
  private func refresh(force: Bool = false) throws {
    let new = FileStamp(catalogue.path)
    guard force || new != stamp else { return }
    stamp = new
    let found = try catalogue.list().entries
    entries = Dictionary(found.map { ($0.fileName, $0) }, uniquingKeysWith: { first, _ in first })
    view.refresh(found.map(ListScreen.listed))
  }

  /// Does what the view asks; `false` to leave.
  private func act(
    _ outcome: ListView.Outcome, _ signals: borrowing SignalWatch
  ) throws -> Bool {
    do {
      switch outcome {
      case .stay: break
      case .leave: return false
      case .show(let entry):
        return try recording(entry).map { ShowScreen(recording: $0).run(session, signals) } ?? true
      case .play(let entry):
        return try recording(entry).map {
          PlayScreen(recording: $0, speed: 1).run(session, signals)
        } ?? true
      case .export(let entry): try export(entry)
      case .delete(let entry): try delete(entry)
      case .restore(let entry): try restore(entry)
      }
    } catch {
      view.report(CommandFailure(error)?.sentence ?? "\(error)", isAlert: true)
    }
    return true
  }

  private func recording(_ entry: ListEntry) throws -> RecordingOnScreen? {
    guard let found = entries[entry.key] else { return nil }
    return try RecordingOnScreen(found, in: catalogue)
  }

  private func delete(_ entry: ListEntry) throws {
    guard let found = entries[entry.key] else { return }
    trashed[entry.key] = try catalogue.remove(found, now: clock.wallTime)
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

  /// Writes JSON into the working directory, under a name that nothing has.
  private func export(_ entry: ListEntry) throws {
    guard let found = entries[entry.key] else { return }
    let name = "recording-\(entry.number).json"
    guard access(name, F_OK) != 0 else {
      return view.report("\(name) is there already, and stays as it is", isAlert: true)
    }
    var options = ExportOptions(format: .json)
    options.number = entry.number
    let file = try PendingFile(name)
    var sink = FileDescriptorSink(file.descriptor, name: name)
    let report = try Exporter(options).write(try FileStorage(reading: found.path), to: &sink)
    try file.publish()
    let damage = report.damages > 0 ? "; parts of the recording are damaged and missing in it" : ""
    view.report("written to \(name)\(damage)", isAlert: report.damages > 0)
  }
}

/// When a directory was changed last.
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
