// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Remote
import Text

/// A host's visit during a round: decides on its recordings, and keeps what came and what the visit showed.
///
///     open ─► connected, admit, compared, willPublish, learned (the pull) ─► finish: derive, keep the state
final class HostKeeper: PullWitness, @unchecked Sendable {
  // Safe: `HostQueue` calls a source's closures on one thread at a time, and nothing else has the keeper.
  private var host: HubHost
  private let hub: HubDirectory
  private let owners: Owners
  private let settings: HubRound.Settings
  private let now: @Sendable () -> WallTime
  private let talk: @Sendable (String) -> Void
  private var ledger: HostLedger?
  /// Lines of the ledger that were damaged.
  private var ledgerFailure: CommandFailure?
  private var rows: HostRows?
  /// UUID prefixes of what the store's trash had when the visit began.
  private var trash: Set<String> = []
  /// Rows of recordings whose logs are here, to answer offers.
  private var here: [RecordingID: HostRows.Row] = [:]
  private var foreign = ForeignOffers()
  private var claimed: [RecordingID] = []
  private var arrived: [RecordingID] = []
  private var offered = 0
  private var prunedCount = 0
  private var state = HostState()
  private var hostKey: String?
  /// Whether the last visit failed: another host may fetch what this one offers.
  private var isTroubled = false
  /// When the machine answered, in seconds since 1970.
  private var seen: Int64?
  private var showsClock = false
  private(set) var isAllHere = false
  private(set) var derivedCount = 0

  init(
    _ host: HubHost, _ hub: HubDirectory, _ owners: Owners, _ settings: HubRound.Settings,
    now: @escaping @Sendable () -> WallTime, talk: @escaping @Sendable (String) -> Void
  ) {
    (self.host, self.hub, self.owners, self.settings) = (host, hub, owners, settings)
    (self.now, self.talk) = (now, talk)
  }

  /// Opens the store, the ledger and the rows; a failure is kept as the host's problem.
  func open() throws -> LocalCopies {
    do {
      state = try HostState(of: host.name, in: hub)
      isTroubled = state.problem != nil
      return try openAll()
    } catch {
      let failure = HubError.failure(error)
      var result = PulledHost(host: host.name)
      result.note(failure)
      keepState(&result)
      throw failure
    }
  }

  private func openAll() throws -> LocalCopies {
    let catalogue = try hub.store(of: host.name)
    do {
      trash = Set(try catalogue.trashed().map(\.entry.idPrefix))
    } catch {
      talk(HubError.failure(error).sentence)
    }
    catalogue.sweep(now: now(), report: talk)
    let (unanswered, unread) = settings.thenFree ? try catalogue.marks() : ([:], [])
    for failure in unread {
      let sentence = HubError.failure(failure).sentence
      talk("cannot read whether an earlier request to free a recording was answered: \(sentence)")
    }
    var ledger = try HostLedger(of: host.name, in: hub)
    ledgerFailure = try ledger.dropDamage()
    let rows = try HostRows(of: host.name, in: hub)
    for row in rows.live.values where owners[row.id].map({ $0.host == host.name }) ?? false {
      here[row.id] = row
    }
    (self.ledger, self.rows) = (ledger, rows)
    return LocalCopies(catalogue, unanswered: unanswered, failure: HubError.failure)
  }

  /// The fingerprint of the machine's key, where ssh shows it.
  func connected(_ hostKey: String?) {
    self.hostKey = hostKey
    seen = now().nanoseconds / 1_000_000_000
  }

  /// What the machine reports about itself; `nil` from an older one or over a broken connection keeps what is known.
  func learned(_ machine: RemoteMachine?) {
    guard let machine else { return }
    state.machine = HostState.Machine(machine, now: now())
    showsClock = true
  }

  /// Whether the hub's clock is set, and the last clock that a visit showed is less than a day away from it.
  private var isDated: Bool {
    state.machine?.isClockWrong != true
      && now().nanoseconds / 1_000_000_000 >= WallTime.earliestCredible
  }

  /// Records arrivals during a wrong clock as undated, and dates earlier undated arrivals with this visit.
  private func date() throws {
    guard let ledger else { return }
    let lines =
      isDated
      ? (showsClock ? ledger.undated.map { HostLedger.dated($0, time) } : [])
      : arrived.filter { ledger.arrivals[$0] != nil }.map { HostLedger.undated($0) }
    if !lines.isEmpty { try self.ledger?.append(lines) }
  }

  /// Why the machine's clock or the hub's must be wrong.
  private var clockFailure: CommandFailure? {
    guard showsClock, state.machine?.isClockWrong == true, let offset = state.machine?.clockOffset
    else { return nil }
    let days = offset.magnitude / HostState.Machine.wrongClock
    return CommandFailure(
      .configuration,
      "its clock is \(Plain.count(days, "day")) \(offset > 0 ? "ahead of" : "behind") the hub's: `timedatectl` on both "
        + "shows which one is wrong")
  }

