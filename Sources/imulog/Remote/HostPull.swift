import Glibc
import IMUModel
import LinuxIO
import LogStore
import Remote

/// The pull from one host, from the first connection to the last recording.
///
///     connect ─► list ─► choose ─► for each recording, newest first: fetch, prove, publish, convert, free
///        ▲                                  │
///        └──── the connection was cut ◄─────┘ goes on where it stopped
struct HostPull {
  let host: String
  /// The host's place on the board.
  let index: Int
  let options: SSHOptions
  let settings: PullSettings
  let board: PullBoard
  var result: PulledHost

  /// Connections in a row over which no byte of a recording came, before the host is given up.
  private static var attempts: Int { 3 }
  /// Nanoseconds before a connection that brought nothing is tried again.
  private static var pause: Int64 { 2_000_000_000 }

  init(
    host: String, index: Int, options: SSHOptions, settings: PullSettings, board: PullBoard
  ) {
    self.host = host
    self.index = index
    self.options = options
    self.settings = settings
    self.board = board
    result = PulledHost(host: host)
  }

  /// Fetches what is missing; ``result`` says what became of it.
  mutating func run() {
    let clock = SystemClock()
    let start = clock.now()
    do {
      try pull()
    } catch {
      let failure = CommandFailure(error) ?? CommandFailure(.inputOutput, "\(error)")
      board.talk("\(host): \(failure.sentence)")
      result.note(failure.status)
    }
    result.nanoseconds = clock.now() - start
  }

  private mutating func pull() throws {
    let catalogue = try OpenStore.writing(
      settings.store, now: SystemClock().readWallClock().wall)
    var fetch = RecordingFetch(
      catalogue: catalogue, settings: settings, board: board, host: host, index: index)
    var todo: [PullOffer]?
    var failures = 0
    while true {
      let before = fetch.received
      do throws(FarEnd.Failure) {
        var farEnd = try FarEnd(host, options)
        if todo == nil { todo = try begin(&farEnd, &fetch) }
        while let offer = todo?.first {
          let outcome = try fetch.run(offer, &farEnd)
          todo?.removeFirst()
          finish(outcome)
        }
        result.received = fetch.received
        return
      } catch {
        result.received = fetch.received
        switch error {
        case .unusable(let failure):
          // A machine that was there a moment ago may come back.
          guard todo != nil, failures < HostPull.attempts else { throw failure }
        case .refused(let status, let sentence):
          throw CommandFailure(ExitStatus(rawValue: status) ?? .inputOutput, sentence)
        case .broken(let reason):
          board.talk("\(host): the connection broke, \(reason); going on")
        }
      }
      failures = fetch.received > before ? 0 : failures + 1
      guard failures < HostPull.attempts else {
        throw CommandFailure(
          .tryAgain,
          "the connection broke \(failures) times in a row; what came is kept, so run the same again"
        )
      }
      if failures > 0 {
        SystemClock().sleep(until: SystemClock().now() + HostPull.pause)
      }
    }
  }

  /// Asks what there is, and chooses.
  private mutating func begin(
    _ farEnd: inout FarEnd, _ fetch: inout RecordingFetch
  ) throws(FarEnd.Failure) -> [PullOffer] {
    try farEnd.ask(.list)
    var offers: [PullOffer] = []
    while case .recording(let offer) = try farEnd.reply() { offers.append(offer) }
    do {
      let chosen = try settings.choose(offers).get()
      result.offered = chosen.count
      try fetch.plan(chosen)
      return chosen
    } catch let unknown as UnknownRecording {
      let there = offers.first.map { "the newest is \($0.number)" } ?? "there is none"
      throw .unusable(
        CommandFailure(
          unknown.count == 0 ? .noInput : .usage,
          unknown.count == 0
            ? "there is no recording \(unknown.id) on \(host): \(there)"
            : "\(unknown.id) could be any of \(unknown.count) recordings on \(host); give more digits"
        ))
    } catch {
      throw .unusable(CommandFailure(error) ?? CommandFailure(.inputOutput, "\(error)"))
    }
  }

  private mutating func finish(_ outcome: PulledRecording) {
    result.add(outcome)
    let freed = outcome.isFreed ? ", and in the trash there" : ""
    let remark = outcome.remark.map { ": \($0)" } ?? ""
    let name = "\(host): recording \(outcome.offer.number)"
    switch outcome.fate {
    case .here:
      if outcome.isFreed || outcome.remark != nil {
        board.talk("\(name) is here as \(outcome.number ?? 0)\(freed)\(remark)")
      }
    case .fetched, .resumed:
      let again = outcome.fate == .resumed ? ", taken up where an earlier attempt stopped" : ""
      board.talk(
        "\(name) is here as \(outcome.number ?? 0), \(outcome.byteCount) bytes\(again)\(freed)\(remark)"
      )
    case .running:
      result.note(.tryAgain)
      board.talk("\(name) is being written; what there is has come, --follow waits for the rest")
    case .differs:
      result.note(.damagedData)
      board.talk("\(name)\(remark)")
    case .failed:
      result.note(.inputOutput)
      board.talk("\(name)\(remark)")
    }
    if outcome.isDamaged { result.note(.damagedData) }
    if outcome.isUnfreed { result.note(.noPermission) }
  }
}
