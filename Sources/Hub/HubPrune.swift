// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import LogFormat
import LogStore

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
    /// When it came here, in seconds since 1970.
    public let time: Int64
    /// Its length.
    public let byteCount: UInt64
    let entry: CatalogueEntry
  }

  private let hub: HubDirectory
  private let now: WallTime

  /// A hub.
  public init(_ hub: HubDirectory, now: WallTime) {
    (self.hub, self.now) = (hub, now)
  }

  /// The recordings that go by a rule, the oldest first.
  ///
  /// A recording counts from when it came here, whatever its clock said: one that was years off, in either direction, or a
  /// machine that was away for long, loses nothing on the day of its visit, and keeps nothing for ever.
  public func victims(_ rule: Rule) throws -> [Victim] {
    let hosts = try hub.hosts()
    if let host = rule.host, !hosts.contains(host) {
      throw CommandFailure(
        .noInput, "the hub at \(ForeignText.shown(hub.path)) has no host \(ForeignText.shown(host))"
      )
    }
    var all: [Victim] = []
    for host in hosts where rule.host ?? host == host {
      let ledger = try HostLedger(of: host, in: hub)
      let rows = try HostRows(of: host, in: hub)
      for entry in try Catalogue(path: hub.logs(of: host), followsLinks: false).list().entries {
        let status = try hub.files.status(entry.path, followsLink: false)
        let arrival = rows.live[entry.fileName].flatMap { ledger.arrivals[$0.id] }
        // One of which no line says when it came is not known to be old.
        let time = arrival ?? now.nanoseconds / 1_000_000_000
        all.append(
          Victim(
            host: host, number: entry.number, time: time,
            byteCount: UInt64(clamping: status.st_size), entry: entry))
      }
    }
    all.sort { ($0.time, $0.host, $0.number) < ($1.time, $1.host, $1.number) }
    var left = all.reduce(UInt64(0)) { $0 &+ $1.byteCount }
    var victims: [Victim] = []
    for one in all {
      let isOld = rule.before.map { one.time < $0 } ?? false
      guard isOld || rule.mostBytes.map({ left > $0 }) ?? false else { continue }
      left -= one.byteCount
      victims.append(one)
    }
    return victims
  }

  /// Removes recordings.
  ///
  /// - Parameters:
  ///   - isFinal: Whether the trash of their stores is emptied too.
  ///   - report: Receives what could not be removed, or not wholly.
  /// - Returns: How many are gone.
  public func remove(
    _ victims: [Victim], isFinal: Bool, _ lock: borrowing HubLock,
    report: (CommandFailure) -> Void
  ) throws -> Int {
    var count = 0
    for host in Set(victims.map(\.host)).sorted() {
      let catalogue = try hub.store(of: host)
      var ledger = try HostLedger(of: host, in: hub)
      for victim in victims where victim.host == host {
        do {
          let id = try catalogue.reader(of: victim.entry).description.id
          try ledger.append([HostLedger.pruned(id, now.ledgerText)])
          _ = try catalogue.remove(victim.entry, now: now)
          count += 1
        } catch {
          let failure = CommandFailure(error, else: .inputOutput)
          report(
            CommandFailure(
              failure.status, "\(host): recording \(victim.number): \(failure.sentence)"))
        }
      }
      var derivation = HostDerivation(
        HubHost(name: host, destination: "", labels: [], line: 0), hub, catalogue, ledger,
        try HostRows(of: host, in: hub), time: now.ledgerText)
      try derivation.dropGone()
      guard isFinal else { continue }
      for failure in catalogue.emptyTrash(now: now, ofAnyAge: true).failures {
        report(CommandFailure(failure, else: .inputOutput))
      }
    }
    return count
  }
}
