public import Export
public import IMUModel

/// What a pull is to do, on every host the same.
public struct PullSettings: Sendable {
  /// Numbers, `latest`, or beginnings of UUIDs on the other machine; all when empty.
  public var ids: [RecordingReference] = []
  /// Whether recordings that are being written are followed to their end.
  public var follow = false
  /// Whether the other machine may move what is proved to be here to its trash.
  public var thenFree = false
  /// Nanoseconds without progress after which a host is given up.
  public var timeout: Int64
  /// Files of recordings that a host may have open at a time.
  public var openFiles = 2
  /// What each recording is written out as too.
  public var format: ExportFormat?
  /// Where to.
  public var directory = "."
  /// What stands there for ticks without a sample, where the form has no times.
  public var fill: ExportFill?

  /// Fetch all that is missing and finished.
  public init(timeout: Int64) { self.timeout = timeout }

  /// The offers that are meant, newest first, or the first ID that none answers to.
  func choose(_ offers: [PullOffer]) -> Result<[PullOffer], UnknownRecording> {
    guard !ids.isEmpty else { return .success(offers) }
    var chosen: Set<RecordingID> = []
    for id in ids {
      // Numbers are unique in a store that gave them itself; beginnings of UUIDs must be.
      let found = id.choose(from: offers, number: \.number) { $0.id.begins(with: $1) }
      guard found.count == 1 else {
        return .failure(UnknownRecording(id: id.text, count: found.count))
      }
      chosen.insert(found[0].id)
    }
    return .success(offers.filter { chosen.contains($0.id) })
  }
}

/// An ID that no recording, or more than one, answers to.
struct UnknownRecording: Error {
  let id: String
  let count: Int
}
