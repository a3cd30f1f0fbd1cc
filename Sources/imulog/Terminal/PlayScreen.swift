import IMUModel
import LinuxIO
import Terminal

/// A recording played on the terminal.
struct PlayScreen {
  let recording: RecordingOnScreen
  let speed: Double
  /// Nanoseconds from tick 0.
  var from: Int64 = 0

  /// Returns when the user leaves; `false` when the program is to end.
  func run(_ session: TerminalSession, _ signals: borrowing SignalWatch) -> Bool {
    let clock = SystemClock()
    var view = PlayView(
      title: recording.title, sensor: recording.sensor, trace: recording.trace, look: session.look,
      speed: speed, from: from, now: clock.now().nanoseconds)
    var next = clock.now()
    while true {
      let now = clock.now()
      view.tick(now: now.nanoseconds)
      if now >= next {
        let size = session.size
        session.show(view.screen(columns: size.columns, rows: size.rows))
        next = now + PlayScreen.framePeriod
      }
      // Nothing moves by itself while it stands.
      for event in session.wait(signals, until: view.isPlaying ? next : nil) {
        switch event {
        case .key(let key):
          if view.handle(key, now: clock.now().nanoseconds) == .leave { return true }
        case .resized: break
        case .ended: return false
        }
        next = clock.now()
      }
    }
  }

  /// 25 frames a second.
  private static let framePeriod: Int64 = 40_000_000
}
