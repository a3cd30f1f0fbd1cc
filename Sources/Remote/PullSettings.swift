// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogStore

/// The settings of a pull, the same for every host.
public struct PullSettings: Sendable {
  /// Recordings on the other machine; all when empty.
  public var ids: [RecordingReference] = []
  /// Whether live recordings are followed to their end.
  public var follow = false
  /// Whether the other machine moves recordings to its trash once they are proved to be here.
  public var thenFree = false
  /// Nanoseconds without progress after which the pull gives up on a host.
  public var timeout: Int64
  /// Files of recordings that a host may have open at a time.
  public var openFiles = 2
  /// Makes a file of a recording that is here, such as an export; `nil` where it is there already.
  public var derive: (@Sendable (CatalogueEntry, Catalogue) throws -> Derived?)?

  /// Whether recordings that are being written are left for a later pull.
  public var leavesRunning = false
  /// What decides on offers and learns of arrivals; `nil` to fetch all that is missing.
  public var witness: (any PullWitness)?

  /// How a file was made of a recording.
  public struct Derived: Sendable {
    /// Whether a part of the recording cannot be read.
    public let isDamaged: Bool
    /// What a person should know.
    public let remarks: [String]

    /// What a derivation reports.
    public init(isDamaged: Bool, remarks: [String]) {
      (self.isDamaged, self.remarks) = (isDamaged, remarks)
    }
  }

  /// Fetch all that is missing and finished.
  public init(timeout: Int64) { self.timeout = timeout }

  /// The selected offers, newest first.
  ///
  /// - Throws: When an ID does not identify exactly one recording.
  func choose(_ offers: [PullOffer], of host: String) throws(CommandFailure) -> [PullOffer] {
    guard !ids.isEmpty else { return offers }
    var chosen: Set<RecordingID> = []
    for id in ids {
      // Numbers are unique in a store that gave them itself; beginnings of UUIDs must be.
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
