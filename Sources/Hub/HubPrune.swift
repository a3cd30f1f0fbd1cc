// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import LogFormat
import LogStore
import Text

/// Removes recordings of a hub by a rule: those that are too old, or more than there is room for.
///
///     `pruned` in the ledger ─► recording in its store's trash ─► derived files removed, table written anew
///
/// Killed anywhere, the next prune or round goes on from there. A recording that was pruned is not fetched again.
public struct HubPrune {
  /// Which recordings go.
  public struct Rule: Sendable {
    /// Those that came here before this time, in seconds since 1970.
    public var before: Int64?
    /// The oldest, until the logs have no more bytes than this.
    public var mostBytes: UInt64?
    /// Of this host alone.
    public var host: String?

    /// A rule by which none goes.
    public init() {}
  }

  /// A recording that goes.
  public struct Victim: Sendable {
    /// Its host.
    public let host: String
    /// Its number in the host's store.
    public let number: UInt32
    /// When it came here, in seconds since 1970; `nil` where a clock was wrong then, or no line says it.
    public let arrival: Int64?
    /// Its length.
    public let byteCount: UInt64
    let entry: CatalogueEntry
    /// Its identity, where its files were made.
    let id: RecordingID?
  }

  private let hub: HubDirectory
  private let now: WallTime
  /// The same in seconds since 1970.
  private var present: Int64 { now.nanoseconds / 1_000_000_000 }

  /// A hub.
  public init(_ hub: HubDirectory, now: WallTime) {
    (self.hub, self.now) = (hub, now)
  }

  /// The hosts that a rule is about.
  private func hosts(of rule: Rule) throws -> [String] {
    let hosts = try hub.hosts()
    guard let host = rule.host else { return hosts }
    guard hosts.contains(host) else {
      throw CommandFailure(
        .noInput, "the hub at \(ForeignText.shown(hub.path)) has no host \(ForeignText.shown(host))"
      )
    }
    return [host]
  }

  /// The recordings that go by a rule, the oldest first.
  ///
  /// A recording counts from when it came here, whatever its clock said: one that was years off, in either direction, or a
  /// machine that was away for long, loses nothing on the day of its visit, and keeps nothing for ever.
  ///
  /// - Returns: Them, and a sentence if others are old by this machine's clock alone.
  public func victims(_ rule: Rule) throws(CommandFailure) -> (victims: [Victim], remark: String?) {
    try HubError.reporting { try choose(rule) }
  }

  private func choose(_ rule: Rule) throws -> (victims: [Victim], remark: String?) {
    if rule.before != nil, present < WallTime.earliestCredible {
      throw CommandFailure(
        .configuration,
        "this machine's clock is not set, so that nothing is known to be old: `sudo timedatectl set-ntp true`"
      )
    }
    if rule.before != nil { try refuseWrongClock() }
    var all: [Victim] = []
    var newest: Int64 = 0
    for host in try hosts(of: rule) {
      let ledger = try HostLedger(of: host, in: hub)
      let rows = try HostRows(of: host, in: hub)
      // The name of a log has the beginning of its identity.
      let ids = Dictionary(grouping: ledger.arrivals.keys, by: \.namePrefix)
      for entry in try Catalogue(path: hub.logs(of: host), followsLinks: false).list().entries {
        let status = try hub.files.status(entry.path, followsLink: false)
        let known = ids[entry.idPrefix]
        let id = rows.live[entry.fileName]?.id ?? (known?.count == 1 ? known?.first : nil)
        // One that came while the hub's clock was not set is dated by none.
        let arrival = id.flatMap { ledger.arrivals[$0] }
          .flatMap { $0 >= WallTime.earliestCredible ? $0 : nil }
        if let arrival, arrival < present { newest = max(newest, arrival) }
        all.append(
          Victim(
            host: host, number: entry.number, arrival: arrival,
            byteCount: UInt64(clamping: status.st_size), entry: entry, id: id))
      }
    }
    // One of which is not known when it came is not known to be old.
    func age(_ one: Victim) -> (Int64, String, UInt32) {
      (one.arrival ?? present, one.host, one.number)
    }
    all.sort { age($0) < age($1) }
    // A clock that was set years ahead ages nothing: a recording is only as old as the hub has worked since.
    let last = max(newest, try lastRound())
    let idle = max(0, present - last)
    let before = rule.before.map { $0 - idle }
    var left = all.reduce(UInt64(0)) { $0 &+ $1.byteCount }
    var victims: [Victim] = []
    var spared = 0
    for one in all {
      let isOld = before.map { age(one).0 < $0 } ?? false
      guard isOld || rule.mostBytes.map({ left > $0 }) ?? false else {
        if let limit = rule.before, age(one).0 < limit { spared += 1 }
        continue
      }
      left -= one.byteCount
      victims.append(one)
    }
    return (victims, spared == 0 ? nil : sentence(spared, last))
  }

