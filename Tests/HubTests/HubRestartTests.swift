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

/// What a hub derives, with a fault at every call to the kernel.
@Suite("What a hub derives survives faults and kills", .excludesProgramStarts)
struct HubRestartTests {
  private static let host = HubHost.pump("site", "b")

  /// A hub with logs in one host's store.
  private struct Fleet {
    let directory = TemporaryDirectory(inMemory: true)
    var path: String { directory.path + "/fleet" }

    init(logs: Int) throws {
      let hub = try HubDirectory(path: path, create: true)
      _ = try hub.lock()
      _ = try hub.store(of: "pump-1")
      for index in 0..<logs { try add(index) }
    }

    func add(_ index: Int, calibration: SensorCalibration? = nil) throws {
      var description = ExampleLog.description(UInt64(index) + 7)
      description.calibration = calibration
      let log = try ExampleLog(ticks: 200, seed: UInt64(index) + 7, description: description)
      let name = ExampleLog.fileName(index + 1, of: log.description.id)
      directory.write(log.bytes, to: "fleet/logs/pump-1/" + name)
    }

    func removeLogs() throws {
      let catalogue = try Catalogue(path: "\(path)/logs/pump-1")
      let now = PlayedFleet.time(PlayedFleet.now)
      for entry in try catalogue.list().entries { try catalogue.remove(entry, now: now) }
    }

    /// Brings the derived files up to date, through a gate; returns the failures.
    func derive(_ gate: FaultGate, host: HubHost = HubRestartTests.host) -> [CommandFailure] {
      var failures: [CommandFailure] = []
      do {
        let hub = try HubDirectory(path: path, create: false, gate: gate)
        let lock = try hub.lock()
        let catalogue = try hub.store(of: host.name)
        var derivation = HostDerivation(
          host, hub, catalogue, try HostLedger(of: host.name, in: hub),
          try HostRows(of: host.name, in: hub), time: "2026-11-26T10:00:00Z")
        try derivation.run(.inside) { failures.append($0) }
        _ = consume lock
      } catch {
        failures.append(CommandFailure(error, else: .inputOutput))
      }
      return failures
    }

    /// Every file that is derived, and its bytes.
    func contents() -> [String: [UInt8]] {
      var all: [String: [UInt8]] = [:]
      func add(_ place: String) {
        for name in directory.names(in: place) {
          let path = "\(place)/\(name)"
          var status = stat()
          guard stat("\(directory.path)/\(path)", &status) == 0 else { continue }
          if status.st_mode & S_IFMT == S_IFDIR {
            add(path)
          } else {
            all[path] = directory.bytes(of: path)
          }
        }
      }
      for part in HubDirectory.tables + [".work"] { add("fleet/" + part) }
      return all
    }
  }

  @Test(
    "killed at any call to the kernel, or failed once there, a further round gives the bytes of one that was not",
    arguments: [true, false])
  func everyCall(isKilled: Bool) throws {
    let reference = try Fleet(logs: 3)
    let script = FaultScript()
    #expect(reference.derive(script.gate).isEmpty)
    let right = reference.contents()
    let texts = right.values.map { String(decoding: $0, as: UTF8.self) }
    #expect(texts.count == 3 * HubTable.all.count + 1)
    #expect(texts.allSatisfy { $0.contains("imulog hub") })
    let callCount = script.calls.count
    #expect(callCount > 60)
    var failureCount = 0
    for index in 0..<callCount {
      let fleet = try Fleet(logs: 3)
      let plan: FaultScript.Plan = isKilled ? .from(index, errno: EIO) : .once(index, errno: EIO)
      failureCount += fleet.derive(FaultScript(plan).gate).isEmpty ? 0 : 1
      // What is there already is whole.
      for (path, bytes) in fleet.contents()
      where !path.contains("/.work/") && !path.contains("recordings/") {
        #expect(bytes == right[path], "call \(index): \(path)")
      }
      #expect(fleet.derive(.open).isEmpty, "call \(index)")
      #expect(fleet.contents() == right, "call \(index)")
      let after = FaultScript()
      #expect(fleet.derive(after.gate).isEmpty)
      #expect(after.changes.isEmpty, "call \(index): a third round makes \(after.changes)")
    }
    // Some calls only clear what was left, or compare.
    #expect(failureCount > callCount * 3 / 4)
  }

  @Test(
    "whose log goes after a kill at any call has no file in the tables after the next round, whether or not the rows are there",
    arguments: [false, true])
  func goneAfterKill(withRows: Bool) throws {
    let script = FaultScript()
    let reference = try Fleet(logs: 1)
    #expect(reference.derive(script.gate).isEmpty)
    try reference.removeLogs()
    #expect(reference.derive(.open).isEmpty)
    let empty = reference.contents()
    var orphanCount = 0
    for index in script.calls.indices {
      let fleet = try Fleet(logs: 1)
      _ = fleet.derive(FaultScript(.from(index, errno: EIO)).gate)
      try fleet.removeLogs()
      if !withRows { unlink("\(fleet.path)/rows/pump-1") }
      orphanCount += fleet.contents().count { $0.key.contains("/date=") }
      #expect(fleet.derive(.open).isEmpty, "call \(index)")
      // There is no table yet, or one without rows.
      let left = fleet.contents()
      #expect(left.isEmpty || left == empty, "call \(index): \(left.keys)")
      let after = FaultScript()
      #expect(fleet.derive(after.gate).isEmpty)
      #expect(after.changes.isEmpty, "call \(index): a further round makes \(after.changes)")
    }
    #expect(orphanCount > 0)
  }

