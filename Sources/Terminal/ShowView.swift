// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
public import LinuxIO
public import LogStore
import Text

/// Browsing a whole recording: a pure state machine of keys.
struct ShowView {
  /// What the caller does after a key.
  enum Outcome: Equatable {
    case stay
    case play
    /// Show the take's next sensor.
    case next
    /// Keep the label, then call ``show(labels:notice:)`` with those that the store has.
    case label(RecordingLabel)
    case leave
  }

  private let recording: RecordingOnScreen
  private let glyphs: GlyphSet
  private(set) var window: TimeWindow
  /// Nanoseconds from tick 0.
  private(set) var cursor: Int64
  private var choice = LineChoice()
  private var helpPanel = HelpPanel()
  /// Why the last key had no effect.
  private var notice = ""
  private var labels: [RecordingLabel] = []
  private var draft: LabelDraft?

  /// The whole recording, with the cursor in the middle.
  init(_ recording: RecordingOnScreen, glyphs: GlyphSet) {
    self.recording = recording
    self.glyphs = glyphs
    window = TimeWindow(duration: recording.span.upperBound, rate: recording.trace.rate)
    cursor = window.length / 2
  }

  /// Handles a key on a screen of this size: the cursor moves by one of its columns.
  mutating func handle(_ key: Key, columns: Int, rows: Int) -> Outcome {
    notice = ""
    if draft?.name != nil { return type(key) }
    if helpPanel.takes(key, of: help, columns: columns, rows: rows) { return .stay }
    if choice.handle(key) { return .stay }
    let trace = recording.trace
    let step = max(1, window.length / Int64(GraphPicture.plotColumns(screenColumns: columns)))
    switch key {
    case .escape where draft != nil: draft = nil
    case .character("q"), .escape, .control("c"): return .leave
    case .character("l"): setEnd()
    case .pressed(let column):
      place(time(column, columns))
      draft = LabelDraft(from: cursor)
    case .dragged(let column): place(time(column, columns))
    case .released(let column):
      place(time(column, columns))
      // A click moves the cursor.
      if let draft, abs(draft.from - cursor) >= step { setEnd() } else { draft = nil }
    case .character("p"), .character(" "): return .play
    case .tab: return .next
    case .left: place(cursor - step)
    case .right: place(cursor + step)
    case .shiftLeft, .character("["), .pageUp: pan(-1, 4)
    case .shiftRight, .character("]"), .pageDown: pan(1, 4)
    case .home: place(0)
    case .end: place(window.duration - 1)
    case .character("+"), .character("="), .up: window.zoom(1, 2, around: cursor)
    case .character("-"), .character("_"), .down: window.zoom(2, 1, around: cursor)
    case .character("0"): window.showAll()
    case .character("."): jump(to: trace.reading(after: cursor)?.time, "there is no later sample")
    case .character(","):
      jump(to: trace.reading(before: cursor)?.time, "there is no earlier sample")
    case .character("g"):
      jump(to: trace.gapStart(after: cursor), "there is no gap after the cursor")
    case .character("m"):
      jump(to: trace.mark(after: cursor)?.time, "there is no mark after the cursor")
    default: break
    }
    return .stay
  }

  /// Takes the place of another sensor's view: the part in sight, if both lasted as long, and the cursor.
  mutating func follow(_ other: ShowView) {
    if other.window.duration == window.duration { window = other.window }
    choice = other.choice
    place(other.cursor)
  }

  private func time(_ column: Int, _ columns: Int) -> Int64 {
    GraphPicture.time(atColumn: column, of: window.span, screenColumns: columns)
  }

  // MARK: Labels

  /// Shows the recording's labels, and a sentence.
  mutating func show(labels: [RecordingLabel], notice: String) {
    self.labels = labels
    self.notice = notice
  }

  /// Begins a label, or asks for its name.
  private mutating func setEnd() {
    guard draft != nil else { return draft = LabelDraft(from: cursor) }
    // At the end of the recording, its last instant is inside.
    draft?.end(at: cursor == window.duration - 1 ? window.duration : cursor)
    if draft?.name == nil { notice = "the label has no length; move the cursor, then press l" }
  }

