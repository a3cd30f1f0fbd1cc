// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

/// Which logs are in a host's store or in its trash, to tell those that were removed from those that are lost.
struct LogPresence {
  private let catalogue: Catalogue
  /// The beginnings of the UUIDs of the logs in the store.
  private var here: Set<String> = []
  /// Those of what was in the trash before it was emptied, and of what is there once that was read.
  private var trash: Set<String>
  private var hasReadTrash = false

  init(_ catalogue: Catalogue, trash: Set<String> = []) {
    (self.catalogue, self.trash) = (catalogue, trash)
  }

  /// What the store has. It is listed before the trash is: a log that is removed in between is in both.
  mutating func note(_ entries: [CatalogueEntry]) { here = Set(entries.map(\.idPrefix)) }

  /// Whether a recording that came here is not here, and was not pruned.
  func isGone(_ id: RecordingID, _ ledger: HostLedger) -> Bool {
    ledger.proofs[id] != nil && !ledger.pruned.contains(id) && !here.contains(id.namePrefix)
  }

  /// Whether a copy of it is about to appear, as a pull that was ended leaves one. That is a reason to wait with what is
  /// said of it, and none to delete anything.
  func isArriving(_ id: RecordingID) throws -> Bool {
    try catalogue.leftovers().contains {
      $0.id == id && ($0.state == .partial || $0.state == .unsynced)
    }
  }

  /// Whether it is not in the trash either.
  mutating func isLost(_ id: RecordingID, _ ledger: HostLedger) throws -> Bool {
    guard isGone(id, ledger) else { return false }
    if !hasReadTrash {
      trash.formUnion(try catalogue.trashed().map(\.entry.idPrefix))
      hasReadTrash = true
    }
    return !trash.contains(id.namePrefix)
  }
}
