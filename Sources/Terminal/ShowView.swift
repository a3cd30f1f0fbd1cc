import Graph
import IMUModel

/// A whole recording, of which any part can be looked at: a pure state machine of keys.
///
///     ← →      the cursor, a column; at the edge the window moves along
///     , .      the cursor, a sample
///     [ ]      the window, a quarter
///     + -  0   zoom in and out around the cursor; all
///     g m      the cursor to the next gap, the next mark
///     q        back
public struct ShowView: Sendable {
  /// What a key asks of the caller.
  public enum Outcome: Equatable, Sendable {
    /// Draw again.
    case stay
    /// Play it from the cursor on.
    case play
    /// Leave.
    case leave
  }

  private let title: RecordingTitle
  private let sensor: GraphSensor
  private let trace: Trace
  private let look: Look
  /// What is in sight.
  public private(set) var window: TimeWindow
  /// Nanoseconds at which the cursor stands.
  public private(set) var cursor: Int64
  /// What the last key could not do.
  private var notice = ""

  /// The whole of `trace`, with the cursor in the middle.
  public init(title: RecordingTitle, sensor: GraphSensor, trace: Trace, look: Look) {
    self.title = title
    self.sensor = sensor
    self.trace = trace
    self.look = look
    window = TimeWindow(duration: trace.duration, period: trace.rate.periodNanoseconds)
    cursor = window.length / 2
  }

  /// Does what a key asks.
  ///
  /// - Parameter columns: Of the screen: a step of the cursor is a column of it.
  public mutating func handle(_ key: Key, columns: Int) -> Outcome {
    notice = ""
    let step = max(1, window.length / Int64(GraphPicture.plotColumns(screenColumns: columns)))
    switch key {
    case .character("q"), .escape, .control("c"): return .leave
    case .character("p"), .character(" "): return .play
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

  /// The view on a screen.
  public func screen(columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    guard columns >= 30, rows >= GraphPicture.fewestRows + 3 else {
      return Screen.tooSmall(columns: columns, rows: rows)
    }
    title.put(on: &screen, row: 0, look: look)
    let picture = picture(columns: columns)
    picture.draw(on: &screen, rows: 1..<rows - 2, look: look)
    if notice.isEmpty {
      screen.put(cursorLine, row: rows - 2, column: 1)
    } else {
      screen.put(
        CellWidth.fit(notice, columns - 2, isASCII: look.isASCII), row: rows - 2, column: 1,
        CellStyle(.alert))
    }
    Hints(entries: [
      ("q", "back"), (look.leftRight, "cursor"), ("+-", "zoom"), ("[]", "pan"), ("0", "all"),
      ("p", "play"), (",.", "sample"), ("g", "next gap"), ("m", "next mark"),
    ]).put(on: &screen, row: rows - 1)
    return screen
  }

  /// The graph alone, without keys and cursor: for a pipe.
  public func plainScreen(columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    title.put(on: &screen, row: 0, look: look)
    var picture = picture(columns: columns)
    picture.cursor = nil
    picture.values = nil
    picture.draw(on: &screen, rows: 1..<rows, look: look)
    return screen
  }

  private func picture(columns: Int) -> GraphPicture {
    var envelope = GraphPicture.envelope(covering: window.span, screenColumns: columns, look: look)
    trace.draw(into: &envelope)
    var picture = GraphPicture(
      sensor: sensor, envelope: envelope, acceleration: range(envelope, acceleration: true),
      rotation: range(envelope, acceleration: false))
    picture.marks = trace.marks.map(\.time)
    picture.cursor = cursor
    picture.values = readingAtCursor.map { ($0.low, $0.high) }
    return picture
  }

  private func range(_ envelope: Envelope, acceleration: Bool) -> ClosedRange<Double>? {
    GraphPicture.values(envelope, sensor, acceleration: acceleration).map {
      AutoRange.round(
        $0, least: GraphPicture.leastExtent(sensor, acceleration: acceleration))
    }
  }

  /// The sample at the cursor; `nil` where there is none.
  private var readingAtCursor: Trace.Reading? {
    trace.gap(at: cursor) == nil ? trace.reading(at: cursor) : nil
  }

  private var cursorLine: String {
    var parts = ["cursor \(Figures.time(cursor, decimals: 3))"]
    if let gap = trace.gap(at: cursor) {
      parts.append("gap of \(gap.count) \(gap.count == 1 ? "tick" : "ticks"): \(gap.cause.words)")
    } else if let reading = readingAtCursor {
      parts.append("sample \(reading.tick) at \(Figures.time(reading.time, decimals: 6))")
      if trace.stride > 1 { parts.append("\(trace.stride) samples as one") }
      if sensor.channels.contains(.temperature) {
        let celsius =
          Double(reading.low.temperature) * sensor.temperature.scale + sensor.temperature.offset
        parts.append(
          Figures.signed(celsius, 1, look).drop { $0 == " " } + " " + look.degreesCelsius)
      }
    }
    if let mark = trace.marks.first(where: { abs($0.time - cursor) < window.length / 100 }) {
      parts.append("mark \(mark.label)")
    }
    return parts.joined(separator: look.separator)
  }
}

extension GapCause {
  /// Why, in words.
  var words: String {
    switch self {
    case .missed: return "missed"
    case .busError: return "bus error"
    case .ringFull: return "ring full"
    case .stale: return "nothing new from the chip"
    case .reinitialising: return "chip set up again"
    case .lost: return "lost from a damaged log or table"
    case .frozen: return "chip was stuck"
    }
  }
}

extension Screen {
  /// What is shown when there is no room for anything.
  static func tooSmall(columns: Int, rows: Int) -> Screen {
    var screen = Screen(columns: columns, rows: rows)
    screen.put("too small: 30x8 or more", row: 0, column: 0)
    return screen
  }
}
