// SPDX-License-Identifier: Apache-2.0

import Export
package import IMUModel
import LogFormat
import LogStore

/// Reads a whole hub: compares each log with its ledger, each derived file with a new derivation, and each table with its
/// rows. Writes nothing, so that a hub on a read-only medium, or of another user, can be verified.
package struct HubVerification {
  private let hub: HubDirectory
  private let deriver: Deriver
  private var recordings = 0
  /// Hosts whose files are not known, as reading their store or rows failed.
  private var unknown: Set<String> = []
  private var places: [RecordingID: String] = [:]
  /// Places of derived files that have a log.
  private var expected: Set<String> = []
  private var losses: [(host: String, id: RecordingID, places: [String], error: CommandFailure)] =
    []

  /// - Parameter deriver: Derives in a process of its own, so that no recording ends the verification of the others.
  package init(_ hub: HubDirectory, _ deriver: Deriver) {
    (self.hub, self.deriver) = (hub, deriver)
  }

  /// Reports each finding; returns how many hosts and recordings were read.
  package mutating func run(
    _ lock: borrowing HubLock, report: (String) -> Void
  ) throws(CommandFailure) -> (hosts: Int, recordings: Int) {
    try HubError.reporting { try read(report) }
  }

  private mutating func read(_ report: (String) -> Void) throws -> (hosts: Int, recordings: Int) {
    let hosts = try hub.hosts()
    for host in hosts {
      do {
        try verify(host) { report("\(host): \($0)") }
      } catch {
        report(HubError.failure(error, of: host).sentence)
        unknown.insert(host)
      }
    }
    // A log that another host has is not lost.
    for loss in losses where places[loss.id] ?? loss.host == loss.host {
      expected.formUnion(loss.places)
      report("\(loss.host): \(loss.error.sentence)")
    }
    for host in try hub.knownHosts() where !hosts.contains(host) {
      do {
        _ = try ledger(of: host) { report("\(host): \($0)") }
        guard try !HostRows(of: host, in: hub).live.isEmpty else { continue }
        report(
          "\(host): its store \(hub.logs(of: host)) is missing: mount its disk, or run a round")
      } catch {
        report(HubError.failure(error, of: host).sentence)
      }
      unknown.insert(host)
    }
    for table in HubDirectory.tables {
      for path in try hub.contents(of: table)
      where !expected.contains(path)
        && !unknown.contains(where: { path.hasPrefix("\(table)/host=\($0)/") })
      {
        report(
          "\(hub.path)/\(path) belongs to no recording here: run a round; if that leaves it, delete it"
        )
      }
    }
    return (hosts.count, recordings)
  }

  /// The ledger of a host; reports its damaged lines.
  private func ledger(of host: String, _ report: (String) -> Void) throws -> HostLedger {
    let ledger = try HostLedger(of: host, in: hub)
    if let damage = ledger.damage { report("\(damage); the next round takes them out") }
    return ledger
  }

  private mutating func verify(_ host: String, _ report: (String) -> Void) throws {
    let catalogue = try Catalogue(path: hub.logs(of: host), followsLinks: false)
    let ledger = try self.ledger(of: host, report)
    var rows = try HostRows(of: host, in: hub)
    let json = try rows.json()
    let entries = try catalogue.list().entries
    for entry in entries.reversed() {
      recordings += 1
      do {
        guard let row = rows.live[entry.fileName] else {
          let id = try catalogue.reader(of: entry).description.id
          if let other = places[id] {
            throw HubError.elsewhere(owner: other, store: catalogue.path)
          }
          places[id] = host
          // A killed round may have left files.
          expected.formUnion(hub.places(of: id, host: host, dates: rows.unfinished[id] ?? []))
          report("recording \(entry.number) has no derived files yet: run a round")
          continue
        }
        if let other = places.updateValue(host, forKey: row.id), other != host {
          let failure = HubError.elsewhere(owner: other, store: catalogue.path)
          report("recording \(entry.number): \(failure.sentence)")
        }
        expected.formUnion(hub.places(of: row.id, host: host, dates: [row.date]))
        try verify(entry, row, json[row.id], host, ledger) {
          report("recording \(entry.number): \($0)")
        }
      } catch {
        report(HubError.failure(error, of: "recording \(entry.number)").sentence)
      }
    }
    try noteLosses(host, catalogue, entries, ledger)
    guard rows.table != nil else { return }
    expected.insert(hub.table(of: host))
    _ = try DerivedRecording.makeTable(json, of: host, in: hub) { _, place, write in
      try hub.compare(place, { reportDifference($0, report) }, write)
    }
  }

  private mutating func noteLosses(
    _ host: String, _ catalogue: Catalogue, _ entries: [CatalogueEntry], _ ledger: HostLedger
  ) throws {
    var presence = LogPresence(catalogue)
    presence.note(entries)
    let files = try hub.filesInTables(of: host)
    for id in ledger.proofs.keys.sorted(by: { "\($0)" < "\($1)" }) {
      guard try presence.isLost(id, ledger) else { continue }
      let places = files.filter { $0.id == id }.map(\.place)
      let samples = places.first { $0.hasPrefix(HubTable.samples.name + "/") }
      // After a report of its loss, the samples file was deleted to give it up.
      if samples == nil, try ledger.missing.contains(id) || presence.isArriving(id) { continue }
      let error = HubError.lost(
        id, store: catalogue.path, samples: samples.map { "\(hub.path)/\($0)" })
      losses.append((host, id, places, error))
    }
  }

  private func verify(
    _ entry: CatalogueEntry, _ row: HostRows.Row, _ json: [UInt8]?, _ host: String,
    _ ledger: HostLedger, _ report: (String) -> Void
  ) throws {
    let read = try HostLedger.Proof(of: entry, in: hub)
    guard let proof = ledger.proofs[row.id] else {
      return report("its digest is not in the ledger: run a round")
    }
    guard read == proof else { throw HubError.changed(path: entry.path) }
    // The labels of the host are those of its line when the row was made.
    let order = DerivationOrder(
      hub: hub, host: HubHost(unlisted: host), entry: entry,
      id: row.id, proof: proof, round: 0)
    let (made, own) = try deriver.derive(order, row.log)
    let differing = made.source.dropFirst().split(separator: ",")
    for table in HubTable.all where differing.contains(table.name[...]) {
      reportDifference(hub.place(table, of: row.id, host: host, date: made.date), report)
    }
    guard let json, let kept = RecordingRow(json: json) else {
      return report("its row cannot be read: delete \(hub.path(.rows, of: host)), and run a round")
    }
    if let column = RecordingRow(json: Array(own.utf8))?.difference(from: kept) {
      report(
        "the column \(column) of its row is not that of its log: run a round; if that changes nothing, delete \(hub.path(.rows, of: host)) and run another"
      )
    }
  }

  private func reportDifference(_ place: String, _ report: (String) -> Void) {
    report("\(hub.path)/\(place) is not what is derived from the log: delete it, and run a round")
  }
}

