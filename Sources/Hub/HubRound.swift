// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import Remote

/// One visit of every host of a hub: what is new there is fetched, and what is derived is brought up to date.
public struct HubRound {
  /// How hosts are reached.
  public struct Settings: Sendable {
    /// How ssh connects.
    public var connection: SSHConnection
    /// Nanoseconds without progress after which a host is given up.
    public var timeout: Int64
    /// Whether hosts move recordings that are proved to be here to their trash.
    public var thenFree = false
    /// A program that is handed each finished file; see Fleet.md.
    public var hook: String?

    /// Settings.
    public init(_ connection: SSHConnection, timeout: Int64) {
      (self.connection, self.timeout) = (connection, timeout)
    }
  }

  /// What became of a host.
  public struct Host: Sendable {
    /// The pull.
    public let pull: PulledHost
    /// Recordings whose files were made.
    public let derivedCount: Int
  }

  private let hub: HubDirectory
  private let hosts: [HubHost]
  private let settings: Settings
  private let board: PullBoard
  private let now: @Sendable () -> WallTime

  /// A round over these hosts.
  ///
  /// - Parameters:
  ///   - board: Shows progress and reports failures, with the names of the hosts in their order.
  ///   - now: The time, for the ledger.
  public init(
    _ hub: HubDirectory, _ hosts: [HubHost], _ settings: Settings, _ board: PullBoard,
    now: @escaping @Sendable () -> WallTime
  ) {
    (self.hub, self.hosts, self.settings, self.board, self.now) = (hub, hosts, settings, board, now)
  }

  /// Visits the hosts, `jobs` at a time; returns what became of each, in their order.
  public func run(jobs wanted: Int, _ lock: borrowing HubLock) throws -> [Host] {
    let owners = Owners(listed: Set(hosts.map(\.name)))
    for host in try hub.knownHosts() {
      do {
        let ledger = try HostLedger(of: host, in: hub)
        owners.notePruned(ledger.pruned)
        // One that was removed here is fetched again, from whichever host has it.
        let there = try hub.prefixes(of: host)
        for (id, proof) in ledger.proofs where there.contains(String("\(id)".prefix(8))) {
          owners.note(id, proof, of: host)
        }
      } catch {
        // Its own part of the round fails by the same, and the others go on.
        board.talk("\(host): \(CommandFailure(error, else: .inputOutput).sentence)")
      }
    }
    let share = HostQueue.share(jobs: wanted, hosts: hosts.count)
    let keepers = hosts.map { [board] host in
      HostKeeper(host, hub, owners, settings, now: now) {
        board.talk("\(host.name): \($0)")
      }
    }
    let sources = zip(hosts, keepers).map { host, keeper in
      var own = PullSettings(timeout: settings.timeout)
      own.thenFree = settings.thenFree
      own.openFiles = share.openFiles
      own.leavesRunning = true
      own.witness = PullWitness(
        admit: { keeper.admit($0) }, compared: { try keeper.compared($0, $1) },
        willPublish: { try keeper.willPublish($0) }, connected: { keeper.connected($0) },
        learned: { keeper.learned($0) })
      var connection = settings.connection
      connection.showsHostKey = true
      return PullSource(
        host.name, destination: host.destination, connection, own,
        open: { try keeper.open() },
        finish: { keeper.finish(&$0, $1) })
    }
    let results = try HostQueue(sources, board).run(jobs: share.jobs)
    let visited = zip(results, keepers).map { Host(pull: $0, derivedCount: $1.derivedCount) }
    return visited + (try unlisted(owners))
  }

  /// Brings up to date what is derived of hosts that are not in the host file any more; returns those of which that failed.
  private func unlisted(_ owners: Owners) throws -> [Host] {
    var failed: [Host] = []
    for name in try hub.hosts() where !owners.isListed(name) {
      let host = HubHost(name: name, destination: "", labels: [], line: 0)
      let keeper = HostKeeper(host, hub, owners, settings, now: now) { [board] in
        board.talk("\(name): \($0)")
      }
      var result = PulledHost(host: name)
      keeper.deriveAlone(&result)
      if result.failure != nil {
        failed.append(Host(pull: result, derivedCount: keeper.derivedCount))
      }
    }
    return failed
  }
}
