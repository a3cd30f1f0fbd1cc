// SPDX-License-Identifier: Apache-2.0

@testable import Hub
import IMUModel
import LogStoreTesting
import TestSupport
import Testing

@Suite("The hosts of a hub at a glance", .excludesProgramStarts)
struct FleetStatusTests {
  private static let years: Int64 = 20 * 366 * 86400
  private let directory = TemporaryDirectory(inMemory: true)

  /// A hub whose host `pump-1` has recordings that began at these seconds since 1970; the first has the number 1.
  private func hub(_ began: [Int64?]) throws -> HubDirectory {
    let hub = try HubDirectory(path: directory.path + "/fleet", create: true)
    let lock = try hub.lock()
    var rows = try HostRows(of: "pump-1", in: hub)
    for (index, time) in began.enumerated() {
      let started = time.map { ",\"started\":\($0)000000" } ?? ""
      try rows.add(HostRows.Row(index), json: "{\"number\":\(index + 1)\(started)}")
    }
    _ = consume lock
    return hub
  }

  private func host(_ hub: HubDirectory, now: Int64) throws -> FleetStatus.Host {
    let status = try FleetStatus(
      hub, [PlayedFleet.host("pump-1")], now: PlayedFleet.time(now))
    return try #require(status.hosts.first)
  }

  @Test("a recording that began after now, by a clock that was ahead, is not the newest")
  func ahead() throws {
    let now = PlayedFleet.now
    let hub = try hub([now - 300, now + FleetStatusTests.years, now - 200, now + 60, nil])
    let host = try host(hub, now: now)
    #expect(host.last == (now + 60) * 1_000_000_000)
    #expect(host.newest.map(\.number) == [4, 3, 1])
    let earlier = try self.host(hub, now: now - 1)
    #expect(earlier.last == (now - 200) * 1_000_000_000)
    #expect(earlier.newest.map(\.number) == [3, 1, 5])
  }

  @Test("of recordings that all began after now the newest is not known")
  func allAhead() throws {
    let now = PlayedFleet.now
    let host = try host(
      try hub([now + FleetStatusTests.years, now + FleetStatusTests.years / 2]), now: now)
    #expect(host.last == nil)
    #expect(host.newest.map(\.number) == [2, 1])
  }

  @Test("a clock that is not set shows no recording to be ahead of it")
  func unset() throws {
    let now = PlayedFleet.now
    let host = try host(try hub([now - 300, now, now - 200]), now: 86400)
    #expect(host.last == now * 1_000_000_000)
    #expect(host.newest.map(\.number) == [2, 3, 1])
  }
}
