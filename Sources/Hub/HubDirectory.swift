// SPDX-License-Identifier: Apache-2.0

package import Files
import Glibc
package import IMUModel
import LogStore
import Text

/// A hub: a store for each host, and beside the stores what is derived from them.
///
///     DIR/.hub                                          the mark, locked by the one program that writes
///     DIR/logs/HOST/…                                   a store
///     DIR/ledger/HOST                                   where recordings came from; see HostLedger
///     DIR/rows/HOST                                     what is derived, and from what; see HostRows
///     DIR/state/HOST                                    what the last visits showed; see HostState
///     DIR/calibrations/HOST                             a calibration that a person put there
///     DIR/TABLE/host=HOST/date=2026-11-26/UUID.parquet  a file of a HubTable
///     DIR/recordings/host=HOST/recordings.parquet       a row a recording
///     DIR/.work/…                                       unfinished files
///
/// Logs, ledgers and calibrations are kept; all else can be deleted, and the next round makes it again, byte for byte. No
/// file appears under its name before it is whole and durable.
package struct HubDirectory: Sendable {
  /// The directory, without a slash at its end.
  package let path: String
  let files: FileSystem

  private static let mark = ".hub"
  private static let version = "imulog-hub 1"
  /// Nanoseconds.
  private static let lockPatience: Int64 = 1_000_000_000

  /// The hub at `path`; `create` makes the directory, and a hub of an empty one.
  package init(path: String, create: Bool, gate: FaultGate = .open) throws(CommandFailure) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    files = FileSystem(gate: gate)
    try HubError.reporting { try prepare(create) }
  }

  private func prepare(_ create: Bool) throws {
    switch try files.isDirectory(path) {
    case true?: break
    case false?: throw HubError.noHub(path: path)
    case nil:
      guard create else { throw HubError.missing(path: path) }
      try files.makeDirectories(path)
    }
    let mark = "\(path)/\(HubDirectory.mark)"
    if access(mark, F_OK) != 0 {
      guard create else { throw HubError.missing(path: path) }
      do {
        try makeMark(mark)
      } catch {
        // Another program may have made the mark meanwhile, and cleared this one's draft.
        guard access(mark, F_OK) == 0 else { throw error }
      }
      try files.syncDirectory(path)
      try files.syncParents(of: path)
    }
    let file = try files.open(mark, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let text =
      String(decoding: try file.beginning(64), as: UTF8.self).split(separator: "\n").first ?? ""
    guard text == HubDirectory.version else {
      throw CommandFailure(
        .configuration,
        "the hub at \(path) is of version \(ForeignText.shown(String(text))), which this imulog does not know: install a newer one"
      )
    }
  }

  private func makeMark(_ mark: String) throws {
    // What a killed first attempt left, and the host file; or a copy of a hub without its dot files.
    let names = Set(try files.names(in: path))
    guard
      names.isSubset(of: [HubDirectory.work, "hosts"])
        || names.isSuperset(of: ["logs", "ledger"])
          && names.allSatisfy({ HubDirectory.isOwn($0) || $0 == "lost+found" })
    else {
      throw HubError.noHub(path: path)
    }
    try files.makeDirectory(workPath)
    // A name of this attempt alone: nothing is locked yet.
    let draft = "\(workPath)/mark-\(UInt64.random(in: 0 ... .max))"
    let file = try files.open(draft, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    try Array((HubDirectory.version + "\n").utf8).withBytes { bytes throws(StorageError) in
      try file.write(bytes, at: 0)
    }
    try file.sync()
    try files.rename(draft, to: mark)
  }

  package static func isHub(_ path: String) -> Bool { access("\(path)/\(mark)", F_OK) == 0 }

  /// Whether a name in a hub's directory is the hub's own.
  package static func isOwn(_ name: String) -> Bool {
    parts.contains(name) || [mark, work, "hosts", "recordings"].contains(name)
  }

  /// Directories with an entry a host, beside the tables.
  enum Part: String, CaseIterable {
    case logs, ledger, rows, state, calibrations
  }

  private static let parts = Part.allCases.map(\.rawValue) + HubTable.all.map(\.name)

  private static let work = ".work"
  var workPath: String { "\(path)/\(HubDirectory.work)" }
  package func logs(of host: String) -> String { path(.logs, of: host) }
  func path(_ part: Part, of host: String) -> String { "\(path)/\(part.rawValue)/\(host)" }

  /// A host's journal, not read yet.
  func journal(of host: String, _ part: Part) -> Journal {
    Journal(
      path(part, of: host), temporary: "\(workPath)/\(host).\(part.rawValue)", files)
  }

  /// The place of a recording's file, relative to the directory.
  func place(_ table: HubTable, of id: RecordingID, host: String, date: String) -> String {
    "\(table.name)/host=\(host)/date=\(date)/\(id).parquet"
  }

  func table(of host: String) -> String { "recordings/host=\(host)/recordings.parquet" }

  /// The calibration that a person put here for a host's sensor; replaces those in its logs' headers.
  func calibration(of host: String) throws(CommandFailure) -> SensorCalibration? {
    let path = path(.calibrations, of: host)
    return try HubError.reporting {
      do throws(StorageError) {
        _ = try files.status(path, followsLink: false)
      } catch {
        if error.isMissing { return nil }
        throw error
      }
      let file = try files.open(path, flags: O_RDONLY | O_NONBLOCK)
      return try SensorCalibration(try file.beginning(CalibrationText.fileLimit + 1), ofFile: path)
    }
  }

  /// Locks the hub for writing, and removes unfinished files.
  package func lock() throws(CommandFailure) -> HubLock {
    // Opened for writing, so that a user who may not write here is refused before any work.
    let lock = try lock(flags: O_RDWR)
    try HubError.reporting {
      var isNew = false
      for name in [HubDirectory.work] + HubDirectory.parts
      where try files.makeDirectory("\(path)/\(name)") {
        isNew = true
      }
      for name in try files.names(in: workPath) {
        // Such as lost+found.
        guard try files.isDirectory("\(workPath)/\(name)") != true else { continue }
        try files.remove("\(workPath)/\(name)")
      }
      if isNew { try files.syncDirectory(path) }
    }
    return lock
  }

  /// Locks the hub against writers while this program reads.
  package func lockForReading() throws(CommandFailure) -> HubLock { try lock(flags: O_RDONLY) }

  private func lock(flags: Int32) throws(CommandFailure) -> HubLock {
    do throws(StorageError) {
      let mark = "\(path)/\(HubDirectory.mark)"
      let file = try files.open(mark, flags: flags | O_NOFOLLOW | O_NONBLOCK)
      // A program that is being started holds copies of all descriptors, this lock too, for a moment.
      try file.waitForLock(patience: HubDirectory.lockPatience)
      return HubLock(file)
    } catch {
      guard error.operation == .lock, error.errno == EWOULDBLOCK else {
        throw HubError.failure(error)
      }
      throw CommandFailure(
        .tryAgain,
        "\(error.holder ?? "another imulog") works on the hub at \(path): wait until it has ended")
    }
  }

  package func hosts() throws(CommandFailure) -> [String] {
    try HubError.reporting {
      guard try files.isDirectory(path(.logs, of: "")) != nil else { return [] }
      return try files.names(in: path(.logs, of: "")).filter {
        try !$0.hasPrefix(".") && files.isDirectory(logs(of: $0)) == true
      }.sorted()
    }
  }

  /// A host's recordings; none without a store.
  func entries(of host: String) throws -> [CatalogueEntry] {
    guard try files.isDirectory(logs(of: host)) == true else { return [] }
    return try Catalogue(path: logs(of: host), followsLinks: false).list().entries
  }

  /// The recordings of a host whose UUIDs begin with one of `prefixes`, by their headers; a derivation reports unreadable ones.
  func recordings(of host: String, _ prefixes: Set<String>) throws -> [RecordingID] {
    let catalogue = try Catalogue(path: logs(of: host), followsLinks: false)
    return try catalogue.list().entries.filter { prefixes.contains($0.idPrefix) }
      .compactMap { catalogue.identity(of: $0) }
  }

  func knownHosts() throws(StorageError) -> [String] {
    try files.names(in: "\(path)/ledger").filter { !$0.hasPrefix(".") }.sorted()
  }

  /// The store of a host; `create` makes a missing one.
  func store(of host: String, create: Bool = true) throws(CatalogueError) -> Catalogue {
    try Catalogue(path: logs(of: host), create: create, followsLinks: false, gate: files.gate)
  }
}

/// Keeps other programs from writing to a hub while it exists.
package struct HubLock: ~Copyable {
  private let file: OpenFile

  init(_ file: consuming OpenFile) { self.file = file }
}
