// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

/// Which logs are in a host's store or in its trash, to tell those that were removed from those that are lost.
struct LogPresence {
  private let catalogue: Catalogue
  /// The beginnings of the UUIDs of the logs in the store.
  private var here: Set<String> = []
  /// Those of what was in the trash before it was emptied, and of what is there, or about to appear, once that was read.
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

  /// Whether it is not in the trash either, and no copy of it is about to appear, as a pull that was ended leaves one.
  mutating func isLost(_ id: RecordingID, _ ledger: HostLedger) throws -> Bool {
    guard isGone(id, ledger) else { return false }
    if !hasReadTrash {
      trash.formUnion(try catalogue.trashed().map(\.entry.idPrefix))
      trash.formUnion(try catalogue.leftovers().map(\.id.namePrefix))
      hasReadTrash = true
    }
    return !trash.contains(id.namePrefix)
  }
}
