public import IMUModel
import Graph

/// What is being sampled, as it comes: a pure state machine of records, keys and time.
///
///     time ──►     the graph grows to the right and stands still
///     │⠒⠢⠤⠔⠒⠢⠤  │
///     │⠤⠔⠒⠢⠤⠔⠒⠢⠤│  at the edge all of it moves left by a quarter
///     │⠢⠤⠔⠒⠢⠤   │
///
/// A graph that slid by with each sample would have to be sent anew with each frame, which an SSH link may not
/// carry, and no one could read its axis.
public struct LiveView: Sendable {
  /// What a key asks of the caller.
  public enum Outcome: Equatable, Sendable {
    /// Nothing.
    case stay
    /// End the recording and keep it.
    case stop
    /// Mark this moment.
    case mark
    /// Throw the recording away and begin anew.
    case discard
    /// Leave the view.
    case leave
  }

  /// What the keys mean.
  public enum Purpose: Equatable, Sendable {
    /// The view is all there is of a take: leaving it ends it.
    case take
    /// Another program's take is watched; the caller says which keys it understands.
    case watch
  }

  private let title: RecordingTitle
  private let sensor: GraphSensor
  private let rate: SampleRate
  private let look: Look
  private let purpose: Purpose
  private var window: LiveWindow
  private var acceleration: AutoRange
  private var rotation: AutoRange
  private var marks: [Int64] = []
  private var latest: RawSample?
  private var isDiscardAsked = false

  /// As last shown: figures that change 25 times a second cannot be read.
  private var shownValues: RawSample?
  private var shownStatus = LiveStatus()
  private var shownAt: Int64?

  /// What is said beside the graph.
  public var status = LiveStatus()

  /// A view of a sensor that samples at `rate`.
  public init(
    title: RecordingTitle, sensor: GraphSensor, rate: SampleRate, look: Look, purpose: Purpose
  ) {
    self.title = title
    self.sensor = sensor
    self.rate = rate
    self.look = look
    self.purpose = purpose
    window = LiveWindow(rate: rate, look: look)
    acceleration = AutoRange(least: GraphPicture.leastExtent(sensor, acceleration: true))
    rotation = AutoRange(least: GraphPicture.leastExtent(sensor, acceleration: false))
  }

  /// Takes what was sampled, in order.
  public mutating func take(_ records: [TickRecord]) {
    for record in records {
      window.take(record)
      if record.kind == .sample { latest = record.sample }
    }
  }

  /// Takes a mark, in nanoseconds from tick 0.
  public mutating func take(markAt time: Int64) {
    marks.append(time)
    if marks.count > 1000 { marks.removeFirst() }
  }

  /// Does what a key asks.
  public mutating func handle(_ key: Key) -> Outcome {
    let wasAsked = isDiscardAsked
    isDiscardAsked = false
    switch key {
    case .character("+"), .character("="), .up: window.zoom(in: true)
    case .character("-"), .character("_"), .down: window.zoom(in: false)
    case .character("m"), .character(" "): return .mark
    case .character("s"): return .stop
    case .character("q"), .escape: return purpose == .take ? .stop : .leave
    case .control("c"): return purpose == .take ? .stop : .leave
    case .character("d"):
      // What is not there cannot be thrown away.
      guard status.isRecording else { break }
      if wasAsked { return .discard }
      isDiscardAsked = true
    default: break
    }
    return .stay
  }

  // MARK: Drawing

  /// The view on a screen at an instant.
  ///
  /// - Parameter now: Nanoseconds on a clock that does not go back.
  public mutating func screen(columns: Int, rows: Int, now: Int64) -> Screen {
    guard columns >= 30, rows >= GraphPicture.fewestRows + 3 else {
      return Screen.tooSmall(columns: columns, rows: rows)
    }
    window.fit(screenColumns: columns)
    let values = { [window, sensor] in
      GraphPicture.values(window.envelope, sensor, acceleration: $0)
    }
    acceleration.take(values(true), now: now)
    rotation.take(values(false), now: now)
    if shownAt.map({ now - $0 >= LiveView.readable }) ?? true {
      (shownValues, shownStatus, shownAt) = (latest, status, now)
    }
    var screen = Screen(columns: columns, rows: rows)
    drawTitle(on: &screen)
    var picture = GraphPicture(
      sensor: sensor, envelope: window.envelope, acceleration: acceleration.range,
      rotation: rotation.range)
    picture.marks = marks
    picture.values = shownValues.map { ($0, $0) }
    picture.draw(on: &screen, rows: 1..<rows - 2, look: look)
    drawStatus(on: &screen, row: rows - 2)
    drawHints(on: &screen, row: rows - 1)
    return screen
  }

  /// Nanoseconds for which a figure stands still.
  private static let readable: Int64 = 200_000_000

  private func drawTitle(on screen: inout Screen) {
    var column = 0
    if shownStatus.isRecording {
      column = screen.put(look.dot + " ", row: 0, column: 0, CellStyle(.recording, isBold: true))
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
    parts += [title.sensor, title.note]
    for part in parts where !part.isEmpty {
      let text = look.separator + part
      guard column + CellWidth.of(text) <= screen.columns || part == title.note else { continue }
      column = screen.put(
        CellWidth.fit(text, screen.columns - column, isASCII: look.isASCII), row: 0, column: column)
    }
  }

  private func drawStatus(on screen: inout Screen, row: Int) {
    let status = shownStatus
    if isDiscardAsked, self.status.isRecording {
      screen.put(
        "d again throws this recording away (to the trash) and begins anew", row: row, column: 1,
        CellStyle(.alert))
      return
    }
    if !status.notice.isEmpty {
      screen.put(
        CellWidth.fit(status.notice, screen.columns - 2, isASCII: look.isASCII), row: row,
        column: 1, CellStyle(.alert))
      return
    }
    var parts: [(text: String, isAlert: Bool)] = []
    if let ledger = status.ledger {
      parts.append(("\(ledger.sampled) samples", false))
      let missing = ledger.scheduled - ledger.sampled
      let gaps = status.gapCount.map { "\($0) \($0 == 1 ? "gap" : "gaps")" }
      let text =
        missing == 0
        ? "no gaps" : [gaps, "\(missing) missing"].compactMap { $0 }.joined(separator: ", ")
      parts.append((text, missing > 0))
    }
    if let late = status.latenessP99 {
      var text = "late p99 " + Figures.lateness(late, look)
      if let most = status.latenessMaximum { text += ", max " + Figures.lateness(most, look) }
      parts.append((text, false))
    }
    if status.markCount > 0 {
      parts.append(("\(status.markCount) \(status.markCount == 1 ? "mark" : "marks")", false))
    }
    if status.unseen > 0 { parts.append(("\(status.unseen) not shown", false)) }
    var column = 1
    for (index, part) in parts.enumerated() {
      let text = (index == 0 ? "" : look.separator) + part.text
      guard column + CellWidth.of(text) <= screen.columns else { break }
      column = screen.put(
        text, row: row, column: column, part.isAlert ? CellStyle(.alert) : .plain)
    }
  }

  private func drawHints(on screen: inout Screen, row: Int) {
    var entries: [(String, String)] = []
    if purpose == .take {
      entries = [("s", "stop"), ("m", "mark"), ("d", "discard, restart"), ("+-", "time axis")]
    } else {
      entries = [("q", "leave"), ("+-", "time axis")]
      if status.isRecording {
        entries += [("s", "stop the recording"), ("m", "mark"), ("d", "discard, restart")]
      }
    }
    Hints(entries: entries.map { (key: $0.0, does: $0.1) }).put(on: &screen, row: row)
  }
}