/// The logs in a host's store and its trash, to tell removed ones from lost ones.
struct LogPresence {
  private let catalogue: Catalogue
  /// UUID prefixes of the logs in the store.
  private var here: Set<String> = []
  /// UUID prefixes of what was in the trash before it was emptied, and, once read, of what is in it.
  private var trash: Set<String>
  private var hasReadTrash = false

  init(_ catalogue: Catalogue, trash: Set<String> = []) {
    (self.catalogue, self.trash) = (catalogue, trash)
  }

  /// Notes the store's list. It is read before the trash, so that a log that is removed in between is in both.
  mutating func note(_ entries: [CatalogueEntry]) { here = Set(entries.map(\.idPrefix)) }

  /// Whether a recording came here, is not here, and was not pruned.
  func isGone(_ id: RecordingID, _ ledger: HostLedger) -> Bool {
    ledger.proofs[id] != nil && !ledger.pruned.contains(id) && !here.contains(id.namePrefix)
  }

  /// Whether a pull left a partial copy: a reason to report nothing yet, and none to delete anything.
  func isArriving(_ id: RecordingID) throws -> Bool {
    try catalogue.leftovers().contains {
      $0.id == id && ($0.state == .partial || $0.state == .unsynced)
    }
  }

  /// Whether it is gone and not in the trash either.
  mutating func isLost(_ id: RecordingID, _ ledger: HostLedger) throws -> Bool {
    guard isGone(id, ledger) else { return false }
    if !hasReadTrash {
      trash.formUnion(try catalogue.trashed().map(\.entry.idPrefix))
      hasReadTrash = true
    }
    return !trash.contains(id.namePrefix)
  }
}
