// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
@testable import Hub
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite("What a hub removes by a rule", .excludesProgramStarts)
struct HubPruneTests {
  private static let now = PlayedFleet.time(PlayedFleet.now)
  private static let day: Int64 = 86400
  private static let host = HubHost.pump("site", "b")

  /// A hub whose host `pump-1` has recordings that came on these days before now, the first first.
  private struct Fleet {
    let directory = TemporaryDirectory(inMemory: true)
    var path: String { directory.path + "/fleet" }
    var ids: [RecordingID] = []

    init(days: [Int64]) throws {
      let hub = try HubDirectory(path: path, create: true)
      let lock = try hub.lock()
      _ = try hub.store(of: "pump-1")
      var ledger = try HostLedger(of: "pump-1", in: hub)
      for (index, day) in days.enumerated() {
        let log = try ExampleLog(ticks: 100 * UInt64(index + 1), seed: UInt64(index) + 7)
        ids.append(log.description.id)
        // Names say that all of them began in 2001.
        let name =
          "00000\(index + 1)-20010101T000000Z-\("\(log.description.id)".prefix(8)).imulog"
        directory.write(log.bytes, to: "fleet/logs/pump-1/" + name)
        let proof = HostLedger.Proof(
          byteCount: UInt64(log.bytes.count), digest: SHA256.digest(of: log.bytes))
        let time = WallTime(
          nanoseconds: (HubPruneTests.now.nanoseconds / 1_000_000_000 - day * HubPruneTests.day)
            * 1_000_000_000, isSynchronised: true)
        try ledger.append([
          HostLedger.fetched(
            log.description.id, proof, "complete", time.ledgerText, from: "pi",
            hostKey: "SHA256:x")
        ])
      }
      // Its last round is just over.
      try HostState().keep(
        of: "pump-1", in: hub, seen: HubPruneTests.now.nanoseconds / 1_000_000_000)
      _ = consume lock
      try derive()
    }

    /// Derives what a round does; returns the ledger.
    @discardableResult
    func derive(_ comment: String = "") throws -> HostLedger {
      let hub = try HubDirectory(path: path, create: false)
      let lock = try hub.lock()
      var derivation = HostDerivation(
        HubPruneTests.host, hub, try hub.store(of: "pump-1"),
        try HostLedger(of: "pump-1", in: hub), try HostRows(of: "pump-1", in: hub),
        time: HubPruneTests.now.ledgerText)
      try derivation.run(.inside) { Issue.record("\(comment): \($0.sentence)") }
      _ = consume lock
      return try ledger()
    }

    func ledger() throws -> HostLedger {
      try HostLedger(of: "pump-1", in: try HubDirectory(path: path, create: false))
    }

    func prune(
      _ rule: HubPrune.Rule, _ gate: FaultGate = .open, now: WallTime = HubPruneTests.now,
      isFinal: Bool = false
    ) -> (numbers: [UInt32], trashed: Int, failures: [CommandFailure]) {
      var (failures, numbers, trashed): ([CommandFailure], [UInt32], Int) = ([], [], 0)
      do {
        let hub = try HubDirectory(path: path, create: false, gate: gate)
        let lock = try hub.lock()
        let prune = HubPrune(hub, now: now)
        let victims = try prune.victims(rule).victims
        numbers = victims.map(\.number)
        trashed = try prune.remove(victims, by: rule, isFinal: isFinal, lock) {
          failures.append($0)
        }.ofTrash
        _ = consume lock
      } catch {
        failures.append(CommandFailure(error, else: .inputOutput))
      }
      return (numbers, trashed, failures)
    }

    private func paths(in place: String) -> [String] {
      let names = directory.names(in: place)
      return names.isEmpty ? [place] : names.sorted().flatMap { paths(in: "\(place)/\($0)") }
    }

    /// Paths of what is left, but for the trash.
    func files() -> [String] {
      ["samples", "features", "recordings"].flatMap { paths(in: "fleet/" + $0) }
        + directory.names(in: "fleet/logs/pump-1").filter { $0.hasSuffix(".imulog") }
    }
  }

  private static func rule(days: Int64? = nil, bytes: UInt64? = nil) -> HubPrune.Rule {
    var rule = HubPrune.Rule()
    rule.before = days.map { now.nanoseconds / 1_000_000_000 - $0 * day }
    rule.mostBytes = bytes
    return rule
  }

  /// 20 years ahead.
  private static let ahead = WallTime(
    nanoseconds: now.nanoseconds + 20 * 366 * day * 1_000_000_000, isSynchronised: true)
  /// What is older than 400 days by that clock.
  private static var ruleAhead: HubPrune.Rule { rule(days: 400 - 20 * 366) }

