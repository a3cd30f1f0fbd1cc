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
    let deriver: Deriver

    /// Settings.
    public init(_ connection: SSHConnection, timeout: Int64, _ deriver: Deriver) {
      (self.connection, self.timeout, self.deriver) = (connection, timeout, deriver)
    }
  }

  /// What became of a host.
  public struct Host: Sendable {
    /// The pull.
    public let pull: PulledHost
    /// Recordings whose files were made.
    public let derivedCount: Int
    /// Whether all that it has is here: what is wrong is something else.
    public let isAllHere: Bool
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
  public func run(jobs wanted: Int, _ lock: borrowing HubLock) throws(CommandFailure) -> [Host] {
    try HubError.reporting { try visit(jobs: wanted) }
  }

  private func visit(jobs wanted: Int) throws -> [Host] {
    let names = Set(hosts.map(\.name))
    let stores = Set(try hub.hosts())
    var unread: [Host] = []
    // The own part of a host that is listed or has a store fails by the same, and is reported there.
    let owners = try Owners(listed: names, hub) { name, failure in
      guard !names.contains(name), !stores.contains(name) else { return }
      unread.append(failed(name, failure))
    }
    let share = HostQueue.share(jobs: wanted, hosts: hosts.count)
    if share.jobs < min(wanted, hosts.count) {
      board.talk(
        "\(share.jobs) hosts at a time, not \(wanted): more would need more open files than this process may have; raise "
          + "`ulimit -n`, or LimitNOFILE= of its service")
    }
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
      own.witness = keeper
      var connection = settings.connection
      connection.showsHostKey = true
      return PullSource(
        host.name, destination: host.destination, connection, own,
        open: { try keeper.open() },
        finish: { keeper.finish(&$0, $1) })
    }
    let results = try HostQueue(sources, board).run(jobs: share.jobs)
    let visited = zip(results, keepers).map {
      Host(pull: $0, derivedCount: $1.derivedCount, isAllHere: $1.isAllHere)
    }
    return visited + unread + (try unlisted(owners)) + (try dropGone(owners))
  }

  /// Brings up to date what is derived of hosts that are not in the host file any more; returns those of which that failed.
  private func unlisted(_ owners: Owners) throws -> [Host] {
    var failed: [Host] = []
    for name in try hub.hosts() where !owners.isListed(name) {
      let keeper = HostKeeper(HubHost(unlisted: name), hub, owners, settings, now: now) { [board] in
        board.talk("\(name): \($0)")
      }
      var result = PulledHost(host: name)
      keeper.deriveAlone(&result)
      if result.failure != nil {
        failed.append(Host(pull: result, derivedCount: keeper.derivedCount, isAllHere: true))
      }
    }
    return failed
  }

  /// Removes the tables of hosts that have neither a line nor a store any more; returns those of which that failed.
  private func dropGone(_ owners: Owners) throws -> [Host] {
    var failures: [Host] = []
    for name in try hub.goneHosts() where !owners.isListed(name) {
      do {
        let count = try hub.dropTables(of: name)
        if count > 0 {
          board.talk(
            "\(name): it has neither a line in the host file nor a store here: \(count) of its files in the tables removed, as "
              + "nothing can verify them")
        }
      } catch {
        failures.append(failed(name, HubError.failure(error)))
      }
    }
    return failures
  }

  /// Reports the failure of a host that was not asked for anything.
  private func failed(_ name: String, _ failure: CommandFailure) -> Host {
    board.talk("\(name): \(failure.sentence)")
    var result = PulledHost(host: name)
    result.note(failure)
    return Host(pull: result, derivedCount: 0, isAllHere: true)
  }
}
