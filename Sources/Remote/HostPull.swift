// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogFormat
import LogStore

/// The pull from one host, from the first connection to the last recording.
///
///     connect ─► list ─► choose ─► for each recording, newest first: fetch, prove, publish, convert, free
///        ▲                                  │
///        └──── the connection was cut ◄─────┘ continues where it stopped
///
/// Up to ``window`` requests are pending, so that a distant machine is as fast as a near one. Answers come in their order.
struct HostPull {
  let host: String
  private let destination: String
  /// The host's place on the board.
  let index: Int
  private let connection: SSHConnection
  let settings: PullSettings
  let board: PullBoard
  var result: PulledHost
  var fetch: RecordingFetch
  let patience: PullPatience
  let clock = SystemClock()
  /// Recordings not requested yet, newest first.
  var todo: ArraySlice<PullOffer> = []
  /// Recordings that another program or another host's pull is using; tried again after all others.
  var postponedOffers: [PullOffer] = []
  var postponedFrees: [FreeRequest] = []
  /// How many were postponed in the last look; `nil` in the first.
  var lastPostponed: Int?
  var isLastLook = false
  var asked: [Asked] = []
  /// Complete copies that are not published yet.
  var batch: [IncomingCopy] = []
  var frees: ArraySlice<FreeRequest> = []
  /// Numbers here of recordings that were asked for by name.
  private var namedNumbers: [UInt32] = []
  /// Requests that wait for the others of their takes.
  var heldFrees: [RecordingID: [FreeRequest]] = [:]
  /// Recordings that got labels before they were fetched.
  var labelledAhead: Set<RecordingID> = []
  /// Stores for the labels of recordings that are not wanted here.
  var labelStores: [RecordingID: Catalogue] = [:]
  /// Why labels could not be added here.
  var labelFailures: [RecordingID: CommandFailure] = [:]
  /// Recordings that the witness knows to be here.
  var settled: Set<RecordingID> = []
  /// Recordings whose digest the witness compares.
  var comparisons: [PullOffer] = []
  /// Whether recordings were chosen from the list.
  private var isChosen = false

  enum Asked {
    case fetch(IncomingCopy)
    case free(FreeRequest)
  }

  /// Most recordings that a host may offer.
  static var most: Int { 100_000 }
  /// Most recordings that a host may report as unreadable.
  static var mostUnreadable: Int { 10_000 }

  var route: String { connection.route(to: destination) }

  init(_ source: PullSource, index: Int, local: LocalCopies, board: PullBoard) {
    host = source.host
    destination = source.destination
    connection = source.connection
    settings = source.settings
    self.index = index
    self.board = board
    result = PulledHost(host: host)
    fetch = RecordingFetch(local: local, settings: settings)
    patience = PullPatience(timeout: settings.timeout, now: clock.now())
  }

  /// Fetches what is missing; ``result`` holds the outcome.
  mutating func run() {
    let start = clock.now()
    do {
      try pull()
    } catch {
      let failure = fetch.local.failure(error)
      board.talk("\(host): \(failure.sentence)")
      result.note(failure)
    }
    withdraw()
    for copy in batch { fetch.local.release(copy.offer.id) }
    forgetLabelsAhead()
    reportHalfTakes()
    // Received recordings count, whatever happened to the host afterwards.
    for request in heldFrees.values.joined() { keep(request, .tryAgain, "the host was given up") }
    for request in frees {
      request.outcome.staysUnanswered()
      finish(request.outcome)
    }
    result.nanoseconds = clock.now() - start
    board.leave(host: index)
  }

  private mutating func pull() throws {
    while true {
      do throws(FarEnd.Failure) {
        var farEnd = try FarEnd(destination, connection, patience)
        settings.witness?.connected(farEnd.hostKey)
        if isChosen { try renew(&farEnd) } else { try begin(&farEnd) }
        try work(&farEnd)
        if let witness = settings.witness {
          // Last, so that nothing is lost with the connection.
          patience.progressed(now: clock.now())
          witness.learned(try farEnd.machine())
        }
        return
      } catch {
        publish()
        switch error {
        case .over(let failure), .refused(let failure): throw failure
        case .unusable(let failure):
          // A machine that answered before may come back.
          guard isChosen else { throw failure }
        case .broken(let reason):
          board.talk("\(host): the connection broke, \(reason); reconnecting")
        case .abandoned(let isOurs):
          guard isOurs else { break }
          // Not the host's fault, and at most once for each recording.
          withdraw()
          patience.progressed(now: clock.now())
          continue
        }
      }
      withdraw()
      guard let pause = patience.pause(now: clock.now()) else {
        throw CommandFailure(
          .tryAgain,
          "the connection kept breaking; received data is kept, so run the same command again")
      }
      clock.sleep(until: clock.now() + pause)
    }
  }

