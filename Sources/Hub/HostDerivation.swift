// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore

/// Derives the files of a host that are missing, and those whose log, labels, calibration or host line changed.
///
///     log ─► files in .work, by a process of its own ─► `making` in rows/HOST ─► files in their places
///                                           ─► `made` in rows/HOST: done ─► recordings.parquet
///
/// Killed anywhere, the next round makes the same bytes: it derives a file without a line again, or removes it with its log.
struct HostDerivation {
  private let host: HubHost
  private let hub: HubDirectory
  private let catalogue: Catalogue
  private var ledger: HostLedger
  private var rows: HostRows
  private let time: String
  /// Whether no clock is known to be wrong.
  private let isDated: Bool
  private var calibration: SensorCalibration?
  /// The host in whose store a recording counts; `nil` if unknown.
  private let owner: (RecordingID) -> String?
  private(set) var derivedCount = 0
  private var presence: LogPresence
  /// Lost logs that are not reported yet.
  private var losses: [RecordingID: CommandFailure] = [:]

  /// - Parameter trash: UUID prefixes of what the store's trash had before it was emptied.
  init(
    _ host: HubHost, _ hub: HubDirectory, _ catalogue: Catalogue, _ ledger: HostLedger,
    _ rows: HostRows, time: String, isDated: Bool = true, trash: Set<String> = [],
    owner: @escaping (RecordingID) -> String? = { _ in nil }
  ) {
    (self.host, self.hub, self.catalogue) = (host, hub, catalogue)
    (self.ledger, self.rows, self.time) = (ledger, rows, time)
    (self.isDated, self.owner) = (isDated, owner)
    presence = LogPresence(catalogue, trash: trash)
  }