  private func sentence(_ spared: Int, _ last: Int64) -> String {
    "\(spared) more \(spared == 1 ? "is" : "are") old by this machine's clock, which may have been set ahead: no visit "
      + "has shown that it is right since \(LocalTime.text(seconds: last)); give --most-bytes, or run a round that reaches a host"
  }

  /// Refuses to say what is old where most hosts' clocks differ from this one: then this one is wrong.
  private func refuseWrongClock() throws {
    let machines = try hub.hosts().compactMap { try HostState(of: $0, in: hub).machine }
    guard machines.disagree else { return }
    let wrong = machines.count(where: \.isClockWrong)
    throw CommandFailure(
      .configuration,
      "when they were seen last, the clocks of \(wrong) of \(machines.count) hosts differed from this machine's by more than a "
        + "day, so that nothing is known to be old: set the clocks, and run a round")
  }

  /// When the hub saw a host last, by its own clock, in seconds since 1970. A visit that showed another time there does not
  /// count: the hub's clock may have been the wrong one.
  private func lastRound() throws -> Int64 {
    var last: Int64 = 0
    for host in try hub.hosts() {
      let state = try HostState(of: host, in: hub)
      guard let seen = state.seen, seen <= present, state.machine?.isClockWrong != true else {
        continue
      }
      last = max(last, seen)
    }
    return last
  }

  /// Removes recordings. What fails at one host leaves the others.
  ///
  /// - Parameters:
  ///   - rule: The rule by which they go.
  ///   - isFinal: Whether the trash of the rule's hosts is emptied too.
  ///   - report: Receives what could not be removed, or not wholly.
  /// - Returns: How many are gone, and how many of the trash.
  public func remove(
    _ victims: [Victim], by rule: Rule, isFinal: Bool, _ lock: borrowing HubLock,
    report: (CommandFailure) -> Void
  ) throws -> (recordings: Int, ofTrash: Int) {
    var (count, trashed) = (0, 0)
    func empty(_ catalogue: Catalogue) {
      let emptied = catalogue.emptyTrash(now: now, ofAnyAge: true)
      trashed += emptied.deleted.count
      for failure in emptied.failures { report(HubError.failure(failure)) }
    }
    for host in try hosts(of: rule) {
      let theirs = victims.filter { $0.host == host }
      guard isFinal || !theirs.isEmpty else { continue }
      do {
        let catalogue = try hub.store(of: host)
        // What is in the trash is no lost log once it is deleted.
        let trash = isFinal ? Set(try catalogue.trashed().map(\.entry.idPrefix)) : []
        // Before and after: on a full disk nothing can be removed without the room of what is in the trash.
        if isFinal { empty(catalogue) }
        if !theirs.isEmpty || !trash.isEmpty {
          count += try remove(theirs, of: host, catalogue, trash) {
            report(HubError.failure($0, of: host))
          }
        }
        if isFinal { empty(catalogue) }
      } catch {
        report(HubError.failure(error, of: host))
      }
    }
    return (count, trashed)
  }

  private func remove(
    _ victims: [Victim], of host: String, _ catalogue: Catalogue, _ trash: Set<String>,
    report: (CommandFailure) -> Void
  ) throws -> Int {
    var count = 0
    var ledger = try HostLedger(of: host, in: hub)
    // Damaged lines are named before others follow them.
    if let damage = try ledger.dropDamage() { report(damage) }
    for victim in victims {
      do {
        // One whose header cannot be read any more is known by its files.
        let id = try victim.id ?? catalogue.reader(of: victim.entry).description.id
        try ledger.append([HostLedger.pruned(id, now.ledgerText)])
        _ = try catalogue.remove(victim.entry, now: now)
        count += 1
      } catch {
        report(HubError.failure(error, of: "recording \(victim.number)"))
      }
    }
    var derivation = HostDerivation(
      HubHost(unlisted: host), hub, catalogue, ledger,
      try HostRows(of: host, in: hub), time: now.ledgerText, trash: trash)
    try derivation.dropGone()
    return count
  }
}
