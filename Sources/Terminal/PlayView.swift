// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
public import LinuxIO

/// Playback: a state machine of keys and time. A sample appears at its recorded time; in a gap nothing appears.
///
///                 space                    end reached
///     playing ◄─────────► paused    playing ────────► ended ── space ──► playing, from the start
struct PlayView {
  /// The caller's next action after a key.
  enum Outcome: Equatable { case stay, leave }

  private let recording: RecordingOnScreen
  private let glyphs: GlyphSet
  private var window: TimeWindow
  private var axes: [PanelKind: ClosedRange<Double>]
  private var choice = LineChoice()
  private var helpPanel = HelpPanel()
  /// Nanoseconds that have been played.
  private(set) var head: Int64
  private(set) var isPlaying = true
  /// Recorded seconds a second.
  private(set) var speed: Double
  /// The head's last fixed position, and when that was: the head is computed from them.
  private var from: Int64
  private var since: Int64

  /// - Parameters:
  ///   - speed: Recorded seconds a second; limited to ``RecordingOnScreen/speeds``.
  ///   - from: Nanoseconds from tick 0.
  ///   - now: Nanoseconds on a monotonic clock.
  init(
    _ recording: RecordingOnScreen, glyphs: GlyphSet, speed: Double = 1, from: Int64 = 0, now: Int64
  ) {
    self.recording = recording
    self.glyphs = glyphs
    self.speed = min(
      max(speed, RecordingOnScreen.speeds.lowerBound), RecordingOnScreen.speeds.upperBound)
    window = TimeWindow(duration: recording.span.upperBound, rate: recording.trace.rate)
    head = max(0, min(from, recording.trace.duration))
    self.from = head
    since = now
    // The axes fit the whole recording, so that they do not move while it plays.
    axes = recording.wholeAxes(choice, glyphs: glyphs)
    // A recording of more than two minutes is shown a minute at a time.
    if window.duration > 120_000_000_000 {
      window.zoom(60_000_000_000, window.duration, around: 0)
    }
    window.follow(head)
  }

  var isEnded: Bool { head >= window.duration }

  mutating func tick(now: Int64) {
    guard isPlaying else { return }
    let played = Double(now - since) * speed
    let left = window.duration - from
    head = played >= Double(left) ? window.duration : from + Int64(played)
    if isEnded { isPlaying = false }
    window.follow(min(head, window.duration - 1))
  }

  mutating func handle(_ key: Key, columns: Int, rows: Int, now: Int64) -> Outcome {
    tick(now: now)
    if helpPanel.takes(key, of: help, columns: columns, rows: rows) { return .stay }
    if choice.handle(key) {
      axes = recording.wholeAxes(choice, glyphs: glyphs)
      return .stay
    }
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
    case .character("."), .character(">"): step(to: recording.trace.reading(after: head), now: now)
    case .character(","), .character("<"): step(to: recording.trace.reading(before: head), now: now)
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
    speed = min(max(new, RecordingOnScreen.speeds.lowerBound), RecordingOnScreen.speeds.upperBound)
  }

  // MARK: Drawing

  func screen(columns: Int, rows: Int) -> Screen {
    let hints: [KeyHint] = [
      ("q", "back"), ("space", isPlaying ? "pause" : isEnded ? "again" : "play"),
      ("?", "help"), (glyphs.upDown, "speed"), (glyphs.leftRight, "seek"), (",.", "step"),
      ("+-", "time axis"), LineChoice.hint,
    ]
    var screen = recording.screen(
      columns: columns, rows: rows, glyphs: glyphs, line: statusLine, hints: hints
    ) {
      GraphPicture(
        sensor: recording.sensor,
        envelope: recording.envelope(
          window.span, columns: columns, glyphs: glyphs, before: head + 1),
        axes: axes, marks: recording.trace.marks.map(\.time).filter { $0 <= head },
        cursor: isEnded ? nil : head,
        values: recording.reading(at: head).map(GraphValues.init), choice: choice, glyphs: glyphs)
    }
    helpPanel.draw(help, on: &screen, glyphs: glyphs)
    return screen
  }

  private var help: KeyHelp {
    KeyHelp([
      ("space", "pause, play, play again"), (glyphs.leftRight, "seek by a twentieth of the graph"),
      ("PgUp PgDn", "seek by a quarter"), ("Home End", "the start, the end"),
      (", .", "the sample before, after"), (glyphs.upDown, "twice as fast, half as fast"),
      ("1", "as fast as recorded"), ("+ -", "a shorter, a longer part"),
      ("x y z", "show or hide an axis"), ("v", "show or hide the magnitude |v|"),
      ("q", "back"),
    ])
  }

  private var statusLine: [[String]] {
    let state = isPlaying ? glyphs.pointer : isEnded ? "end" : glyphs.paused
    var parts = [
      "\(state) \(Figures.position(head, decimals: 2)) of "
        + Figures.position(window.duration, decimals: 1),
      "speed \(speedText)",
    ]
    if let time = recording.fileTime(head) { parts.append(time) }
    if let gap = recording.gapText(at: head), !isEnded {
      parts.append(gap)
    } else if let reading = recording.reading(at: head) {
      parts.append("sample \(reading.tick)")
    }
    return parts.map { [$0] }
  }

  private var speedText: String {
    speed >= 1
      ? Figures.plain(speed, speed == speed.rounded() ? 0 : 2)
      : "1/" + Figures.plain(1 / speed, 1 / speed == (1 / speed).rounded() ? 0 : 2)
  }
}

extension RecordingOnScreen {
  /// Recorded seconds a second at which a recording can be played.
  public static let speeds: ClosedRange<Double> = 1.0 / 64...1024

  /// Plays the recording from a time on, at so many recorded seconds a second, until the user leaves; `false` when the
  /// program must end.
  public func play(
    on session: TerminalSession, _ signals: borrowing SignalWatch, speed: Double = 1,
    from: Int64 = 0
  ) -> Bool {
    let clock = SystemClock()
    var view = PlayView(
      self, glyphs: session.glyphs, speed: speed, from: from, now: clock.now().nanoseconds)
    var next = clock.now()
    while true {
      let now = clock.now()
      view.tick(now: now.nanoseconds)
      if now >= next {
        let size = session.size
        session.show(view.screen(columns: size.columns, rows: size.rows))
        // 25 frames a second.
        next = now + 40_000_000
      }
      // While it is paused only an event changes the screen.
      guard let keys = session.wait(signals, until: view.isPlaying ? next : nil) else {
        return false
      }
      if !keys.isEmpty || !view.isPlaying { next = clock.now() }
      for key in keys {
        let size = session.size
        let outcome = view.handle(
          key, columns: size.columns, rows: size.rows, now: clock.now().nanoseconds)
        if outcome == .leave { return true }
      }
    }
  }
}