  /// - Parameter report: Receives the failure of a recording; the others are derived.
  mutating func run(_ deriver: Deriver, _ report: (CommandFailure) -> Void) throws {
    calibration = try hub.calibration(of: host.name)
    let entries = try catalogue.list().entries
    presence.note(entries)
    try sweep(entries)
    let labelled = try catalogue.labelled()
    var foreign: Set<String> = []
    var numbers: [RecordingID: UInt32] = [:]
    for entry in entries.reversed() {
      do {
        let id = try rows.live[entry.fileName]?.id ?? catalogue.reader(of: entry).description.id
        if let twin = numbers[id] { throw HubError.twin(of: twin, store: catalogue.path) }
        numbers[id] = entry.number
        if let owner = owner(id), owner != host.name {
          foreign.insert(entry.fileName)
          throw HubError.elsewhere(owner: owner, store: catalogue.path)
        }
        try update(entry, id, labelled, deriver)
      } catch {
        // No other file can be written either.
        if HubError.isOfDisk(error) { throw error }
        report(HubError.failure(error, of: "recording \(entry.number)"))
      }
    }
    try drop(allBut: entries.filter { !foreign.contains($0.fileName) })
    for (id, loss) in losses.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      report(loss)
      try ledger.append([HostLedger.missing(id, time)])
    }
  }

  /// Removes the files of recordings that left the store; derives nothing.
  mutating func dropGone() throws {
    let entries = try catalogue.list().entries
    presence.note(entries)
    try sweep(entries)
    try drop(allBut: entries)
  }

  private mutating func drop(allBut entries: [CatalogueEntry]) throws {
    let names = Set(entries.map(\.fileName))
    for row in rows.live.values where !names.contains(row.log.fileName) {
      guard try !isLost(row.id, in: [row.date]) else { continue }
      try drop(row.id, in: [row.date])
    }
    // The files of a log that cannot be derived now stay.
    let underived = Set(entries.filter { rows.live[$0.fileName] == nil }.map(\.idPrefix))
    for (id, dates) in rows.unfinished where !underived.contains(id.namePrefix) {
      guard try !isLost(id, in: dates) else { continue }
      try drop(id, in: dates)
    }
    // Logs without files count too. What a person removed is not lost once the trash is emptied.
    var removed: [String] = []
    for id in ledger.proofs.keys where presence.isGone(id, ledger) && !ledger.missing.contains(id) {
      guard try losses[id] != nil || !presence.isArriving(id) else { continue }
      if try !isLost(id, in: []) { removed.append(HostLedger.missing(id, time)) }
    }
    if !removed.isEmpty { try ledger.append(removed.sorted()) }
    try writeTable()
  }

  /// Removes files that no line may name, of recordings that left the store. Comes before any line is added, so that a
  /// killed round repeats it.
  private mutating func sweep(_ entries: [CatalogueEntry]) throws {
    guard rows.mayLackLines else { return }
    let dates = Dictionary(uniqueKeysWithValues: rows.live.values.map { ($0.id, $0.date) })
    let underived = Set(entries.filter { rows.live[$0.fileName] == nil }.map(\.idPrefix))
    for file in try hub.filesInTables(of: host.name) where dates[file.id] != file.date {
      let isElsewhere = owner(file.id).map { $0 != host.name } ?? false
      guard isElsewhere || !underived.contains(file.id.namePrefix) else { continue }
      if dates[file.id] == nil, try isLost(file.id, in: [file.date]) { continue }
      try hub.files.remove("\(hub.path)/\(file.place)")
    }
  }

  /// Whether a log left the store without `rm` or `hub prune`. Its derived files may be all that is left, and stay until a
  /// person deletes the samples file.
  private mutating func isLost(_ id: RecordingID, in dates: Set<String>) throws -> Bool {
    guard owner(id) ?? host.name == host.name, try presence.isLost(id, ledger) else { return false }
    let places = dates.sorted().map { hub.place(.samples, of: id, host: host.name, date: $0) }
    let samples = try places.first { try size(of: $0) != nil }
    // The deletion counts only after a report said what it means.
    if ledger.missing.contains(id) { return samples != nil }
    let path = samples.map { "\(hub.path)/\($0)" }
    losses[id] = losses[id] ?? HubError.lost(id, store: catalogue.path, samples: path)
    return true
  }

  private mutating func update(
    _ entry: CatalogueEntry, _ id: RecordingID, _ labelled: Set<RecordingID>, _ deriver: Deriver
  ) throws {
    let status = try hub.files.status(entry.path, followsLink: false)
    let mark = HostRows.LogMark(
      fileName: entry.fileName, byteCount: UInt64(clamping: status.st_size),
      modified: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec))
    let known = rows.live[entry.fileName]
    let labels = labelled.contains(id) ? try catalogue.labels(of: id) : LabelList()
    // A prune that was killed before the removal leaves the row, and the time of arrival.
    if ledger.missing.contains(id) || ledger.pruned.contains(id) && known != nil {
      try ledger.append([HostLedger.kept(id)])
    }
    func order(_ proof: HostLedger.Proof) -> DerivationOrder {
      DerivationOrder(hub: hub, host: host, entry: entry, id: id, proof: proof, round: getpid())
    }
    if let proof = ledger.proofs[id] {
      // Restored from the trash after a prune, it arrived now.
      if ledger.pruned.contains(id) { try found(id, proof) }
      try labels.makeSureIsWhole(catalogue.labelsPath(of: id))
      let source = order(proof).source(labels, calibration)
      if let known, known.log == mark, known.source == source, try isThere(known) { return }
      if let trap = rows.traps[id], trap.trial == trial(source) {
        throw DerivationTrap(signal: trap.signal)
      }
    }
    let order = order(try proof(of: entry, id))
    do {
      try derive(order, by: deriver, mark)
    } catch let trap as DerivationTrap {
      try rows.trap(id, trial(order.source(labels, calibration)), signal: trap.signal)
      throw trap
    }
    derivedCount += 1
  }

  /// A recording whose derivation traps or takes too long holds up all hosts, so it is tried once a day.
  private func trial(_ source: String) -> String { "\(time.prefix(10))-\(source)" }

  /// Hashes the log, which must have the bytes that were fetched, whatever the file's length and time say.
  private mutating func proof(
    of entry: CatalogueEntry, _ id: RecordingID
  ) throws -> HostLedger.Proof {
    let read = try HostLedger.Proof(of: entry, in: hub)
    if let ours = ledger.proofs[id] {
      guard ours == read else { throw HubError.changed(path: entry.path) }
    } else {
      try found(id, read)
    }
    return read
  }

  private mutating func found(_ id: RecordingID, _ proof: HostLedger.Proof) throws(StorageError) {
    try ledger.append(
      [HostLedger.found(id, proof, time)] + (isDated ? [] : [HostLedger.undated(id)]))
  }

  private func isThere(_ row: HostRows.Row) throws -> Bool {
    try row.byteCounts.count == HubTable.all.count
      && zip(HubTable.all, row.byteCounts).allSatisfy { table, length in
        try size(of: hub.place(table, of: row.id, host: host.name, date: row.date)) == length
      }
  }

  private mutating func derive(
    _ order: DerivationOrder, by deriver: Deriver, _ mark: HostRows.LogMark
  ) throws {
    let files = try HubTable.all.map { try DerivedFile(order.name(of: $0), in: hub) }
    let (row, json) = try deriver.derive(order, mark)
    guard try files.map({ try $0.length() }) == row.byteCounts else {
      throw Deriver.failure("wrote files of other lengths than it says")
    }
    let (id, date) = (order.id, row.date)
    try rows.begin(id, date: date)
    for (table, file) in zip(HubTable.all, files) {
      _ = try file.publish(as: hub.place(table, of: id, host: host.name, date: date))
    }
    // An earlier version may have chosen another day.
    try removeFiles(of: id, in: (rows.unfinished[id] ?? []).subtracting([date]))
    try rows.add(row, json: json)
  }

  private mutating func drop(_ id: RecordingID, in dates: Set<String>) throws {
    try removeFiles(of: id, in: dates)
    try rows.drop(id)
  }

  private func removeFiles(of id: RecordingID, in dates: Set<String>) throws {
    for place in hub.places(of: id, host: host.name, dates: dates) {
      try hub.files.remove("\(hub.path)/\(place)")
    }
  }

  /// Writes the host's table, unless it is that of these rows.
  private mutating func writeTable() throws {
    if let table = rows.table, table.source == rows.tableSource,
      try size(of: hub.table(of: host.name)) == table.byteCount
    {
      return
    }
    // A table without a line has rows of recordings that are gone.
    let isThere = try size(of: hub.table(of: host.name)) != nil
    guard !rows.live.isEmpty || rows.table != nil || isThere else { return }
    try rows.compact()
    try rows.dropTable()
    let length = try DerivedRecording.makeTable(try rows.json(), of: host.name, in: hub) {
      try hub.publish($0, $1, $2)
    }
    try rows.noteTable(length)
  }

  /// The length of a regular file; `nil` without one.
  private func size(of place: String) throws -> UInt64? {
    do throws(StorageError) {
      let status = try hub.files.status("\(hub.path)/\(place)", followsLink: false)
      return status.st_mode & S_IFMT == S_IFREG ? UInt64(clamping: status.st_size) : nil
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}

extension LabelList {
  /// Refuses a damaged list: files with fewer labels would replace those that have all.
  func makeSureIsWhole(_ path: String) throws(CommandFailure) {
    guard isDamaged else { return }
    throw CommandFailure(
      .damagedData,
      "\(path) is damaged (\(damageSentence ?? "")): restore a copy, or delete it, run a round, which fetches its machine's labels, "
        + "and give the others again; its files in the tables stay until then"
    )
  }
}