  func admit(_ offer: PullOffer) -> PullAdmission {
    offered += 1
    guard let ledger else { return .refuse(nil) }
    if !settings.thenFree, offer.state == .complete, let row = here[offer.id],
      row.log.byteCount == offer.byteCount
    {
      return .here
    }
    if here[offer.id] == nil, owners.isPruned(offer.id) {
      prunedCount += 1
      return .refuse(nil)
    }
    let owner = owners.claim(offer.id, by: host.name, isWeak: isTroubled)
    guard owner.host != host.name else {
      claimed.append(offer.id)
      return .fetch
    }
    // While another host fetches it, it waits for the next round.
    guard let proof = owner.proof else { return .refuse(nil) }
    foreign.add(of: owner.host)
    guard proof.byteCount == offer.byteCount else {
      return .refuse(foreign.difference(from: owner.host))
    }
    if let twin = ledger.twins[offer.id], twin.owner == owner.host,
      twin.proof.byteCount == offer.byteCount
    {
      return .refuse(twin.isSame ? nil : foreign.difference(from: owner.host))
    }
    return .compare
  }

  /// The store of a recording that came under a name without a line, whose labels no other visit brings.
  func labelStore(of id: RecordingID) throws -> Catalogue? {
    guard let owner = owners[id], owner.host != host.name, !owners.isListed(owner.host),
      let twin = ledger?.twins[id], twin.isSame, twin.owner == owner.host
    else { return nil }
    return try hub.store(of: owner.host)
  }

  /// Compares the digest of a recording there with that of its owner's copy.
  func compared(_ offer: PullOffer, _ digest: SHA256Digest) throws {
    guard let owner = owners[offer.id], let proof = owner.proof else { return }
    let theirs = HostLedger.Proof(byteCount: offer.byteCount, digest: digest)
    let twin = HostLedger.Twin(owner: owner.host, proof: theirs, isSame: proof == theirs)
    try ledger?.append([HostLedger.twin(offer.id, twin, time)])
    guard twin.isSame else { throw foreign.difference(from: owner.host) }
  }

  /// Notes in the ledger where recordings came from, before they appear; refuses those that came from another host meanwhile.
  func willPublish(_ all: [PullArrival]) throws -> [RecordingID: CommandFailure] {
    var refused: [RecordingID: CommandFailure] = [:]
    for arrival in all {
      let owner = owners.claim(arrival.offer.id, by: host.name, isWeak: false)
      guard owner.host != host.name else { continue }
      refused[arrival.offer.id] = CommandFailure(
        .tryAgain, "it came from \(owner.host) meanwhile; the next round compares them")
    }
    let arrivals = all.filter { refused[$0.offer.id] == nil }
    // At once: a kill before the end of the visit leaves no wrong date.
    let lines = arrivals.flatMap { arrival in
      [
        HostLedger.fetched(
          arrival.offer.id, arrival.proof, arrival.offer.state.rawValue, time,
          from: host.destination, hostKey: hostKey)
      ] + (isDated ? [] : [HostLedger.undated(arrival.offer.id)])
    }
    try ledger?.append(lines)
    for arrival in arrivals {
      owners.note(arrival.offer.id, arrival.proof, of: host.name)
      arrived.append(arrival.offer.id)
    }
    return refused
  }

  private var time: String { now().ledgerText }

  /// Ends the visit: derives, and keeps what the visit showed. Failures of one recording leave the others.
  func finish(_ result: inout PulledHost, _ local: LocalCopies) {
    owners.release(claimed, by: host.name)
    // A visit that ended before the list says nothing about the backlog.
    if result.failure == nil || result.offered > 0 {
      state.backlog = max(
        0, result.offered - result.here - result.fetched - prunedCount - foreign.count)
      isAllHere = state.backlog == 0 && result.failed == 0
    }
    for failure in [foreign.twin(offered: offered, owners), clockFailure].compactMap({ $0 }) {
      report(failure, &result)
    }
    attempt(&result) { _ in try date() }
    derive(&result, local)
    state.labels = host.labels
    keepState(&result)
  }

  private func keepState(_ result: inout PulledHost) {
    attempt(&result) { result in
      state.problem = result.failure?.sentence
      try state.keep(of: host.name, in: hub, seen: seen)
    }
  }

  /// Derives for a host that left the host file, with the labels of its last line.
  func deriveAlone(_ result: inout PulledHost) {
    var isKnown = false
    attempt(&result) { _ in
      state = try HostState(of: host.name, in: hub)
      isKnown = true
    }
    guard isKnown else { return }
    host = HubHost(unlisted: host.name, labels: state.labels)
    attempt(&result) { result in derive(&result, try openAll()) }
    keepState(&result)
  }

  private func attempt(_ result: inout PulledHost, _ step: (inout PulledHost) throws -> Void) {
    do {
      try step(&result)
    } catch {
      report(HubError.failure(error), &result)
    }
  }

  private func report(_ failure: CommandFailure, _ result: inout PulledHost) {
    talk(failure.sentence)
    result.note(failure)
  }

  /// Derives what is missing, and closes ledger and rows.
  private func derive(_ result: inout PulledHost, _ local: LocalCopies) {
    defer { (ledger, rows, here) = (nil, nil, [:]) }
    if let ledgerFailure { report(ledgerFailure, &result) }
    attempt(&result) { result in
      for failure in try local.dropBeginnings() {
        talk("cannot remove a useless copy: \(HubError.failure(failure).sentence)")
      }
      guard let ledger, let rows else { return }
      var derivation = HostDerivation(
        host, hub, try hub.store(of: host.name), ledger, rows, time: time, isDated: isDated,
        trash: trash, owner: { [owners] in owners.holder(of: $0) })
      defer { derivedCount = derivation.derivedCount }
      try derivation.run(settings.deriver) { report($0, &result) }
    }
  }
}

extension PullArrival {
  fileprivate var proof: HostLedger.Proof {
    HostLedger.Proof(byteCount: byteCount, digest: digest)
  }
}
