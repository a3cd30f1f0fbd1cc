// SPDX-License-Identifier: Apache-2.0

import Calibration
import Graph
import IMUModel
import Recorder
import Sampling
import Text

/// The figures beside a live graph.
struct LiveStatus: Equatable, Sendable {
  /// Such as `recording 12`, `armed`, `ending`.
  var state = ""
  var isRecording = false
  /// Nanoseconds since the recording began; `nil` without one.
  var elapsed: Int64?
  /// The recording's planned length in nanoseconds; `nil` for one that runs until stopped.
  var planned: Int64?
  /// The outcomes of its ticks; `nil` for those of the samples shown, with their gaps and lateness.
  var tally: TickTally?
  /// Runs of ticks without samples; `nil` when unknown.
  var gapCount: Int?
  /// The 99th percentile and the maximum of the sampler's lateness in nanoseconds; `nil` when unknown.
  var latenessP99: Int64?
  var latenessMaximum: Int64?
  var markCount = 0
  /// Each sensor of a take; empty for one.
  var members: [MemberStatus] = []
  /// Samples that were dropped from the display.
  var unseen: UInt64 = 0
  /// A problem, such as a full disk; empty for none.
  var notice = ""
}

/// Samples while they are recorded: a pure state machine of records, keys and time.
///
///     time ──►     the graph grows to the right
///     │⠒⠢⠤⠔⠒⠢⠤  │
///     │⠤⠔⠒⠢⠤⠔⠒⠢⠤│  at the edge it moves left by a quarter
///     │⠢⠤⠔⠒⠢⠤   │
///
/// A graph that scrolled with each sample would be sent whole with each frame, more than some SSH links carry, and its
/// axis would be unreadable.
final class LiveView {
  /// What the caller does after a key.
  enum Outcome: Equatable, Sendable {
    case stay
    case start
    /// End the recording and keep it.
    case stop
    case mark
    /// Discard the recording and begin another.
    case discard
    /// Draw the next sensor of the take.
    case next
    case leave
  }

  enum Purpose: Equatable, Sendable {
    /// This program's own: leaving the view ends it.
    case recording
    /// The service's: leaving the view changes nothing.
    case watch
  }

  /// Chip and rate, and the note.
  private let words: [String]
  private let sensor: GraphSensor
  private let glyphs: GlyphSet
  private let purpose: Purpose
  private let hasOthers: Bool
  private var tally = TickTally()
  private var gapCount = 0
  private var histogram = LatenessHistogram()
  private var window: LiveWindow
  private var axes: [PanelKind: AutoRange] = [:]
  private var marks: [Int64] = []
  private var latest: RawSample?
  private var isDiscardAsked = false
  private var choice = LineChoice()
  /// For a calibration; `nil` for any other recording.
  private var guide: CalibrationGuide?
  private var helpPanel = HelpPanel()
  /// The last screen's.
  private var size = (columns: 0, rows: 0)
  /// The figures on the screen: those that change 25 times a second cannot be read.
  private var shownValues: RawSample?
  private var shownStatus = LiveStatus()
  private var shownAt: Int64?

  var status = LiveStatus()

  /// - Parameters:
  ///   - name: The sensor's in a take.
  ///   - planned: The recording's planned length in nanoseconds: a short one fills the graph.
  ///   - isGuided: Whether to show what to do for a calibration.
  ///   - hasOthers: Whether there are other sensors to draw.
  init(
    _ sensor: SensorDescription, name: String = "", channels: ChannelSet, rate: SampleRate,
    note: String, glyphs: GlyphSet, purpose: Purpose, planned: Int64? = nil, isGuided: Bool = false,
    hasOthers: Bool = false
  ) {
    if isGuided { guide = CalibrationGuide(sensor, channels: channels, rate: rate) }
    words = [
      (name.isEmpty ? "" : "\(name), ") + RecordingTitle.sensor(sensor, rate), Plain.text(note),
    ]
    self.sensor = GraphSensor(sensor, channels: channels)
    self.glyphs = glyphs
    (self.purpose, self.hasOthers) = (purpose, hasOthers)
    window = LiveWindow(rate: rate, glyphs: glyphs, planned: planned)
    for kind in self.sensor.panels {
      axes[kind] = AutoRange(least: self.sensor.leastExtent(kind))
    }
  }