  /// Withdraws the pending requests of a lost connection.
  private mutating func withdraw() {
    var offers: [PullOffer] = []
    var requests: [FreeRequest] = []
    for request in asked {
      switch request {
      case .fetch(let copy):
        fetch.local.release(copy.offer.id)
        offers.append(copy.offer)
      case .free(let free):
        free.withdraw()
        requests.append(free)
      }
    }
    asked = []
    todo = offers + todo
    frees = requests + frees
    resumePostponed()
  }

  /// Requests the list again, because a live recording has grown.
  private mutating func renew(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    var now: [RecordingID: PullOffer] = [:]
    for offer in try farEnd.list().offers { now[offer.id] = offer }
    // A recording that is gone by now is reported when it is fetched.
    todo = todo.map { now[$0.id] ?? $0 }[...]
    try fetchLabels(&farEnd)
    try compare(&farEnd)
  }

  private mutating func begin(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    let (offers, unreadable) = try farEnd.list()
    if farEnd.mayFree {
      // Not empty if an earlier connection broke here.
      if frees.isEmpty { askAgain(offers) }
      try work(&farEnd)
    }
    do {
      try refuse(unreadable, newest: offers.first)
      let chosen = try settings.choose(offers, of: host)
      result.offered += chosen.count
      let wanted = admit(chosen)
      if !wanted.isEmpty { try fetch.plan(wanted) }
      // Last, because following one may take hours.
      let last = wanted.filter { settings.follow && $0.state == .running }
      todo = (wanted.filter { !settings.follow || $0.state != .running } + last)[...]
      // Once: a connection that breaks later must not count them again.
      isChosen = true
      patience.progressed(now: clock.now())
    } catch {
      throw .unusable(fetch.local.failure(error))
    }
    // Before any recording is freed there.
    try fetchLabels(&farEnd)
    try compare(&farEnd)
  }

  /// Reports sensors whose recordings did not come with the one that was asked for.
  private mutating func reportHalfTakes() {
    var seen: Set<UInt32> = []
    for number in namedNumbers.sorted() where !seen.contains(number) {
      do {
        let take = try fetch.local.catalogue.take("\(number)")
        seen.formUnion(take.recordings.map(\.number))
        guard take.missing > 0 else { continue }
        let words = "recording \(number) here: \(take.remarks[0])"
        board.talk("\(host): \(words)")
        result.note(CommandFailure(.damagedData, words))
      } catch {
        result.note(fetch.local.failure(error))
      }
    }
  }

  /// Asks to free the recordings of takes that are all here: half a take on each machine would be easy to lose.
  mutating func releaseHeldFrees() {
    let held = heldFrees.values
    heldFrees = [:]
    for requests in held {
      do {
        guard let why = try fetch.whyKept(requests) else {
          frees += requests
          continue
        }
        for request in requests { keep(request, .tryAgain, why) }
      } catch {
        let failure = fetch.local.failure(error)
        for request in requests { keep(request, failure.status, failure.sentence) }
      }
    }
  }

  private mutating func keep(_ request: FreeRequest, _ status: ExitStatus, _ sentence: String) {
    request.outcome.stays(status, sentence)
    finish(request.outcome)
  }

  /// Repeats unanswered requests to free recordings that are not offered any more, and may be in the trash there.
  private mutating func askAgain(_ offers: [PullOffer]) {
    let offered = Set(offers.map(\.id))
    for (id, routes) in fetch.local.unanswered where routes.contains(route) && !offered.contains(id)
    {
      if let step = fetch.askAgain(id) { carryOut(step) }
    }
  }

  /// Reports wanted recordings that cannot be read there; throws if one was requested by its number, or as the latest.
  mutating func refuse(_ unreadable: [UInt32: String], newest: PullOffer?) throws {
    for (number, sentence) in unreadable.sorted(by: { $0.key > $1.key }) {
      let isLatest = number > newest?.number ?? 0
      let isNamed = settings.ids.contains {
        $0.number == number || $0.isLatest && isLatest
      }
      if isNamed {
        throw CommandFailure(
          .damagedData, "recording \(number) cannot be read on \(host): \(sentence)")
      }
      guard settings.ids.isEmpty else { continue }
      result.offered += 1
      result.failed += 1
      let words = "recording \(number) cannot be read there: \(sentence)"
      result.note(CommandFailure(.damagedData, words))
      board.talk("\(host): \(words)")
    }
  }

