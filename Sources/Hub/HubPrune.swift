// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LogFormat
import LogStore
import Text

/// Removes recordings of a hub that are too old or too many. They are not fetched again.
///
///     `pruned` in the ledger ─► recording in its store's trash ─► derived files removed, table written anew
///
/// Killed anywhere, the next prune or round goes on from there.
package struct HubPrune {
  package struct Rule: Sendable {
    /// Those that arrived before this time, in seconds since 1970.
    package var before: Int64?
    /// The oldest, until the logs have at most so many bytes.
    package var mostBytes: UInt64?
    package var host: String?

    package init() {}
  }

  package struct Victim: Sendable {
    package let host: String
    package let number: UInt32
    /// In seconds since 1970; `nil` if a clock was wrong then, or no line of the ledger has it.
    package let arrival: Int64?
    package let byteCount: UInt64
    let entry: CatalogueEntry
    /// `nil` if neither rows nor ledger show it.
    let id: RecordingID?
  }

  private let hub: HubDirectory
  private let now: WallTime
  /// The same in seconds since 1970.
  private var present: Int64 { now.nanoseconds / 1_000_000_000 }

  package init(_ hub: HubDirectory, now: WallTime) {
    (self.hub, self.now) = (hub, now)
  }

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

  /// The recordings that a rule selects, the oldest arrival first: a machine with a wrong clock, or that was away for long,
  /// loses nothing on the day of its visit.
  ///
  /// - Returns: Them, and a sentence if others are old only by this machine's clock.
  package func victims(_ rule: Rule) throws(CommandFailure) -> (victims: [Victim], remark: String?)
  {
    try HubError.reporting { try choose(rule) }
  }

  private func choose(_ rule: Rule) throws -> (victims: [Victim], remark: String?) {
    if rule.before != nil, present < WallTime.earliestCredible {
      throw CommandFailure(
        .configuration,
        "this machine's clock is not set, so no age is known: `sudo timedatectl set-ntp true`"
      )
    }
    if rule.before != nil { try refuseWrongClock() }
    var all: [Victim] = []
    var newest: Int64 = 0
    for host in try hosts(of: rule) {
      let ledger = try HostLedger(of: host, in: hub)
      let rows = try HostRows(of: host, in: hub)
      // A log's name has a prefix of its UUID.
      let ids = Dictionary(grouping: ledger.arrivals.keys, by: \.namePrefix)
      for entry in try Catalogue(path: hub.logs(of: host), followsLinks: false).list().entries {
        let status = try hub.files.status(entry.path, followsLink: false)
        let known = ids[entry.idPrefix]
        let id = rows.live[entry.fileName]?.id ?? (known?.count == 1 ? known?.first : nil)
        // Not by a clock that was not set.
        let arrival = id.flatMap { ledger.arrivals[$0] }
          .flatMap { $0 >= WallTime.earliestCredible ? $0 : nil }
        if let arrival, arrival < present { newest = max(newest, arrival) }
        all.append(
          Victim(
            host: host, number: entry.number, arrival: arrival,
            byteCount: UInt64(clamping: status.st_size), entry: entry, id: id))
      }
    }
    // Without a known arrival it is not old.
    func age(_ one: Victim) -> (Int64, String, UInt32) {
      (one.arrival ?? present, one.host, one.number)
    }
    all.sort { age($0) < age($1) }
    // A clock that was set ahead ages nothing: age counts up to the last visit or arrival.
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
    "\(spared) more \(spared == 1 ? "is" : "are") old by this machine's clock, which no visit has confirmed since "
      + "\(LocalTime.text(seconds: last)): give --most-bytes, or run a round that reaches a host"
  }

  /// Throws where most hosts' clocks differ from this one, which is then the wrong one.
  private func refuseWrongClock() throws {
    let machines = try hub.hosts().compactMap { try HostState(of: $0, in: hub).machine }
    guard machines.disagree else { return }
    let wrong = machines.count(where: \.isClockWrong)
    throw CommandFailure(
      .configuration,
      "the clocks of \(wrong) of \(machines.count) hosts differed from this machine's by more than a day when they were seen last, "
        + "so no age is known: set the clocks, and run a round")
  }

  /// When the hub last saw a host whose clock agreed with its own, in seconds since 1970.
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

  /// Removes recordings; a failure at one host leaves the others.
  ///
  /// - Parameters:
  ///   - isFinal: Whether to empty the trash of the rule's hosts too.
  ///   - report: Receives what could not be removed, or only in part.
  /// - Returns: The number of removed recordings, and of those deleted from the trash.
  package func remove(
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
        // What is deleted from the trash is not lost.
        let trash = isFinal ? Set(try catalogue.trashed().map(\.entry.idPrefix)) : []
        // Before and after: a full disk needs the room of the trash to remove anything.
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
    if let damage = try ledger.dropDamage() { report(damage) }
    for victim in victims {
      do {
        // The header of one with derived files need not be readable.
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