  @Test(
    "killed at any call of the round after all of its logs went, a host has a table without rows after the next one"
  )
  func allGone() throws {
    func fleet() throws -> Fleet {
      let fleet = try Fleet(logs: 2)
      // Lines that do not count any more, so that the round drops them.
      for turn in 0..<12 {
        #expect(fleet.derive(.open, host: .pump("turn", "\(turn)")).isEmpty)
      }
      try fleet.removeLogs()
      return fleet
    }
    let (reference, script) = (try fleet(), FaultScript())
    #expect(reference.derive(script.gate).isEmpty)
    let empty = reference.contents()
    #expect(empty.count == 1)
    for index in script.calls.indices {
      let fleet = try fleet()
      _ = fleet.derive(FaultScript(.from(index, errno: EIO)).gate)
      #expect(fleet.derive(.open).isEmpty)
      #expect(fleet.contents() == empty, "call \(index)")
    }
  }

  @Test("a recording whose files are about to be made may have files in the folder of its row too")
  func bothFolders() throws {
    let fleet = try Fleet(logs: 1)
    #expect(fleet.derive(.open).isEmpty)
    let hub = try HubDirectory(path: fleet.path, create: false)
    var rows = try HostRows(of: "pump-1", in: hub)
    let row = try #require(rows.live.values.first)
    try rows.begin(row.id, date: "2031-01-01")
    #expect(rows.unfinished == [row.id: [row.date, "2031-01-01"]])
    #expect(try HostRows(of: "pump-1", in: hub).unfinished == rows.unfinished)
  }