  private mutating func type(_ key: Key) -> Outcome {
    switch draft?.type(key) {
    case .cancel?: draft = nil
    case .refuse(let sentence)?: notice = sentence
    case .label(let name, let span)?:
      let origin = recording.origin
      do {
        let label = try RecordingLabel.given(
          name, from: span.lowerBound &+ origin, to: span.upperBound &+ origin)
        draft = nil
        return .label(label)
      } catch {
        notice = "\(error)"
      }
    case .stay?, nil: break
    }
    return .stay
  }

  private mutating func jump(to time: Int64?, _ otherwise: String) {
    if let time { place(time) } else { notice = otherwise }
  }

  private mutating func place(_ time: Int64) {
    cursor = max(0, min(time, window.duration - 1))
    window.follow(cursor)
  }

  private mutating func pan(_ numerator: Int64, _ denominator: Int64) {
    let share = cursor - window.start
    window.pan(numerator, denominator)
    cursor = window.start + share
  }

  // MARK: Drawing

  func screen(columns: Int, rows: Int) -> Screen {
    let hints: [KeyHint] = [
      ("q", "back"), ("?", "help"), (glyphs.leftRight, "cursor"), ("+-", "zoom"), ("p", "play"),
      LineChoice.hint, ("[]", "pan"), ("0", "all"), (",.", "sample"), ("g", "next gap"),
      ("m", "next mark"), ("l", "label"),
    ]
    var screen = recording.screen(
      columns: columns, rows: rows, glyphs: glyphs,
      line: notice.isEmpty ? draftLine ?? cursorLine : [[notice]],
      isAlert: !notice.isEmpty, hints: hints
    ) {
      picture(
        columns: columns, cursor: cursor,
        values: recording.reading(at: cursor).map(GraphValues.init))
    }
    helpPanel.draw(help, on: &screen, glyphs: glyphs)
    return screen
  }

  private var help: KeyHelp {
    KeyHelp([
      (glyphs.leftRight, "the cursor, by a column"), (", .", "the sample before, after"),
      ("Home End", "the start, the end"), ("+ -", "a shorter, a longer part"),
      ("0", "the whole recording"), ("[ ]", "a quarter to the left, to the right"),
      ("g", "the next gap"), ("m", "the next mark"),
      ("l", "begin a label at the cursor, end it there"), ("x y z", "show or hide an axis"),
      ("v", "show or hide the magnitude |v|"), ("p", "play from the cursor on"),
      ("Tab", "the next sensor of a take"), ("q", "back"),
    ])
  }

  /// The graph without keys and cursor: for a pipe.
  func plainScreen(columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    recording.putTitle(on: &screen, glyphs)
    picture(columns: columns).draw(on: &screen, rows: 1..<rows)
    return screen
  }

  private func picture(
    columns: Int, cursor: Int64? = nil, values: GraphValues? = nil
  ) -> GraphPicture {
    let envelope = recording.envelope(window.span, columns: columns, glyphs: glyphs)
    return GraphPicture(
      sensor: recording.sensor, envelope: envelope, axes: recording.axes(for: envelope, choice),
      marks: recording.trace.marks.map(\.time), labels: labelSpans, cursor: cursor,
      values: values, choice: choice, glyphs: glyphs)
  }

  /// The labels, and the one that is being made, in the times of the screen.
  private var labelSpans: [Range<Int64>] {
    let shift = 0 &- recording.origin
    return labels.map { Trace.sum($0.from, shift)..<Trace.sum($0.to, shift) }
      + (draft.map { [$0.span(to: cursor)] } ?? [])
  }

  private var draftLine: [[String]]? {
    guard let draft else { return nil }
    let span = draft.span(to: cursor)
    let part = [span.lowerBound, span.upperBound]
      .map { Figures.position($0, decimals: 3) }.joined(separator: " to ")
    guard let name = draft.name else {
      return [["label \(part): move the cursor, l ends it, esc leaves it", "label: l ends it"]]
    }
    return [["name of \(part): \(name)_", "name: \(name)_"]]
  }