  @Test("a recording counts from when it came here, whatever its clock said")
  func arrival() throws {
    let fleet = try Fleet(days: [500, 399, 401, 1])
    #expect(fleet.prune(HubPruneTests.rule(days: 400)).numbers == [1, 3])
    #expect(fleet.files().filter { $0.hasSuffix(".imulog") }.count == 2)
    #expect(
      fleet.files().filter { $0.contains("/samples/") && $0.hasSuffix(".parquet") }.count == 2)
    #expect(fleet.prune(HubPruneTests.rule(days: 400)).numbers.isEmpty)
    #expect(try fleet.ledger().pruned == [fleet.ids[0], fleet.ids[2]])
  }

  @Test("a recording that came while the clock was not set is not known to be old")
  func unsetClock() throws {
    let fleet = try Fleet(days: [20_700, 401])
    #expect(fleet.prune(HubPruneTests.rule(days: 400)).numbers == [2])
    let early = WallTime(nanoseconds: 86400 * 1_000_000_000, isSynchronised: false)
    let refused = fleet.prune(HubPruneTests.rule(days: 0), now: early)
    #expect(refused.numbers.isEmpty)
    #expect(refused.failures.map(\.status) == [.configuration])
    // The amount of bytes needs no clock.
    #expect(fleet.prune(HubPruneTests.rule(bytes: 0), now: early).numbers == [1])
  }

  @Test("a clock that was set years ahead since the last round makes nothing older")
  func clockAhead() throws {
    let fleet = try Fleet(days: [500, 399, 1])
    let (ahead, rule) = (HubPruneTests.ahead, HubPruneTests.ruleAhead)
    let hub = try HubDirectory(path: fleet.path, create: false)
    let found = try HubPrune(hub, now: ahead).victims(rule)
    #expect(found.victims.map(\.number) == [1])
    // The others are as old by that clock, which is said.
    #expect(found.remark?.hasPrefix("2 more are old by this machine's clock") == true)
    let now = HubPruneTests.rule(days: 400)
    #expect(try HubPrune(hub, now: HubPruneTests.now).victims(now).remark == nil)
    #expect(fleet.prune(rule, now: ahead).numbers == [1])
  }

  @Test(
    "rounds under a clock that is years ahead make nothing older, where half the hosts are dead")
  func roundsAhead() throws {
    let fleet = try Fleet(days: [500, 399, 1])
    let ahead = HubPruneTests.ahead
    let hub = try HubDirectory(path: fleet.path, create: false)
    let lock = try hub.lock()
    // `pump-1` answered before the clock was set; `pump-2` answers still, and shows how far the clocks differ.
    var state = HostState()
    state.machine = HostState.Machine(software: "0.1.0", clockOffset: 0, isSynchronised: true)
    try state.keep(of: "pump-1", in: hub, seen: HubPruneTests.now.nanoseconds / 1_000_000_000)
    _ = try hub.store(of: "pump-2")
    state.machine?.clockOffset = HubPruneTests.now.nanoseconds - ahead.nanoseconds
    try state.keep(of: "pump-2", in: hub, seen: ahead.nanoseconds / 1_000_000_000)
    _ = consume lock
    let outcome = fleet.prune(HubPruneTests.ruleAhead, now: ahead)
    #expect(outcome.failures.isEmpty, "\(outcome.failures.map(\.sentence))")
    #expect(outcome.numbers == [1])
  }

  @Test("a recording of which nothing is derived yet is as old as its ledger says")
  func withoutRows() throws {
    let fleet = try Fleet(days: [500, 1, 600])
    #expect(unlink("\(fleet.path)/rows/pump-1") == 0)
    #expect(fleet.prune(HubPruneTests.rule(days: 400)).numbers == [3, 1])
  }

  @Test("the trash is emptied when asked for, whether or not more goes there")
  func trash() throws {
    let fleet = try Fleet(days: [500, 1])
    #expect(fleet.prune(HubPruneTests.rule(days: 400)).numbers == [1])
    let second = fleet.prune(HubPruneTests.rule(days: 400), isFinal: true)
    #expect(second.numbers.isEmpty)
    #expect(second.trashed == 1)
    #expect(fleet.prune(HubPruneTests.rule(days: 400), isFinal: true).trashed == 0)
  }

  @Test("a recording whose header cannot be read any more goes by its files' identity")
  func damaged() throws {
    let fleet = try Fleet(days: [500])
    let name =
      "fleet/logs/pump-1/"
      + (try #require(
        fleet.directory.names(in: "fleet/logs/pump-1").first { $0.hasSuffix(".imulog") }))
    var log = fleet.directory.bytes(of: name)
    for place in 0..<64 { log[place] ^= 0x55 }
    fleet.directory.write(log, to: name)
    let outcome = fleet.prune(HubPruneTests.rule(days: 400))
    #expect(outcome.failures.isEmpty, "\(outcome.failures.map(\.sentence))")
    #expect(outcome.numbers == [1])
    #expect(try fleet.ledger().pruned == [fleet.ids[0]])
  }

  @Test("the oldest go until the rest has no more bytes than the limit")
  func bytes() throws {
    let fleet = try Fleet(days: [1, 3, 2])
    let sizes = fleet.directory.names(in: "fleet/logs/pump-1").filter { $0.hasSuffix(".imulog") }
      .sorted().map { UInt64(fleet.directory.bytes(of: "fleet/logs/pump-1/" + $0).count) }
    let total = sizes.reduce(0, +)
    #expect(fleet.prune(HubPruneTests.rule(bytes: total)).numbers.isEmpty)
    #expect(fleet.prune(HubPruneTests.rule(bytes: total - 1)).numbers == [2])
    #expect(fleet.prune(HubPruneTests.rule(bytes: sizes[0])).numbers == [3])
    #expect(fleet.prune(HubPruneTests.rule(bytes: 0)).numbers == [1])
    #expect(
      fleet.files().filter { $0.hasSuffix(".parquet") && !$0.hasSuffix("recordings.parquet") }
        .isEmpty)
  }

  @Test(
    "a prune that failed makes nothing younger, and what is restored after one came when it was")
  func failedPrune() throws {
    let fleet = try Fleet(days: [500, 1])
    let now = HubPruneTests.now.nanoseconds / 1_000_000_000
    let arrival = now - 500 * HubPruneTests.day
    // A file in the place of the trash.
    fleet.directory.write([], to: "fleet/logs/pump-1/.trash")
    let failed = fleet.prune(HubPruneTests.rule(days: 400))
    #expect(failed.numbers == [1] && failed.failures.count == 1)
    try #require(unlink("\(fleet.path)/logs/pump-1/.trash") == 0)
    let kept = try fleet.derive()
    #expect(kept.pruned.isEmpty)
    #expect(kept.arrivals[fleet.ids[0]] == arrival)
    #expect(fleet.prune(HubPruneTests.rule(days: 400)).failures.isEmpty)
    #expect(try fleet.derive().pruned == [fleet.ids[0]])
    let catalogue = try Catalogue(path: "\(fleet.path)/logs/pump-1")
    try catalogue.restore(try #require(try catalogue.trashed().first))
    let restored = try fleet.derive()
    #expect(restored.pruned.isEmpty)
    #expect(restored.arrivals[fleet.ids[0]] == now)
  }

  @Test("a recording that was missing and is here again counts as here")
  func hereAgain() throws {
    let fleet = try Fleet(days: [1])
    var ledger = try fleet.ledger()
    try ledger.append([HostLedger.missing(fleet.ids[0], HubPruneTests.now.ledgerText)])
    #expect(ledger.missing == [fleet.ids[0]])
    #expect(try fleet.derive().missing.isEmpty)
  }

  @Test("a damaged line of the ledger is named before others are added to it")
  func damagedLedger() throws {
    let fleet = try Fleet(days: [500, 1])
    let ledger = fleet.directory.bytes(of: "fleet/ledger/pump-1")
    fleet.directory.write(ledger + ledger.prefix(40) + [10], to: "fleet/ledger/pump-1")
    let outcome = fleet.prune(HubPruneTests.rule(days: 400))
    #expect(outcome.numbers == [1])
    #expect(outcome.failures.map(\.status) == [.damagedData])
    #expect(
      outcome.failures.first?.sentence.contains("pump-1: damaged lines in") == true,
      "\(outcome.failures.map(\.sentence))")
    #expect(fleet.files().filter { $0.hasSuffix(".imulog") }.count == 1)
    #expect(fleet.prune(HubPruneTests.rule(days: 400)).failures.isEmpty)
  }

  @Test("killed at any call to the kernel, a further prune leaves what one that was not leaves")
  func everyCall() throws {
    let reference = try Fleet(days: [500, 1])
    let script = FaultScript()
    #expect(reference.prune(HubPruneTests.rule(days: 400), script.gate).failures.isEmpty)
    let right = reference.files()
    #expect(script.calls.count > 20)
    for index in script.calls.indices {
      let fleet = try Fleet(days: [500, 1])
      let kill = FaultScript(.from(index, errno: EIO))
      _ = fleet.prune(HubPruneTests.rule(days: 400), kill.gate)
      let second = fleet.prune(HubPruneTests.rule(days: 400))
      #expect(second.failures.isEmpty, "\(index): \(second.failures.map(\.sentence))")
      // What the kill left of derived files is the next round's.
      try fleet.derive("\(index)")
      #expect(fleet.files() == right, "\(index)")
    }
  }
}
