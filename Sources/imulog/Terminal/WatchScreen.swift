import IMUModel
import LinuxIO
import Recorder
import Terminal

/// What a service samples, on the terminal.
final class WatchScreen {
  private let session: TerminalSession
  private let clock = SystemClock()
  private var view: LiveView?
  private var account: LiveAccount?
  private var status = LiveStatus()
  private var service: ServiceStatus?
  private var rate: SampleRate?
  private var plannedTicks: UInt64?
  /// Until when a notice stands.
  private var noticeUntil = MonotonicTime(nanoseconds: 0)

  init(_ session: TerminalSession) {
    self.session = session
  }

  /// Returns when the user leaves, or the program is to end.
  func run(_ watched: consuming WatchedService, _ signals: borrowing SignalWatch) throws {
    var watched = watched
    var next = clock.now()
    while true {
      for event in session.wait(signals, until: next, other: watched.fileDescriptor) {
        switch event {
        case .key(let key): if !press(key, path: watched.path) { return }
        case .resized: break
        case .ended: return
        }
      }
      for line in try watched.lines() { take(line) }
      let now = clock.now()
      if now >= next {
        draw(now)
        next = now + LiveFeed.framePeriod
      }
    }
  }

  private func take(_ line: WatchLine) {
    switch line {
    case .status(let new):
      // A take has no number while its file is made: marks of that time are its own.
      if let old = service?.take, new.take != old { status.markCount = 0 }
      service = new
    case .sensor(let sensor, let rate, let channels):
      let title = RecordingTitle(
        name: "", started: "", sensor: "\(Plain.text(sensor.model)) at \(Plain.hertz(rate)) Hz",
        state: "", note: Plain.text(service?.note ?? ""))
      view = LiveView(
        title: title, sensor: GraphSensor(sensor, channels: channels), rate: rate,
        look: session.look, purpose: .watch)
      self.rate = rate
      account = LiveAccount(rate: rate)
    case .record(let record):
      view?.take([record])
      account?.take([record])
    case .mark(let time):
      view?.take(markAt: time)
      status.markCount += 1
    case .plan(let ticks): plannedTicks = ticks
    case .lost(let count): status.unseen += count
    case .refused: break
    }
  }

  /// `false` to leave.
  private func press(_ key: Key, path: String) -> Bool {
    guard var view else { return ![.character("q"), .escape, .control("c")].contains(key) }
    let outcome = view.handle(key)
    self.view = view
    switch outcome {
    case .stay: return true
    case .leave: return false
    case .stop: ask(.stop, path)
    // The service reports it as of all others.
    case .mark: ask(.mark(""), path)
    case .discard: ask(.discard, path)
    }
    return true
  }

  private func ask(_ request: ControlRequest, _ path: String) {
    do {
      try ControlReply.ask(request, at: path)
    } catch {
      status.notice = CommandFailure(error)?.sentence ?? "\(error)"
      noticeUntil = clock.now() + 4_000_000_000
    }
  }

  private func draw(_ now: MonotonicTime) {
    if now > noticeUntil { status.notice = "" }
    let size = session.size
    guard var view, let service, service.state != .asleep else {
      return session.show(waiting(size))
    }
    describe(service)
    view.status = status
    session.show(view.screen(columns: size.columns, rows: size.rows, now: now.nanoseconds))
    self.view = view
  }

  private func describe(_ service: ServiceStatus) {
    let isTake = [.starting, .recording, .stopping, .saving].contains(service.state)
    status.isRecording = isTake
    let number = service.take.map { " \($0)" } ?? ""
    status.state = isTake ? "recording\(number)" : service.state.rawValue
    if let problem = service.problem, status.notice.isEmpty { status.notice = problem.name }
    guard isTake, let rate, let scheduled = service.scheduled, let sampled = service.sampled,
      let gaps = service.gaps
    else {
      status.elapsed = nil
      status.ledger = nil
      account?.report(in: &status)
      return
    }
    account?.report(in: &status)
    status.elapsed = rate.nanoseconds(atTick: scheduled)
    status.planned = plannedTicks.map { rate.nanoseconds(atTick: $0) }
    var ledger = TickLedger()
    ledger.sampled = sampled
    ledger.missed = gaps
    status.ledger = ledger
    status.gapCount = nil
    status.latenessP99 = service.latenessP99
    status.latenessMaximum = nil
  }

  /// What is shown while nothing is sampled.
  private func waiting(_ size: (columns: Int, rows: Int)) -> Screen {
    var screen = Screen(columns: size.columns, rows: size.rows)
    screen.put(service?.state.rawValue ?? "waiting", row: 0, column: 0, .bold)
    let words =
      service?.state == .asleep
      ? "the sensor sleeps until a recording begins" : "waiting for the sensor"
    screen.put(words, row: 2, column: 1)
    screen.put(status.notice, row: 3, column: 1, CellStyle(.alert))
    screen.put("q leaves", row: size.rows - 1, column: 0, .faint)
    return screen
  }
}
