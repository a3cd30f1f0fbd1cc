import IMUModel
import LinuxIO
import LogStore
import Recorder
import Sampling
import Terminal

/// A take on the terminal while it is made: graph, values, keys. On the main thread, which has nothing else to do.
final class TakeScreen {
  /// Whether the user threw the take away and wants another.
  private(set) var isDiscarded = false
  private let session: TerminalSession
  private let request: TakeRequest
  private let sensor: GraphSensor
  private let title: RecordingTitle
  private let clock = SystemClock()
  private var view: LiveView
  private var status = LiveStatus()
  private var account: LiveAccount
  private var watching: TakeWatching?
  private var start = MonotonicTime(nanoseconds: 0)
  /// Until when a notice stands.
  private var noticeUntil = MonotonicTime(nanoseconds: 0)

  init(_ session: TerminalSession, request: TakeRequest, sensor: SensorDescription) {
    self.session = session
    self.request = request
    self.sensor = GraphSensor(sensor, channels: request.sensor.channels)
    title = RecordingTitle(
      name: "", started: "",
      sensor: "\(Plain.text(sensor.model)) at \(Plain.hertz(request.sensor.rate)) Hz", state: "",
      note: Plain.text(request.note))
    view = LiveView(
      title: title, sensor: self.sensor, rate: request.sensor.rate, look: session.look,
      purpose: .take)
    account = LiveAccount(rate: request.sensor.rate)
    // A program that is stopped samples nothing.
    session.isStoppable = false
  }

  /// What the writer thread of another take is to fill and to ask.
  func prepare() throws(LinuxIOError) -> TakeWatching {
    let watching = TakeWatching(feed: LiveFeed(isWatched: true), marks: try Inbox())
    self.watching = watching
    return watching
  }

  /// Begins with another take.
  func begin(number: UInt32, start: MonotonicTime) {
    isDiscarded = false
    self.start = start
    account = LiveAccount(rate: request.sensor.rate)
    view = LiveView(
      title: title, sensor: sensor, rate: request.sensor.rate, look: session.look, purpose: .take)
    status = LiveStatus()
    status.state = "recording \(number)"
    status.isRecording = true
    status.planned = request.plannedTicks.map { request.sensor.rate.nanoseconds(atTick: $0) }
  }

  /// Shows the take and looks after keys, signals and the card until the sampler has ended, or is overdue.
  func watchOver(_ oversight: TakeOversight, signals: borrowing SignalWatch) {
    var next = clock.now()
    while oversight.isSampling {
      for event in session.wait(signals, until: next) {
        if let end = take(event) { oversight.handle(end) }
      }
      oversight.look()
      let now = clock.now()
      if now >= next {
        draw(now)
        next = now + TakeWatching.framePeriod
      }
    }
    status.state = "ending"
    draw(clock.now())
  }

  /// Waits while nothing is sampled; whether the user wants the end.
  func isEndAsked(_ signals: borrowing SignalWatch, until deadline: MonotonicTime) -> Bool {
    session.wait(signals, until: deadline).contains { event in
      switch event {
      case .ended: true
      case .resized: false
      case .key(let key): view.handle(key) == .stop
      }
    }
  }

  /// Shows a sentence that stands to the end.
  func notice(_ sentence: String) {
    status.notice = sentence
    noticeUntil = MonotonicTime(nanoseconds: .max)
    draw(clock.now())
  }

  /// What an event is to the take; `nil` for nothing.
  private func take(_ event: TerminalEvent) -> Take.Event? {
    switch event {
    case .ended: return .stopRequested(.signal)
    case .resized: return nil
    case .key(.control("z")):
      status.notice = "Ctrl-Z would leave samples out; s ends the recording"
      noticeUntil = clock.now() + 4_000_000_000
      return nil
    case .key(let key):
      switch view.handle(key) {
      case .stay, .leave: return nil
      case .stop: return .stopRequested(.button)
      case .mark:
        let time = clock.now() - start
        watching?.marks.post(Mark(time: time))
        view.take(markAt: time)
        status.markCount += 1
        return nil
      case .discard:
        isDiscarded = true
        return .stopRequested(.button)
      }
    }
  }

  private func draw(_ now: MonotonicTime) {
    if let (records, lost) = watching?.feed.take() {
      view.take(records)
      account.take(records)
      status.unseen += lost
    }
    if now > noticeUntil { status.notice = "" }
    status.elapsed = max(0, now - start)
    if let planned = status.planned { status.elapsed = min(planned, max(0, now - start)) }
    account.report(in: &status)
    view.status = status
    let size = session.size
    session.show(view.screen(columns: size.columns, rows: size.rows, now: now.nanoseconds))
  }
}
