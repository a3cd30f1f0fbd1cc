// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import Hub
import IMUModel
import LogFormat
import LogStoreTesting
import Remote
import Synchronization
import TestSupport

extension Deriver {
  /// What the program of the verb does, with the gate of the hub.
  static let inside = Deriver {
    try Deriver.answer($0.words, gate: $0.hub.files.gate)
  }
}

extension HostRows.Row {
  /// A row of a log, of which nothing but its number is known.
  init(_ index: Int) {
    self.init(
      id: ExampleLog.description(UInt64(index) + 7).id,
      log: HostRows.LogMark(fileName: "\(index).imulog", byteCount: 1, modified: 1),
      source: "-", date: "undated", byteCounts: HubTable.all.map { _ in 1 }, rowSum: 0)
  }
}

extension HubHost {
  /// `pump-1`, with a label.
  static func pump(_ label: String, _ value: String) -> HubHost {
    HubHost(
      name: "pump-1", destination: "pi", labels: [HubHost.Label(name: label, value: value)], line: 1
    )
  }
}

extension SensorCalibration {
  /// One of a gyroscope alone.
  static func shoe(_ low: UInt64, offset: Vector3) -> SensorCalibration {
    SensorCalibration(
      id: RecordingID(high: 1, low: low), name: "shoe", sensor: "MPU-6050", made: 0,
      accelerometer: nil,
      gyroscope: SensorCalibration.Gyroscope(offset: offset, scale: Vector3(1, 1, 1)))
  }
}

/// A hub whose hosts are played: each says in a round what a ``Conversation`` has for it.
struct PlayedFleet {
  let directory = TemporaryDirectory(inMemory: true)
  var path: String { directory.path + "/fleet" }
  /// 2028-11-26T10:00:00Z.
  static let now: Int64 = 1_858_845_600

  /// A host that ssh reaches as pi@NAME.
  static func host(_ name: String, _ labels: [(String, String)] = []) -> HubHost {
    HubHost(
      name: name, destination: "pi@\(name)",
      labels: labels.map { HubHost.Label(name: $0, value: $1) }, line: 1)
  }

  func hub() throws -> HubDirectory { try HubDirectory(path: path, create: true) }

  static func time(_ now: Int64) -> WallTime {
    WallTime(nanoseconds: now * 1_000_000_000, isSynchronised: true)
  }

  /// One round, a host after the other; returns what was reported, and then a line a host with its counts.
  func round(
    _ hosts: [(HubHost, String)], thenFree: Bool = false, now: Int64 = PlayedFleet.now,
    deriver: Deriver = .inside
  ) throws -> (said: [String], requests: [[[String]]]) {
    let hub = try hub()
    let lock = try hub.lock()
    let said = Mutex<[String]>([])
    let board = PullBoard(
      hosts: hosts.map(\.0.name), show: { _ = $0() },
      report: { line in said.withLock { $0.append(line) } })
    let played = PlayedHosts(
      Dictionary(uniqueKeysWithValues: hosts.map { ($0.destination, Conversation($1)) }))
    var settings = HubRound.Settings(
      SSHConnection(program: played.program), timeout: 12_000_000_000, deriver)
    settings.thenFree = thenFree
    let round = HubRound(hub, hosts.map(\.0), settings, board) { PlayedFleet.time(now) }
    // Locks that other tests release are not to be copied by a start.
    let results = try ProgramStart.perform { try round.run(jobs: 1, lock) }
    _ = consume lock
    let lines = results.map { host in
      let pull = host.pull
      let counts = [
        ("offered", pull.offered), ("here", pull.here), ("fetched", pull.fetched),
        ("running", pull.running), ("failed", pull.failed), ("freed", pull.freed),
        ("derived", host.derivedCount),
      ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
      let failure = pull.failure.map { ["status \($0.status.rawValue)"] } ?? []
      let whole = host.isAllHere ? ["all here"] : []
      return "\(pull.host): " + (counts + failure + whole).joined(separator: ", ")
    }
    return (
      said.withLock { $0 }.map { $0.replacing(path, with: "HUB") } + lines,
      hosts.map { played.requests(of: $0.0.destination) }
    )
  }

  /// The lines of a host's ledger, without their checks.
  func ledger(of host: String) -> [String] {
    String(decoding: directory.bytes(of: "fleet/ledger/\(host)"), as: UTF8.self)
      .split(separator: "\n").map { line in
        String(line.split(separator: " ", maxSplits: 1).last ?? "")
      }
  }

  /// What verify finds.
  func verify(_ deriver: Deriver = .inside) throws -> [String] {
    let hub = try hub()
    let lock = try hub.lockForReading()
    var (verification, said): (HubVerification, [String]) = (HubVerification(hub, deriver), [])
    _ = try verification.run(lock) { said.append($0.replacing(path, with: "HUB")) }
    _ = consume lock
    return said
  }

  func status(_ hosts: [HubHost], now: Int64 = PlayedFleet.now) throws -> FleetStatus {
    try FleetStatus(try hub(), hosts, now: PlayedFleet.time(now))
  }
}
