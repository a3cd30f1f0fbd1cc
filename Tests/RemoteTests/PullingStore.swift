// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import LogStoreTesting
import Synchronization
import TestSupport

@testable import Remote

/// A store that pulls, and what it reports.
final class PullingStore {
  let directory = TemporaryDirectory()
  private(set) var reports: [String] = []
  private(set) var result = PulledHost(host: "pump-1")

  /// Puts a log, or its first bytes, into the store.
  func put(_ log: Character, _ byteCount: Int? = nil, number: Int? = nil) {
    let log = Conversation.log(log)
    let id = log.description.id
    let name = number.map { ExampleLog.fileName($0, of: id) }
    directory.write(
      Array(log.bytes.prefix(byteCount ?? log.bytes.count)), to: name ?? ".part-\(id)")
  }

  /// The names in it that are no lock, and whose bytes they have.
  var contents: [String] {
    directory.names().filter { $0 != ".lock" && $0 != ".labels" }.map { name in
      let bytes = directory.bytes(of: name)
      let log = Conversation.logs.first { $0.value.bytes.starts(with: bytes) && !bytes.isEmpty }
      let kind = name.prefix { $0 != "-" }
      guard let log else { return "\(kind) \(bytes.count)" }
      return "\(kind) \(log.key)" + (log.value.bytes.count == bytes.count ? "" : " \(bytes.count)")
    }
  }

  func catalogue() throws -> Catalogue { try Catalogue(path: directory.path) }

  /// Pulls what a host offers.
  func pull(
    _ hosts: PlayedHosts, _ settings: PullSettings,
    unanswered: (Catalogue) throws -> [RecordingID: [String]] = { _ in [:] }
  ) throws {
    let said = Reports()
    let catalogue = try catalogue()
    let local = LocalCopies(catalogue, unanswered: try unanswered(catalogue))
    let board = PullBoard(hosts: ["pump-1"], show: { _ = $0() }, report: { said.add($0) })
    var connection = SSHConnection(program: hosts.program)
    connection.showsHostKey = true
    let source = PullSource(
      "pump-1", destination: "pi@pump", connection, settings, open: { local })
    var pull = HostPull(source, index: 0, local: local, board: board)
    // Locks that other tests release are not to be copied by its start.
    ProgramStart.perform { pull.run() }
    (reports, result) = (said.all, pull.result)
  }

  /// Its reports without the path of the store, and what it counted.
  var outcome: [String] {
    let counts = [
      ("offered", result.offered), ("here", result.here), ("fetched", result.fetched),
      ("running", result.running), ("failed", result.failed), ("freed", result.freed),
    ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    let failure = result.failure.map { "status \($0.status.rawValue)" }
    return reports.map { $0.replacing(directory.path, with: "STORE") }
      + [[counts, failure ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")]
  }
}

/// What is reported, on any thread.
final class Reports: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}
