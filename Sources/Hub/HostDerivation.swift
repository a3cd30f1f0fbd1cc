// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore

/// Makes what is missing of a host's derived files, or is of another log, other labels, another calibration or another
/// host's line.
///
///     log ─► files in .work, by a process of its own ─► `making` in rows/HOST ─► files in their places
///                                                        ─► `made` in rows/HOST ─► recordings.parquet
///                                                           └ from here on it is done
///
/// Killed anywhere, the next round makes the same bytes: a file whose line is missing is made again and found equal, or is
/// removed if its log is gone by then.
struct HostDerivation {
  private let host: HubHost
  private let hub: HubDirectory
  private let catalogue: Catalogue
  private var ledger: HostLedger
  private var rows: HostRows
  private let time: String
  /// Whether that is a time: no clock is known to be wrong.
  private let isDated: Bool
  private var calibration: SensorCalibration?
  /// The host that a recording belongs to; `nil` where that is not known.
  private let owner: (RecordingID) -> String?
  /// Recordings whose files were made.
  private(set) var derivedCount = 0
  private var presence: LogPresence
  /// What is lost and was not said yet.
  private var losses: [RecordingID: CommandFailure] = [:]

  /// - Parameter trash: The beginnings of the UUIDs of what was in the store's trash before it was emptied.
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

  /// - Parameter report: Receives the failure of one recording; the others are derived.
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
          // It counts once in the tables.
          foreign.insert(entry.fileName)
          throw HubError.elsewhere(owner: owner, store: catalogue.path)
        }
        try update(entry, id, labelled, deriver)
      } catch {
        // Nothing else can be written either.
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

  /// Removes what was derived from recordings that are not in the store any more, and nothing else.
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
    // Of a log that cannot be derived now the files stay as they are.
    let underived = Set(entries.filter { rows.live[$0.fileName] == nil }.map(\.idPrefix))
    for (id, dates) in rows.unfinished where !underived.contains(id.namePrefix) {
      guard try !isLost(id, in: dates) else { continue }
      try drop(id, in: dates)
    }
    // Logs that were never derived count, too. What a person removed is not lost once the trash is emptied.
    var removed: [String] = []
    for id in ledger.proofs.keys where presence.isGone(id, ledger) && !ledger.missing.contains(id) {
      guard try losses[id] != nil || !presence.isArriving(id) else { continue }
      if try !isLost(id, in: []) { removed.append(HostLedger.missing(id, time)) }
    }
    if !removed.isEmpty { try ledger.append(removed.sorted()) }
    try writeTable()
  }

  /// Removes files of recordings that are not in the store any more, where lines that name them may be missing. It comes before
  /// any line is added: ended in between, the next round does it again.
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

  /// Whether a log that is not in the store is gone without anything here having removed it. What was derived from it may be
  /// all that is left, and stays until its samples file is deleted.
  private mutating func isLost(_ id: RecordingID, in dates: Set<String>) throws -> Bool {
    guard owner(id) ?? host.name == host.name, try presence.isLost(id, ledger) else { return false }
    let places = dates.sorted().map { hub.place(.samples, of: id, host: host.name, date: $0) }
    let samples = try places.first { try size(of: $0) != nil }
    // Its deletion counts only after it was said what it means.
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
    // One whose prune did not come to its removal has its row still, and came when it came.
    if ledger.missing.contains(id) || ledger.pruned.contains(id) && known != nil {
      try ledger.append([HostLedger.kept(id)])
    }
    // One that was restored after it was pruned is an ordinary one again, and came now.
    if ledger.pruned.contains(id), let proof = ledger.proofs[id] {
      try found(id, proof)
    }
    // Where nothing is known of it yet, its bytes are first.
    if ledger.proofs[id] != nil { try labels.makeSureIsWhole(catalogue.labelsPath(of: id)) }
    func order(_ proof: HostLedger.Proof) -> DerivationOrder {
      DerivationOrder(hub: hub, host: host, entry: entry, id: id, proof: proof, round: getpid())
    }
    if let proof = ledger.proofs[id] {
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

  /// What traps, or takes too long, is tried once a day: it holds up all hosts.
  private func trial(_ source: String) -> String { "\(time.prefix(10))-\(source)" }

  /// The log's bytes, which are read whenever something is derived from them: they must be those that were fetched, whatever
  /// the file's length and time say.
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
    // Its day was another one by an earlier version.
    try removeFiles(of: id, in: (rows.unfinished[id] ?? []).subtracting([date]))
    try rows.add(row, json: json)
  }

  /// Removes what was derived from a recording that is not here any more.
  private mutating func drop(_ id: RecordingID, in dates: Set<String>) throws {
    try removeFiles(of: id, in: dates)
    try rows.drop(id)
  }

  private func removeFiles(of id: RecordingID, in dates: Set<String>) throws {
    for place in hub.places(of: id, host: host.name, dates: dates) {
      try hub.files.remove("\(hub.path)/\(place)")
    }
  }

  /// Writes the host's table, if it is not that of these rows.
  private mutating func writeTable() throws {
    if let table = rows.table, table.source == rows.tableSource,
      try size(of: hub.table(of: host.name)) == table.byteCount
    {
      return
    }
    // A table that no line tells of has rows of recordings that are gone.
    let isThere = try size(of: hub.table(of: host.name)) != nil
    guard !rows.live.isEmpty || rows.table != nil || isThere else { return }
    try rows.compact()
    try rows.dropTable()
    let length = try DerivedRecording.makeTable(try rows.json(), of: host.name, in: hub) {
      try hub.publish($0, $1, $2)
    }
    try rows.noteTable(length)
  }

  /// The length of a file; `nil` where there is none.
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
  /// Refuses a damaged list: what is derived with fewer labels would replace what has all of them.
  func makeSureIsWhole(_ path: String) throws(CommandFailure) {
    guard isDamaged else { return }
    throw CommandFailure(
      .damagedData,
      "\(path) is damaged (\(damageSentence ?? "")): put it back from a copy, or delete it, run a round, which brings the labels that "
        + "its machine has, and give the others again; until then its files in the tables stay as they are"
    )
  }
}