  func append(_ records: [TickRecord]) {
    for record in records {
      window.append(record)
      tally.add(record)
      guide?.add(record)
      if record.kind == .gap { gapCount += 1 }
      guard record.kind == .sample else { continue }
      histogram.record(Int64(record.lateness))
      latest = record.sample
    }
  }

  /// The status, with the counts of what is shown unless it has its own.
  private var countedStatus: LiveStatus {
    guard status.tally == nil else { return status }
    var status = status
    (status.tally, status.gapCount) = (tally, gapCount)
    status.latenessP99 = histogram.percentile(99)
    status.latenessMaximum = histogram.maximum
    return status
  }

  /// Adds a mark, in nanoseconds from tick 0.
  func mark(at time: Int64) {
    marks.append(time)
    if marks.count > 1000 { marks.removeFirst() }
  }

  func handle(_ key: Key) -> Outcome {
    let wasAsked = isDiscardAsked
    isDiscardAsked = false
    if helpPanel.takes(key, of: help, columns: size.columns, rows: size.rows) { return .stay }
    if choice.handle(key) { return .stay }
    switch key {
    case .character("r") where purpose == .watch && !status.isRecording: return .start
    case .character("+"), .character("="), .up: window.zoom(in: true)
    case .character("-"), .character("_"), .down: window.zoom(in: false)
    case .character("m"), .character(" "): return .mark
    case .character("s"): return .stop
    case .tab where hasOthers: return .next
    case _ where LiveView.stops(key): return purpose == .recording ? .stop : .leave
    case .character("d"):
      guard status.isRecording else { break }
      if wasAsked { return .discard }
      isDiscardAsked = true
    default: break
    }
    return .stay
  }

  /// Whether a key ends the view of this program's own recording, and with it the recording.
  static func stops(_ key: Key) -> Bool {
    switch key {
    case .character("s"), .character("q"), .escape, .control("c"): true
    default: false
    }
  }

  // MARK: Drawing

  /// - Parameter now: Nanoseconds on a monotonic clock.
  func screen(columns: Int, rows: Int, now: Int64) -> Screen {
    size = (columns, rows)
    guard GraphPicture.fits(columns: columns, rows: rows) else {
      return Screen.tooSmall(columns: columns, rows: rows, least: GraphPicture.leastScreen)
    }
    window.fit(screenColumns: columns)
    for kind in sensor.panels {
      axes[kind]?.include(sensor.values(kind, in: window.envelope, choice), now: now)
    }
    if shownAt.map({ now - $0 >= LiveView.readable }) ?? true {
      (shownValues, shownStatus, shownAt) = (latest, countedStatus, now)
    }
    var screen = Screen(columns: columns, rows: rows)
    drawTitle(on: &screen)
    var top = 1
    if let guide {
      GuidePicture(guide: guide, glyphs: glyphs).draw(on: &screen, row: top)
      top += GuidePicture.rows
    }
    if GraphPicture.fits(columns: columns, rows: rows - top + 1) {
      GraphPicture(
        sensor: sensor, envelope: window.envelope, axes: axes.compactMapValues(\.range),
        marks: marks, values: shownValues.map(GraphValues.init), choice: choice, glyphs: glyphs
      ).draw(on: &screen, rows: top..<rows - 2)
    }
    drawStatus(on: &screen, row: rows - 2)
    screen.put(hints, row: rows - 1)
    helpPanel.draw(help, on: &screen, glyphs: glyphs)
    return screen
  }

  /// Nanoseconds between two changes of the figures.
  private static let readable: Int64 = 200_000_000

