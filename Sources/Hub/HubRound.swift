// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import Remote

/// Visits every host of a hub once: fetches new recordings, and derives what is missing.
package struct HubRound {
  package struct Settings: Sendable {
    package var connection: SSHConnection
    /// Nanoseconds without progress after which a round gives up on a host.
    package var timeout: Int64
    /// Whether hosts move recordings with a proved copy here to their trash.
    package var thenFree = false
    let deriver: Deriver

    package init(_ connection: SSHConnection, timeout: Int64, _ deriver: Deriver) {
      (self.connection, self.timeout, self.deriver) = (connection, timeout, deriver)
    }
  }

  package struct Host: Sendable {
    package let pull: PulledHost
    package let derivedCount: Int
    /// Whether everything it has is here, whatever else failed.
    package let isAllHere: Bool
  }

  private let hub: HubDirectory
  private let hosts: [HubHost]
  private let settings: Settings
  private let board: PullBoard
  private let now: @Sendable () -> WallTime

  /// - Parameter board: Has the names of the hosts in their order.
  package init(
    _ hub: HubDirectory, _ hosts: [HubHost], _ settings: Settings, _ board: PullBoard,
    now: @escaping @Sendable () -> WallTime
  ) {
    (self.hub, self.hosts, self.settings, self.board, self.now) = (hub, hosts, settings, board, now)
  }

  /// Visits the hosts, `jobs` at a time; returns their outcomes in order.
  package func run(jobs wanted: Int, _ lock: borrowing HubLock) throws(CommandFailure) -> [Host] {
    try HubError.reporting { try visit(jobs: wanted) }
  }

  private func visit(jobs wanted: Int) throws -> [Host] {
    let names = Set(hosts.map(\.name))
    let stores = Set(try hub.hosts())
    var unread: [Host] = []
    // A host that is listed or has a store reports this failure itself.
    let owners = try Owners(listed: names, hub) { name, failure in
      guard !names.contains(name), !stores.contains(name) else { return }
      unread.append(failed(name, failure))
    }
    let share = HostQueue.share(jobs: wanted, hosts: hosts.count)
    if share.jobs < min(wanted, hosts.count) {
      board.talk(
        "\(share.jobs) hosts at a time, not \(wanted), by the limit on open files: raise `ulimit -n`, or LimitNOFILE= of its service"
      )
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

  /// Derives for hosts that left the host file; returns failed ones.
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

  /// Removes the tables of hosts without a line and a store; returns failed ones.
  private func dropGone(_ owners: Owners) throws -> [Host] {
    var failures: [Host] = []
    for name in try hub.goneHosts() where !owners.isListed(name) {
      do {
        let count = try hub.dropTables(of: name)
        if count > 0 {
          board.talk(
            "\(name): it has neither a line in the host file nor a store here: removed \(count) of its files in the tables, as "
              + "nothing can verify them")
        }
      } catch {
        failures.append(failed(name, HubError.failure(error)))
      }
    }
    return failures
  }

  /// Reports the failure of a host that was not visited.
  private func failed(_ name: String, _ failure: CommandFailure) -> Host {
    board.talk("\(name): \(failure.sentence)")
    var result = PulledHost(host: name)
    result.note(failure)
    return Host(pull: result, derivedCount: 0, isAllHere: true)
  }
}