  @Test("a hub is durable once its mark has its name")
  func mark() throws {
    let (directory, script) = (TemporaryDirectory(inMemory: true), FaultScript())
    _ = try HubDirectory(path: directory.path + "/fleet", create: true, gate: script.gate)
    let named = try #require(
      script.operations.firstIndex { if case .rename = $0 { true } else { false } })
    #expect(script.operations[(named + 1)...].first == .sync("fleet"))
  }

  @Test("verify writes nothing, and a call to the kernel that fails is reported as what it was")
  func verification() throws {
    let fleet = try Fleet(logs: 2)
    #expect(fleet.derive(.open).isEmpty)
    func verify(_ gate: FaultGate) -> [String] {
      var said: [String] = []
      do {
        let hub = try HubDirectory(path: fleet.path, create: false, gate: gate)
        let lock = try hub.lockForReading()
        var verification = HubVerification(hub, .inside)
        _ = try verification.run(lock) { said.append($0) }
      } catch {
        said.append("\(error)")
      }
      return said
    }
    let script = FaultScript()
    #expect(verify(script.gate).isEmpty)
    #expect(script.changes.isEmpty)
    #expect(script.calls.count > 20)
    for index in script.calls.indices {
      let said = verify(FaultScript(.once(index, errno: EIO)).gate)
      #expect(!said.isEmpty, "call \(index): \(script.calls[index])")
      #expect(!said.contains { $0.contains("writing") }, "call \(index): \(said)")
    }
  }

  @Test("the order in which recordings come does not change a byte")
  func order() throws {
    let (together, apart) = (try Fleet(logs: 4), try Fleet(logs: 0))
    #expect(together.derive(.open).isEmpty)
    for index in [2, 0, 3, 1] {
      try apart.add(index)
      #expect(apart.derive(.open).isEmpty)
    }
    #expect(apart.contents() == together.contents())
  }

  @Test("a torn line or a damaged byte of rows costs work, and nothing else")
  func spoiltRows() throws {
    let fleet = try Fleet(logs: 2)
    #expect(fleet.derive(.open).isEmpty)
    let right = fleet.contents()
    let rows = fleet.directory.bytes(of: "fleet/rows/pump-1")
    func expectMended(_ spoilt: [UInt8], _ comment: Comment) {
      fleet.directory.write(spoilt, to: "fleet/rows/pump-1")
      #expect(fleet.derive(.open).isEmpty, comment)
      #expect(fleet.contents() == right, comment)
    }
    for length in stride(from: 0, to: rows.count, by: 7) {
      expectMended(Array(rows[..<length]), "\(length) bytes")
      let again = FaultScript()
      #expect(fleet.derive(again.gate).isEmpty)
      #expect(again.changes.isEmpty, "\(length)")
    }
    for place in stride(from: 0, to: rows.count, by: 23) {
      var bytes = rows
      bytes[place] ^= 0x11
      expectMended(bytes, "byte \(place)")
    }
  }

  @Test("what was made of a log that cannot be read now stays, when its row is gone")
  func unreadable() throws {
    let fleet = try Fleet(logs: 1)
    #expect(fleet.derive(.open).isEmpty)
    func files() -> [String: [UInt8]] { fleet.contents().filter { $0.key.contains("/date=") } }
    let right = files()
    #expect(right.count == HubTable.all.count && unlink("\(fleet.path)/rows/pump-1") == 0)
    let logs = fleet.directory.names(in: "fleet/logs/pump-1").filter { $0.hasSuffix(".imulog") }
    for log in logs { fleet.directory.write([0], to: "fleet/logs/pump-1/" + log) }
    #expect(fleet.derive(.open).count == 1)
    #expect(files() == right)
  }

  @Test("a row is complete where the recording has its end and all of its parts")
  func complete() throws {
    let fleet = try Fleet(logs: 2)
    let logs = fleet.directory.names(in: "fleet/logs/pump-1").filter { $0.hasSuffix(".imulog") }
    var log = try ExampleLog(ticks: 9000, seed: 8, description: ExampleLog.description(8)).bytes
    try #require(log.count > 4 * 4096)
    log[2 * 4096 + 700] ^= 1
    fleet.directory.write(log, to: "fleet/logs/pump-1/" + (try #require(logs.max())))
    #expect(fleet.derive(.open).isEmpty)
    var file = try HostRows(of: "pump-1", in: try HubDirectory(path: fleet.path, create: false))
    let rows = try file.json().values.compactMap { RecordingRow(json: $0) }
    #expect(rows.compactMap { $0.integer("complete") }.sorted() == [0, 1])
    #expect(
      rows.allSatisfy { ($0.integer("complete") == 0) == ($0.text("verdict") == "damaged") })
  }

  @Test("another line of the host makes the table anew, and leaves the samples")
  func hostLabels() throws {
    let fleet = try Fleet(logs: 2)
    #expect(fleet.derive(.open).isEmpty)
    let before = fleet.contents()
    #expect(fleet.derive(.open, host: .pump("site", "oslo")).isEmpty)
    let after = fleet.contents()
    #expect(after.keys == before.keys)
    for (path, bytes) in after {
      #expect((bytes == before[path]) != path.contains("/recordings/"), "\(path)")
    }
  }

  @Test("rows that do not count any more are dropped from the file once they are most of it")
  func compaction() throws {
    let fleet = try Fleet(logs: 2)
    var largest = 0
    for turn in 0..<40 {
      #expect(fleet.derive(.open, host: .pump("turn", "\(turn)")).isEmpty)
      largest = max(largest, fleet.directory.bytes(of: "fleet/rows/pump-1").count)
    }
    #expect(largest < 40_000)
    let again = FaultScript()
    #expect(fleet.derive(again.gate, host: .pump("turn", "39")).isEmpty)
    #expect(again.changes.isEmpty)
  }

  @Test(
    "of two calibrations the one that is there counts, after a kill at any call between them too")
  func calibrations() throws {
    func put(_ offset: Double, _ fleet: Fleet) {
      let calibration = SensorCalibration.shoe(UInt64(offset), offset: Vector3(offset, -offset, 3))
      fleet.directory.write(Array(calibration.fileText.utf8), to: "fleet/calibrations/pump-1")
    }
    func first() throws -> Fleet {
      let fleet = try Fleet(logs: 1)
      put(10, fleet)
      #expect(fleet.derive(.open).isEmpty)
      return fleet
    }
    let reference = try first()
    let right = reference.contents()
    let script = FaultScript()
    put(20, reference)
    #expect(reference.derive(script.gate).isEmpty)
    #expect(reference.contents() != right)
    for index in script.calls.indices {
      let fleet = try first()
      put(20, fleet)
      _ = fleet.derive(FaultScript(.from(index, errno: EIO)).gate)
      put(10, fleet)
      #expect(fleet.derive(.open).isEmpty, "\(index)")
      #expect(fleet.contents() == right, "\(index)")
    }
  }

  @Test("a calibration in a header that no sensor can have keeps no recording out of the tables")
  func implausible() throws {
    func features(_ offset: Double?) throws -> [UInt8] {
      let fleet = try Fleet(logs: 0)
      try fleet.add(0, calibration: offset.map { .shoe(2, offset: Vector3(1, $0, 0)) })
      #expect(fleet.derive(.open).isEmpty)
      return try #require(
        fleet.contents().first { $0.key.contains("/features/") }?.value)
    }
    let recorded = try features(nil)
    #expect(try features(-101) == recorded)
    #expect(try features(-99) != recorded)
  }
}

extension FaultScript {
  /// What was changed on the disk: a sync of what is there already changes nothing.
  fileprivate var changes: [DiskOperation] {
    operations.filter { if case .sync = $0 { false } else { true } }
  }
}
