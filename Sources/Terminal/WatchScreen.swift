// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LinuxIO
public import Recorder

/// The samples of a running service on the terminal.
public final class WatchScreen {
  private let session: TerminalSession
  private let ask: (ControlRequest) throws -> Void
  private let clock = SystemClock()
  private var view: LiveView?
  private var status = LiveStatus()
  private var service: RecorderStatus?
  private var rate: SampleRate?
  private var plannedTicks: UInt64?
  /// The keys while nothing is sampled.
  private var helpPanel = HelpPanel()
  /// When the notice disappears.
  private var noticeUntil = MonotonicTime(nanoseconds: 0)

  /// - Parameter ask: Sends a request to the service; throws its refusal.
  public init(_ session: TerminalSession, ask: @escaping (ControlRequest) throws -> Void) {
    (self.session, self.ask) = (session, ask)
  }

  /// Returns when the user leaves or the program must end; throws when the service has ended or refuses to be watched.
  public func run(_ watched: consuming WatchedService, _ signals: borrowing SignalWatch) throws {
    var watched = watched
    var next = clock.now()
    while true {
      guard let keys = session.wait(signals, until: next, other: watched.fileDescriptor) else {
        return
      }
      for key in keys where !press(key) { return }
      for line in try watched.lines() { handle(line) }
      let now = clock.now()
      if now >= next {
        draw(now)
        next = now + LiveFeed.framePeriod
      }
    }
  }

  private func handle(_ line: WatchLine) {
    switch line {
    case .status(let new):
      // A recording has no number until its file exists; marks before that belong to it.
      if let old = service?.number, new.number != old { status.markCount = 0 }
      service = new
    case .sensor(let sensor, let rate, let channels):
      view = LiveView(
        sensor, name: service?.members.first?.name ?? "", channels: channels, rate: rate,
        note: service?.note ?? "", glyphs: session.glyphs, purpose: .watch)
      helpPanel = HelpPanel()
      self.rate = rate
    case .record(let record):
      view?.append([record])
    case .mark(let time):
      view?.mark(at: time)
      status.markCount += 1
    case .plan(let ticks): plannedTicks = ticks
    case .lost(let count): status.unseen += count
    case .refused: break
    }
  }

  /// `false` to leave.
  private func press(_ key: Key) -> Bool {
    guard let view = graph else { return pressWaiting(key) }
    switch view.handle(key) {
    case .stay, .next: return true
    case .leave: return false
    case .start: request(.start)
    case .stop: request(.stop)
    // The mark appears when the service reports it.
    case .mark: request(.mark(""))
    case .discard: request(.discard)
    }
    return true
  }

  /// The graph while the service samples.
  private var graph: LiveView? { service?.state == .asleep ? nil : view }

  private func pressWaiting(_ key: Key) -> Bool {
    let size = session.size
    if helpPanel.takes(key, of: waitingHelp, columns: size.columns, rows: size.rows) { return true }
    switch key {
    case .character("q"), .escape, .control("c"): return false
    case .character("r"): request(.start)
    default: break
    }
    return true
  }

  private func request(_ request: ControlRequest) {
    do {
      try ask(request)
    } catch {
      status.notice = CommandFailure(error)?.sentence ?? "\(error)"
      noticeUntil = clock.now() + 4_000_000_000
    }
  }

  private func draw(_ now: MonotonicTime) {
    if now > noticeUntil { status.notice = "" }
    let size = session.size
    guard let view = graph, let service else { return session.show(waiting(size)) }
    status.take(service, rate: rate, plannedTicks: plannedTicks)
    view.status = status
    session.show(view.screen(columns: size.columns, rows: size.rows, now: now.nanoseconds))
  }

  private func waiting(_ size: (columns: Int, rows: Int)) -> Screen {
    var screen = Screen(columns: size.columns, rows: size.rows)
    screen.put(service?.state.rawValue ?? "waiting", row: 0, column: 0, .bold)
    let words =
      service?.state == .asleep
      ? "the sensor sleeps until a recording begins" : "waiting for the sensor"
    screen.put(words, row: 2, column: 1)
    screen.put(status.notice, row: 3, column: 1, CellStyle(.alert))
    screen.put([("q", "leave"), ("?", "help"), ("r", "record")], row: size.rows - 1)
    helpPanel.draw(waitingHelp, on: &screen, glyphs: session.glyphs)
    return screen
  }

  private var waitingHelp: KeyHelp {
    KeyHelp([("r", "begin a recording"), ("q", "leave; the service goes on")])
  }
}

extension LiveStatus {
  /// Takes what a service reports.
  mutating func take(_ service: RecorderStatus, rate: SampleRate?, plannedTicks: UInt64?) {
    isRecording = [.starting, .recording, .stopping, .saving].contains(service.state)
    let name = "recording" + (service.number.map { " \($0)" } ?? "")
    state = isRecording ? name : service.state.rawValue
    if let problem = service.problem, notice.isEmpty { notice = problem.name }
    (elapsed, tally, latenessP99) = (nil, nil, nil)
    members = service.members
    guard isRecording, let rate, let tally = service.tally else { return }
    // A chip that dates its samples has its own rate.
    let hertz = service.clock?.hertz ?? rate.hertz
    elapsed = Int64(min(Double(tally.scheduled) / hertz * 1e9, Double(RecordingTime.limit)))
    planned = plannedTicks.map { rate.nanoseconds(atTick: $0) }
    (self.tally, latenessP99) = (tally, service.lateness?.percentile99)
  }
}

/// The service's reports to a watcher.
public struct WatchedService: ~Copyable {
  private let path: String
  private let stream: ControlStream
  private var rest: [UInt8]

  /// Connects to the service by its control socket.
  public init(path: String) throws(LinuxIOError) {
    // All that can fail comes first: Swift 6.0 cannot destroy a partly initialised value.
    let opened = try ControlClient.open(path: path, line: ControlRequest.watch.line)
    stream = opened
    rest = []
    self.path = path
  }

  /// Readable when there are further lines.
  public var fileDescriptor: Int32 { stream.fileDescriptor }

  /// The lines since the last call; throws when the service has ended or refuses to be watched.
  public mutating func lines() throws(CommandFailure) -> [WatchLine] {
    guard let bytes = stream.read() else {
      throw CommandFailure(
        .unavailable,
        "the service (\(path)) has ended; look for the reason with `journalctl -u imulog`")
    }
    rest += bytes
    guard let end = rest.lastIndex(of: 0x0A) else { return [] }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    rest.removeFirst(end + 1)
    let lines = text.split(separator: "\n").compactMap { WatchLine(line: $0) }
    for case .refused(let status, let message) in lines {
      throw CommandFailure(ExitStatus(rawValue: status) ?? .tryAgain, message)
    }
    return lines
  }
}