  mutating func finish(_ outcome: PulledRecording) {
    result.add(outcome)
    if !settings.ids.isEmpty, [.here, .fetched, .resumed].contains(outcome.fate) {
      namedNumbers += [outcome.number].compactMap { $0 }
    }
    let freed = outcome.isFreed ? ", and in the trash there" : ""
    let remark = outcome.remark.map { ": \($0)" } ?? ""
    let subject = "recording \(outcome.offer.number)"
    let name = "\(host): \(subject)"
    func note(_ status: ExitStatus) {
      result.note(CommandFailure(status, subject + remark))
    }
    switch outcome.fate {
    case .here:
      if outcome.isFreed || outcome.remark != nil || outcome.conversionFailure != nil {
        board.talk("\(name) is here as \(outcome.number ?? 0)\(freed)\(remark)")
      }
    case .asked:
      guard outcome.isFreed || outcome.remark != nil else { break }
      let place = outcome.isFreed ? " is in the trash there" : ""
      board.talk("\(host): recording \(outcome.number ?? 0) here\(place)\(remark)")
    case .fetched, .resumed:
      let again = outcome.fate == .resumed ? ", resumed where an earlier attempt stopped" : ""
      board.talk(
        "\(name) is here as \(outcome.number ?? 0), \(outcome.byteCount) bytes\(again)\(freed)\(remark)"
      )
    case .running:
      note(.tryAgain)
      board.talk(
        "\(name) is being written, or locked by another program; everything so far is here, --follow waits for the rest"
      )
    case .differs: note(.damagedData)
    case .busy: note(.tryAgain)
    case .failed: note(outcome.failure ?? .inputOutput)
    }
    if [.differs, .busy, .failed].contains(outcome.fate) { board.talk("\(name)\(remark)") }
    if let status = outcome.conversionFailure { note(status) }
    if outcome.isDamaged { note(.damagedData) }
    if let status = outcome.unfreed { note(status) }
  }
}

/// The decisions of a ``PullWitness`` on offers.
extension HostPull {
  /// Returns the offers to fetch; notes the others in ``settled`` and ``comparisons``.
  mutating func admit(_ offers: [PullOffer]) -> [PullOffer] {
    var wanted: [PullOffer] = []
    for offer in offers {
      if settings.leavesRunning, offer.state == .running {
        result.running += 1
        continue
      }
      switch settings.witness?.admit(offer) ?? .fetch {
      case .fetch: wanted.append(offer)
      case .here:
        result.here += 1
        settled.insert(offer.id)
      case .refuse(let failure):
        if let failure { refuse(offer, failure) }
      case .compare: comparisons.append(offer)
      }
    }
    return wanted
  }

  /// Asks for the digests of recordings to compare, by a request for the rest of a copy that has every byte.
  mutating func compare(_ farEnd: inout FarEnd) throws(FarEnd.Failure) {
    while let offer = comparisons.last {
      patience.expect(.fetch(offer.id, isAnew: false), adding: offer.byteCount, isFollowed: false)
      try farEnd.ask(.fetch(offer.id, offset: offer.byteCount, follow: false))
      do throws(FarEnd.Failure) {
        guard case .prefix(let digest) = try farEnd.reply(),
          case .whole(offer.byteCount, digest, _) = try farEnd.reply()
        else {
          throw farEnd.violation(
            "sends other bytes of recording \(offer.number) than the \(offer.byteCount) that it offered"
          )
        }
        patience.progressed(now: clock.now())
        comparisons.removeLast()
        note(offer, digest)
      } catch {
        guard case .refused(let failure) = error else { throw error }
        comparisons.removeLast()
        refuse(offer, failure)
      }
    }
  }

  private mutating func note(_ offer: PullOffer, _ digest: SHA256Digest) {
    do {
      try settings.witness?.compared(offer, digest)
    } catch {
      refuse(offer, fetch.local.failure(error))
    }
  }

  private mutating func refuse(_ offer: PullOffer, _ failure: CommandFailure) {
    result.failed += 1
    let words = "recording \(offer.number) \(failure.sentence)"
    result.note(CommandFailure(failure.status, words))
    board.talk("\(host): \(words)")
  }
}