  private func drawTitle(on screen: inout Screen) {
    var column = 0
    if shownStatus.isRecording {
      column = screen.put(glyphs.dot + " ", row: 0, column: 0, CellStyle(.recording, isBold: true))
    }
    column = screen.put(shownStatus.state, row: 0, column: column, .bold)
    var parts: [String] = []
    if let elapsed = shownStatus.elapsed {
      if let planned = shownStatus.planned {
        parts.append("\(Figures.time(elapsed)) of \(Figures.time(planned))")
        parts.append("\(Figures.time(max(0, planned - elapsed))) left")
      } else {
        parts.append(Figures.time(elapsed))
      }
    }
    parts += words
    for part in parts where !part.isEmpty {
      let text = glyphs.separator + part
      guard column + CellWidth.of(text) <= screen.columns || part == words.last else { continue }
      column = screen.put(
        CellWidth.fit(text, screen.columns - column, isASCII: glyphs.isASCII), row: 0,
        column: column)
    }
  }

  private func drawStatus(on screen: inout Screen, row: Int) {
    let status = shownStatus
    let notice =
      isDiscardAsked && self.status.isRecording
      ? "d again moves this recording to the trash and starts another" : status.notice
    guard notice.isEmpty else {
      return screen.put(
        notice: notice, endingIn: row, CellStyle(.alert), isASCII: glyphs.isASCII)
    }
    var parts: [(text: String, isAlert: Bool)] = []
    if !status.members.isEmpty {
      // Those that lose samples first, as there may not be room for all.
      let all =
        status.members.filter { $0.lost ?? 0 > 0 } + status.members.filter { $0.lost ?? 0 == 0 }
      parts = all.map { ("\($0.rateText), \($0.lost ?? 0) lost", $0.lost ?? 0 > 0) }
    } else if let tally = status.tally {
      parts.append(("\(tally.sampled) samples", false))
      let missing = tally.scheduled - tally.sampled
      let gaps = status.gapCount.map { Plain.count($0, "gap") + ", " } ?? ""
      parts.append((missing == 0 ? "no gaps" : gaps + "\(missing) missing", missing > 0))
    }
    if status.members.isEmpty, let late = status.latenessP99 {
      var text = "late p99 " + Figures.lateness(late, glyphs)
      if let most = status.latenessMaximum { text += ", max " + Figures.lateness(most, glyphs) }
      parts.append((text, false))
    }
    if status.markCount > 0 { parts.append((Plain.count(status.markCount, "mark"), false)) }
    if status.unseen > 0 { parts.append(("\(status.unseen) not shown", false)) }
    var column = 1
    for (index, part) in parts.enumerated() {
      let text = (index == 0 ? "" : glyphs.separator) + part.text
      guard column + CellWidth.of(text) <= screen.columns else { break }
      column = screen.put(
        text, row: row, column: column, part.isAlert ? CellStyle(.alert) : .plain)
    }
  }

  private var hints: [KeyHint] {
    let editing: [KeyHint] = [("m", "mark"), ("d", "discard, restart")]
    let graph: [KeyHint] = [("+-", "time axis"), LineChoice.hint]
    switch (purpose, status.isRecording) {
    case (.recording, _):
      let others: [KeyHint] = hasOthers ? [("tab", "next sensor")] : []
      return [("s", "stop"), ("?", "help")] + others + editing + graph
    case (.watch, true): return [("q", "leave"), ("?", "help"), ("s", "stop")] + editing + graph
    case (.watch, false): return [("q", "leave"), ("?", "help"), ("r", "record")] + graph
    }
  }

  private var help: KeyHelp {
    let leave =
      purpose == .recording
      ? [("s q", "end the recording and keep it")]
      : [
        ("r", "begin a recording"), ("s", "end it and keep it"),
        ("q", "leave; the service goes on"),
      ]
    return KeyHelp(
      leave + (hasOthers ? [("tab", "draw the next sensor")] : []) + [
        ("m space", "mark this moment"), ("d d", "discard the recording, begin another"),
        ("+ -", "a shorter, a longer time axis"), ("x y z", "show or hide an axis"),
        ("v", "show or hide the magnitude |v|"),
      ])
  }
}
