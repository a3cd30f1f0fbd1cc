import IMUModel
import LinuxIO
import LogStore
import Recording
import Sampling
import TerminalGraph

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

  /// Begins with another take; what its writer thread is to fill and to ask.
  func begin(number: UInt32, start: MonotonicTime) throws(LinuxIOError) -> TakeWatching {
    isDiscarded = false
    self.start = start
    account = LiveAccount(rate: request.sensor.rate)
    view = LiveView(
      title: title, sensor: sensor, rate: request.sensor.rate, look: session.look, purpose: .take)
    status = LiveStatus()
    status.state = "recording \(number)"
    status.isRecording = true
    status.planned = request.plannedTicks.map { request.sensor.rate.nanoseconds(atTick: $0) }
    let watching = TakeWatching(feed: LiveFeed(isWatched: true), marks: try Inbox())
    self.watching = watching
    return watching
  }

  /// Shows the take and looks after keys, signals and the card until the sampler has ended.
  func watchOver(
    _ take: inout Take, signals: borrowing SignalWatch, queue: FlushQueue, stop: StopFlag,
    ended: StopFlag
  ) {
    var next = clock.now()
    while !ended.isRequested {
      for event in session.wait(signals, until: next) {
        guard let end = self.take(event) else { continue }
        if take.handle(end).contains(.stopSampler) { stop.request() }
      }
      if let failure = queue.failure {
        let event: Take.Event = failure.isFull ? .storageFull : .storageFailed
        if take.handle(event).contains(.stopSampler) { stop.request() }
      }
      let now = clock.now()
      if now >= next {
        draw(now)
        next = now + TakeWatching.framePeriod
      }
    }
    status.state = "ending"
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
    account.tell(&status)
    view.status = status
    let size = session.size
    session.show(view.screen(columns: size.columns, rows: size.rows, now: now.nanoseconds))
  }
}
