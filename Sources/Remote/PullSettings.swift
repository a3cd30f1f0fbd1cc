// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogStore

/// The settings of a pull, the same for every host.
package struct PullSettings: Sendable {
  /// Recordings on the other machine; all if empty.
  package var ids: [RecordingReference] = []
  /// Whether live recordings are followed to their end.
  package var follow = false
  /// Whether the other machine moves recordings with a proved copy here to its trash.
  package var thenFree = false
  /// Nanoseconds without progress after which the pull gives up on a host.
  package var timeout: Int64
  /// Most files of recordings that a host has open at a time.
  package var openFiles = 2
  /// Derives a file from a recording that is here, such as an export; returns `nil` if the file exists already.
  /// It reports whether parts of the recording cannot be read, and remarks for a person.
  package var derive: (@Sendable (CatalogueEntry, Catalogue) throws -> Derived?)?
  /// Whether recordings that are being written are left for a later pull.
  package var leavesRunning = false
  /// Decides on offers; `nil` to fetch everything missing.
  package var witness: (any PullWitness)?

  package typealias Derived = (isDamaged: Bool, remarks: [String])

  package init(timeout: Int64) { self.timeout = timeout }

  /// The selected offers, newest first.
  ///
  /// - Throws: When an ID does not identify exactly one recording.
  func choose(_ offers: [PullOffer], of host: String) throws(CommandFailure) -> [PullOffer] {
    guard !ids.isEmpty else { return offers }
    var chosen: Set<RecordingID> = []
    for id in ids {
      let found = id.choose(from: offers, number: \.number) { $0.id.begins(with: $1) }
      guard let first = found.first else {
        let there = offers.first.map { "the newest is \($0.number)" } ?? "there is none"
        throw CommandFailure(.noInput, "there is no recording \(id.text) on \(host): \(there)")
      }
      guard found.count == 1 else {
        throw CommandFailure(
          .usage,
          "\(id.text) could be any of \(found.count) recordings on \(host); give more digits")
      }
      chosen.insert(first.id)
    }
    return offers.filter { chosen.contains($0.id) }
  }
}
