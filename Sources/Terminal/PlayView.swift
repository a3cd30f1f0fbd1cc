import Graph
import IMUModel

/// A recording played as it was: a pure state machine of keys and time. Samples appear when their recorded times
/// come, late ones late, and in a gap nothing does.
///
///                 space                    end reached
///     playing ◄─────────► paused    playing ────────► ended ── space ──► playing, from the start
///
///     ← →  a twentieth of the window     , .  a sample (and pause)     home end
///     ↑ ↓  twice as fast, half as fast   + -  time axis                q  back
public struct PlayView: Sendable {
  /// What a key asks of the caller.
  public enum Outcome: Equatable, Sendable {
    /// Draw again.
    case stay
    /// Leave.
    case leave
  }

  /// Speeds that can be played at.
  public static let speeds: ClosedRange<Double> = 1.0 / 64...1024

  private let title: RecordingTitle
  private let sensor: GraphSensor
  private let trace: Trace
  private let look: Look
  private var window: TimeWindow
  private let acceleration: ClosedRange<Double>?
  private let rotation: ClosedRange<Double>?
  /// Nanoseconds of the recording that have been played.
  public private(set) var head: Int64
  /// Whether time runs.
  public private(set) var isPlaying = true
  /// Recorded seconds a second.
  public private(set) var speed: Double
  /// Where the head was set last, and when: the head is computed and not added up.
  private var from: Int64
  private var since: Int64

  /// Plays `trace` from a time on.
  ///
  /// - Parameters:
  ///   - speed: Recorded seconds a second; brought into ``speeds``.
  ///   - from: Nanoseconds from tick 0.
  ///   - now: Nanoseconds on a clock that does not go back.
  public init(
    title: RecordingTitle, sensor: GraphSensor, trace: Trace, look: Look, speed: Double = 1,
    from: Int64 = 0, now: Int64
  ) {
    self.title = title
    self.sensor = sensor
    self.trace = trace
    self.look = look
    self.speed = min(max(speed, PlayView.speeds.lowerBound), PlayView.speeds.upperBound)
    window = TimeWindow(duration: trace.duration, period: trace.rate.periodNanoseconds)
    head = max(0, min(from, trace.duration))
    self.from = head
    since = now
    // The axes fit the whole recording from the start: they need not move while it plays.
    var whole = GraphPicture.envelope(covering: window.span, screenColumns: 200, look: look)
    trace.draw(into: &whole)
    func range(_ isAcceleration: Bool) -> ClosedRange<Double>? {
      GraphPicture.values(whole, sensor, acceleration: isAcceleration).map {
        AutoRange.round(
          $0, least: GraphPicture.leastExtent(sensor, acceleration: isAcceleration))
      }
    }
    (acceleration, rotation) = (range(true), range(false))
    // A minute at a time, as long as there are more.
    if window.duration > 120_000_000_000 {
      window.zoom(60_000_000_000, window.duration, around: 0)
    }
    window.follow(head)
  }

  /// Whether the end is reached.
  public var isEnded: Bool { head >= window.duration }

  /// Lets time run to an instant.
  public mutating func tick(now: Int64) {
    guard isPlaying else { return }
    let played = Double(now - since) * speed
    let left = window.duration - from
    head = played >= Double(left) ? window.duration : from + Int64(played)
    if isEnded { isPlaying = false }
    window.follow(min(head, window.duration - 1))
  }

  /// Does what a key asks.
  public mutating func handle(_ key: Key, now: Int64) -> Outcome {
    tick(now: now)
    switch key {
    case .character("q"), .escape, .control("c"): return .leave
    case .character(" "), .character("p"), .enter:
      if isEnded { seek(to: 0, now: now) }
      isPlaying.toggle()
      (from, since) = (head, now)
    case .left: seek(to: head - window.length / 20, now: now)
    case .right: seek(to: head + window.length / 20, now: now)
    case .pageUp: seek(to: head - window.length / 4, now: now)
    case .pageDown: seek(to: head + window.length / 4, now: now)
    case .home: seek(to: 0, now: now)
    case .end: seek(to: window.duration, now: now)
    case .character("."), .character(">"): step(to: trace.reading(after: head), now: now)
    case .character(","), .character("<"): step(to: trace.reading(before: head), now: now)
    case .up: setSpeed(speed * 2, now: now)
    case .down: setSpeed(speed / 2, now: now)
    case .character("1"): setSpeed(1, now: now)
    case .character("+"), .character("="): window.zoom(1, 2, around: head)
    case .character("-"), .character("_"): window.zoom(2, 1, around: head)
    default: break
    }
    return .stay
  }

  private mutating func seek(to time: Int64, now: Int64) {
    head = max(0, min(time, window.duration))
    (from, since) = (head, now)
    if isEnded { isPlaying = false }
    window.follow(min(head, window.duration - 1))
  }

  private mutating func step(to reading: Trace.Reading?, now: Int64) {
    isPlaying = false
    if let reading { seek(to: reading.time, now: now) }
  }

  private mutating func setSpeed(_ new: Double, now: Int64) {
    (from, since) = (head, now)
    speed = min(max(new, PlayView.speeds.lowerBound), PlayView.speeds.upperBound)
  }

  // MARK: Drawing

  /// The view on a screen.
  public func screen(columns: Int, rows: Int) -> Screen {
    guard columns >= 30, rows >= GraphPicture.fewestRows + 3 else {
      return Screen.tooSmall(columns: columns, rows: rows)
    }
    var screen = Screen(columns: columns, rows: rows)
    title.put(on: &screen, row: 0, look: look)
    var envelope = GraphPicture.envelope(covering: window.span, screenColumns: columns, look: look)
    trace.draw(into: &envelope, before: head + 1)
    var picture = GraphPicture(
      sensor: sensor, envelope: envelope, acceleration: acceleration, rotation: rotation)
    picture.marks = trace.marks.map(\.time).filter { $0 <= head }
    picture.cursor = isEnded ? nil : head
    picture.values = reading.map { ($0.low, $0.high) }
    picture.draw(on: &screen, rows: 1..<rows - 2, look: look)
    screen.put(statusLine, row: rows - 2, column: 1)
    Hints(entries: [
      ("q", "back"), ("space", isPlaying ? "pause" : isEnded ? "again" : "play"),
      (look.upDown, "speed"), (look.leftRight, "seek"), (",.", "step"), ("+-", "time axis"),
    ]).put(on: &screen, row: rows - 1)
    return screen
  }

  /// The sample that was the newest at the head; `nil` in a gap.
  private var reading: Trace.Reading? {
    trace.gap(at: head) == nil ? trace.reading(at: head) : nil
  }

  private var statusLine: String {
    let state = isPlaying ? look.pointer : isEnded ? "end" : look.paused
    var parts = [
      "\(state) \(Figures.time(head, decimals: 2)) of \(Figures.time(window.duration))",
      "speed \(speedText)",
    ]
    if let gap = trace.gap(at: head), !isEnded {
      parts.append("gap of \(gap.count) \(gap.count == 1 ? "tick" : "ticks"): \(gap.cause.words)")
    } else if let reading {
      parts.append("sample \(reading.tick)")
    }
    return parts.joined(separator: look.separator)
  }

  private var speedText: String {
    speed >= 1 || speed == 0
      ? Figures.plain(speed, speed == speed.rounded() ? 0 : 2)
      : "1/" + Figures.plain(1 / speed, 1 / speed == (1 / speed).rounded() ? 0 : 2)
  }
}
