import LinuxIO
import Terminal

/// A recording's graph on the terminal until the user has seen enough.
struct ShowScreen {
  let recording: RecordingOnScreen

  /// Returns when the user leaves; `false` when the program is to end.
  func run(_ session: TerminalSession, _ signals: borrowing SignalWatch) -> Bool {
    var view = ShowView(
      title: recording.title, sensor: recording.sensor, trace: recording.trace, look: session.look)
    while true {
      let size = session.size
      session.show(view.screen(columns: size.columns, rows: size.rows))
      for event in session.wait(signals, until: nil) {
        switch event {
        case .key(let key):
          switch view.handle(key, columns: size.columns) {
          case .stay: break
          case .play:
            let play = PlayScreen(recording: recording, speed: 1, from: view.cursor)
            guard play.run(session, signals) else { return false }
          case .leave: return true
          }
        case .resized: break
        case .ended: return false
        }
      }
    }
  }
}
