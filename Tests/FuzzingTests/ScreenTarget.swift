// SPDX-License-Identifier: Apache-2.0

@testable public import FuzzTargets
import Glibc
import IMUModel
import LogStore
import Recorder
@testable import Terminal
import Text

/// What a person sees of a forged log, or of a service that is watched, whichever keys are pressed:
///
///     choice │ columns │ rows │ number of keys' bytes │ keys │ a log, or lines of a service
///
/// A test's, and none of the other targets', since only tests see what is on a screen.
public final class ScreenTarget: FuzzTarget {
  /// `screens`.
  public static let name = "screens"

  private var forged = ForgedLog()
  private let folder: String
  private var path: String { folder + "/000001-20261121T023807Z-1b4e28ba.imulog" }
  private var size = (columns: 80, rows: 24)
  private var keys: [Key] = []

  /// A target for one thread, with a store of one recording.
  public init() {
    let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    guard let path = mkdtemp(strdup(place + "/screens.XXXXXX")) else {
      preconditionFailure("no folder in \(place): errno \(errno)")
    }
    folder = String(cString: path)
    free(path)
  }

  deinit {
    unlink(path)
    rmdir(folder)
  }

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    var cursor = InputCursor(input)
    let choice = cursor.byte()
    size = (Int(cursor.byte()), Int(cursor.byte() & 63))
    var parser = KeyParser()
    keys = parser.keys(cursor.bytes(Int(cursor.byte() & 31))) + parser.flush()
    let glyphs = GlyphSet(isASCII: choice & 1 != 0)
    guard choice & 2 == 0 else {
      return watch(String(decoding: cursor.rest, as: UTF8.self), glyphs, isLate: choice & 4 != 0)
    }
    forged.with(&cursor) { log in
      do { try show(log, glyphs, choice) } catch { _ = "\(error)" }
    }
  }

  private func check(_ screen: Screen) {
    precondition(screen.columns == max(1, size.columns) && screen.rows == max(1, size.rows), "size")
    for place in 0..<screen.rows * screen.columns {
      let scalar = screen[place / screen.columns, place % screen.columns].scalar
      precondition(scalar == Cell.half.scalar || !ForeignText.isObeyed(scalar), "\(scalar)")
    }
  }

  /// A list with its preview and, of what that has read, one of the views.
  private func show(_ log: UnsafeRawBufferPointer, _ glyphs: GlyphSet, _ choice: UInt8) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    precondition(write(file, log.baseAddress, log.count) == log.count, "errno \(errno)")
    close(file)
    let catalogue = try Catalogue(path: folder)
    var reader = PreviewReader(catalogue)
    let entry = try catalogue.list().entries[0]
    reader.select(entry)
    reader.read { true }
    var list = ListView(
      [entry], glyphs: glyphs,
      formats: ListFormat.list([("csv", "a table")]))
    let (columns, rows) = size
    list.fit(columns: columns, rows: rows)
    let preview = reader.preview
    guard case .recording(let recording) = preview else { return }
    var show = ShowView(recording, glyphs: glyphs)
    let labels = try [(Int64.min, 1), (1, Int64.max)].map {
      try RecordingLabel("walking", from: $0, to: $1)
    }
    show.show(labels: labels, notice: "")
    let speed = Double(choice >> 4)
    var play = PlayView(
      recording, glyphs: glyphs, speed: speed, from: recording.span.upperBound / 2, now: 0)
    for (turn, key) in keys.enumerated() {
      switch choice & 0x0C {
      case 0:
        _ = show.handle(key, columns: columns, rows: rows)
        check(show.screen(columns: columns, rows: rows))
      case 4:
        let now = Int64(turn) << Int64(choice >> 4 + 20)
        _ = play.handle(key, columns: columns, rows: rows, now: now)
        check(play.screen(columns: columns, rows: rows))
      default:
        _ = list.handle(key)
        check(list.screen(store: folder, preview: preview) { _ in ListDetails() })
      }
    }
    precondition(!RecordingOnScreen.text([recording]).isEmpty, "no picture")
  }

  private func watch(_ text: String, _ glyphs: GlyphSet, isLate: Bool) {
    var view: LiveView?
    var (service, rate, ticks) = (nil as RecorderStatus?, nil as SampleRate?, nil as UInt64?)
    for line in text.split(separator: "\n") {
      switch WatchLine(line: line) {
      case .status(let status)?: service = status
      case .plan(let planned)?: ticks = planned
      case .sensor(let sensor, let new, let channels)?:
        rate = new
        view = LiveView(
          sensor, channels: channels, rate: new, note: "", glyphs: glyphs, purpose: .watch,
          isGuided: isLate)
      case .record(let record)?: view?.append([record])
      case .mark(let time)?: view?.mark(at: time)
      default: break
      }
    }
    guard let view else { return }
    for (turn, key) in keys.enumerated() {
      if let service {
        view.status.take(service, rate: rate, plannedTicks: ticks)
      }
      check(view.screen(columns: size.columns, rows: size.rows, now: Int64(turn) * 250_000_000))
      _ = view.handle(key)
    }
  }
}
