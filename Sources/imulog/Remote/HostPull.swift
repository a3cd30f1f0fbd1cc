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
  /// Nanoseconds before a recording that another pull brings is looked at again, after all others.
  private static var wait: Int64 { 1_000_000_000 }
  /// Recordings that a host may offer: what it says is not believed without end.
  private static var most: Int { 1_000_000 }
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
    var postponed: Set<RecordingID> = []
    var failures = 0
    while true {
      let before = fetch.received
      do throws(FarEnd.Failure) {
        var farEnd = try FarEnd(host, options)
        fetch.connected()
        if let rest = todo {
          todo = try renew(rest, &farEnd)
        } else {
          todo = try begin(&farEnd, &fetch)
        }
        while let offer = todo?.first {
          let isAgain = postponed.contains(offer.id)
          if isAgain { SystemClock().sleep(until: SystemClock().now() + HostPull.wait) }
          let outcome = try fetch.run(offer, &farEnd, isAgain: isAgain)
          todo?.removeFirst()
          if outcome.fate == .busy, postponed.insert(offer.id).inserted {
            todo?.append(offer)
          } else {
            finish(outcome)
          }
          if fetch.isAnswerPending { break }
        }
        result.received = fetch.received
        if todo?.isEmpty ?? true { return }
        // The rest of an answer that nobody wants is on its way: it ends with its connection.
        continue
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

  /// Asks what there is: what can be read, newest first, and why the rest cannot, by number.
  private func list(
    _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) -> (offers: [PullOffer], unreadable: [UInt32: String]) {
    try farEnd.ask(.list)
    var offers: [PullOffer] = []
    var unreadable: [UInt32: String] = [:]
    while true {
      switch try farEnd.reply() {
      case .recording(let offer): offers.append(offer)
      case .unreadable(let number, let sentence): unreadable[number] = sentence
      default: return (offers, unreadable)
      }
      guard offers.count + unreadable.count <= HostPull.most else {
        throw .unusable(
          CommandFailure(.unavailable, "\(host) offers more than \(HostPull.most) recordings"))
      }
    }
  }

  /// Says of recordings that are wanted that they cannot be read there.
  ///
  /// - Throws: ``CommandFailure`` when such a one was asked for by its number, or as the latest.
  private mutating func refuse(_ unreadable: [UInt32: String], newest: PullOffer?) throws {
    for (number, sentence) in unreadable.sorted(by: { $0.key > $1.key }) {
      let isLatest = number > newest?.number ?? 0
      let isNamed = settings.ids.contains {
        $0.text == "\(number)" || $0.text == "latest" && isLatest
      }
      if isNamed {
        throw CommandFailure(
          .damagedData, "recording \(number) cannot be read on \(host): \(sentence)")
      }
      guard settings.ids.isEmpty else { continue }
      result.offered += 1
      result.failed += 1
      result.note(.damagedData)
      board.talk("\(host): recording \(number) cannot be read there: \(sentence)")
    }
  }

  /// Asks again what there is of these: one that is being written has grown.
  private func renew(
    _ offers: [PullOffer], _ farEnd: inout FarEnd
  ) throws(FarEnd.Failure) -> [PullOffer] {
    let now = try list(&farEnd).offers
    // What is gone meanwhile is told when it is fetched.
    return offers.map { offer in now.first { $0.id == offer.id } ?? offer }
  }

  /// Asks what there is, and chooses.
  private mutating func begin(
    _ farEnd: inout FarEnd, _ fetch: inout RecordingFetch
  ) throws(FarEnd.Failure) -> [PullOffer] {
    let (offers, unreadable) = try list(&farEnd)
    do {
      try refuse(unreadable, newest: offers.first)
      let chosen = try settings.choose(offers).get()
      result.offered += chosen.count
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
      if outcome.isFreed || outcome.remark != nil || outcome.conversionFailure != nil {
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
    case .busy:
      result.note(.tryAgain)
      board.talk("\(name)\(remark)")
    case .failed:
      result.note(.inputOutput)
      board.talk("\(name)\(remark)")
    }
    if let status = outcome.conversionFailure { result.note(status) }
    if outcome.isDamaged { result.note(.damagedData) }
    if outcome.isUnfreed { result.note(.noPermission) }
  }
}
