// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogStore

/// The settings of a pull, the same for every host.
public struct PullSettings: Sendable {
  /// Recordings on the other machine; all if empty.
  public var ids: [RecordingReference] = []
  /// Whether live recordings are followed to their end.
  public var follow = false
  /// Whether the other machine moves recordings with a proved copy here to its trash.
  public var thenFree = false
  /// Nanoseconds without progress after which the pull gives up on a host.
  public var timeout: Int64
  /// Most files of recordings that a host has open at a time.
  public var openFiles = 2
  /// Derives a file from a recording that is here, such as an export; returns `nil` if the file exists already.
  public var derive: (@Sendable (CatalogueEntry, Catalogue) throws -> Derived?)?
  /// Whether recordings that are being written are left for a later pull.
  public var leavesRunning = false
  /// Decides on offers; `nil` to fetch everything missing.
  public var witness: (any PullWitness)?

  /// The outcome of a derivation.
  public struct Derived: Sendable {
    /// Whether parts of the recording cannot be read.
    public let isDamaged: Bool
    /// For a person.
    public let remarks: [String]

    /// The outcome of a derivation.
    public init(isDamaged: Bool, remarks: [String]) {
      (self.isDamaged, self.remarks) = (isDamaged, remarks)
    }
  }

  /// Settings that fetch everything missing.
  public init(timeout: Int64) { self.timeout = timeout }

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
