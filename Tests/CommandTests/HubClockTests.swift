// SPDX-License-Identifier: Apache-2.0

import LogStoreTesting
import Testing
import TestSupport

@Suite("A hub dates nothing by a clock that is wrong", .waitsForPrograms, .timeLimit(.minutes(15)))
struct HubClockTests {
  private let bench = FleetBench()

  private static let round = ["hub", "fleet", "--hosts", "hosts"]
  /// A far end whose clock shows the year 2100.
  private static let ahead = "serve one | sed -u 's/^fact time .*/fact time 4102444800000000000/'"

  /// The words of the ledger's lines that are about an identity.
  private func ledger(_ id: String) -> [Substring] {
    ledger().split(separator: "\n").filter { $0.contains(id) }.map { $0.split(separator: " ")[1] }
  }

  private func ledger() -> String { bench.text(of: "ledger/pump-1") }

  @Test("what is found, seen and would be pruned has no date by a clock that is wrong")
  func undated() throws {
    try bench.machine("one").record("--for", "1s")
    try bench.machine("card").record("--for", "2s")
    bench.hosts("pump-1 = one\n")
    func seen() throws -> JSON { try bench.status()[0]["seen"] }
    #expect(bench.round().status == 0)
    #expect(try seen() != .null)
    // A log that a person put here.
    bench.hub.shell(
      "cp card/*.imulog fleet/logs/pump-1/000009-20200101T000000Z-$(ls card | cut -c25-32).imulog"
    ).expect(0)
    #expect(bench.ssh(HubClockTests.ahead).run(HubClockTests.round).status == 78)
    let id = try #require(try bench.machine("card").list().first?["id"].text)
    #expect(ledger(id) == ["found", "undated"])
    #expect(try seen() == .null)
    let table = bench.hub.run("hub", "status", "fleet", "--hosts", "hosts")
    #expect(table.lines.last?.hasPrefix("pump-1  -  ") == true, "\(table.output)")
    let plan = bench.hub.run("hub", "prune", "fleet", "--most-bytes", "1B", "--print")
    #expect(plan.lines.contains { $0.hasPrefix("pump-1 9 - ") }, "\(plan.output)")
    #expect(plan.lines.contains { $0.hasPrefix("pump-1 1 20") }, "\(plan.output)")
    #expect(bench.round().status == 0)
    #expect(ledger(id) == ["found", "undated", "dated"])
    #expect(bench.contents(of: "samples").count == 2)
    #expect(try seen() != .null)
  }
}
