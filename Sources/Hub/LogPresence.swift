// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

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