  private var cursorLine: [[String]] {
    let place = "cursor \(Figures.position(cursor, decimals: 3))"
    // The axis shows the place too; only the line has the file's time.
    var parts = [recording.fileTime(cursor).map { [place + glyphs.separator + $0, $0] } ?? [place]]
    let sensor = recording.sensor
    if let gap = recording.gapText(at: cursor) {
      parts.append([gap])
    } else if let reading = recording.reading(at: cursor) {
      let sample = "sample \(reading.tick)"
      parts.append([sample + " at \(Figures.position(reading.time, decimals: 6))", sample])
      if recording.trace.stride > 1 { parts.append(["\(recording.trace.stride) samples as one"]) }
      if sensor.channels.contains(.temperature) {
        let celsius =
          Double(reading.low.temperature) * sensor.temperature.scale + sensor.temperature.offset
        parts.append([
          Figures.signed(celsius, 1, glyphs).drop { $0 == " " } + " " + glyphs.degreesCelsius
        ])
      }
    }
    let near = window.length / 100
    if let mark = recording.trace.marks.first(where: { abs($0.time - cursor) < near }) {
      parts.append(["mark \(mark.label)"])
    }
    let names = labels.filter { ($0.from..<$0.to).contains(cursor &+ recording.origin) }.map(\.name)
    if !names.isEmpty { parts.append(["label " + Plain.text(names.joined(separator: ", "))]) }
    return parts
  }
}

extension RecordingOnScreen {
  /// Shows a graph until the user leaves, and stores the labels that are made; `false` when the program must end.
  ///
  /// - Parameters:
  ///   - recordings: One, or those of a take's sensors, which Tab goes through.
  ///   - start: The one to begin with.
  public static func show(
    _ recordings: [RecordingOnScreen], from start: Int = 0, on session: TerminalSession,
    _ signals: borrowing SignalWatch, in catalogue: Catalogue
  ) -> Bool {
    var index = start
    var recording: RecordingOnScreen { recordings[index] }
    var view = ShowView(recording, glyphs: session.glyphs)
    recording.showLabels(on: &view, catalogue)
    session.hasMouse = true
    defer { session.hasMouse = false }
    while true {
      let size = session.size
      session.show(view.screen(columns: size.columns, rows: size.rows))
      guard let keys = session.wait(signals, until: nil) else { return false }
      for key in keys {
        switch view.handle(key, columns: size.columns, rows: size.rows) {
        case .stay: break
        case .play:
          session.hasMouse = false
          guard recording.play(on: session, signals, from: view.cursor) else { return false }
          session.hasMouse = true
        case .next:
          index = (index + 1) % recordings.count
          var next = ShowView(recording, glyphs: session.glyphs)
          next.follow(view)
          view = next
          recording.showLabels(on: &view, catalogue)
        case .label(let label): recording.showLabels(on: &view, catalogue, adding: label)
        case .leave: return true
        }
      }
    }
  }

  /// Shows the store's labels, with a new one, or why that failed.
  private func showLabels(
    on view: inout ShowView, _ catalogue: Catalogue, adding label: RecordingLabel? = nil
  ) {
    do throws(CatalogueError) {
      if let label { try catalogue.add(label, to: id) }
      let list = try catalogue.labels(of: id)
      view.show(labels: list.labels, notice: list.damageSentence ?? "")
    } catch {
      view.show(labels: [], notice: "\(error)")
    }
  }
}

/// A label while its ends are set and its name is typed.
///
///     l, or a press of the mouse ──► l at another place, or a release there ──► letters ──► Enter
///                 begins                           ends                                      keeps it
struct LabelDraft: Equatable {
  enum Answer: Equatable {
    case stay
    case cancel
    case refuse(String)
    case label(String, Range<Int64>)
  }

  /// Where it was begun: its earlier or its later end.
  let from: Int64
  /// The other end; `nil` while it follows the cursor.
  private var to: Int64?
  /// The typed name; `nil` until it has two ends.
  private(set) var name: String?

  init(from: Int64) {
    self.from = from
  }

  /// From its earlier to its later end, which is `cursor` while it has one end.
  func span(to cursor: Int64) -> Range<Int64> {
    let other = to ?? cursor
    return min(from, other)..<max(from, other)
  }

  /// Sets its other end; has no effect at the first one.
  mutating func end(at time: Int64) {
    guard time != from else { return }
    (to, name) = (time, "")
  }

  mutating func type(_ key: Key) -> Answer {
    let typed = name ?? ""
    switch key {
    case .escape, .control("c"): return .cancel
    case .backspace, .delete: name = String(typed.dropLast())
    case .enter:
      guard let to, !typed.isEmpty else { return .refuse("type a name, or leave it with Escape") }
      return .label(typed, span(to: to))
    case .character(let letter):
      guard typed.utf8.count < RecordingLabel.longestName else {
        return .refuse("a name has at most \(RecordingLabel.longestName) bytes")
      }
      name = typed + String(Character(letter))
    default: break
    }
    return .stay
  }
}
