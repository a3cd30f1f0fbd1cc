public import Export
import IMUModel

/// What a pull is to do, on every host the same.
public struct PullSettings: Sendable {
  /// Numbers, `latest`, or beginnings of UUIDs on the other machine; all when empty.
  public var ids: [ServeIdentity] = []
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
      let matches = offers.filter { PullSettings.answers($0, id.text) }
      // Numbers are unique in a store that made them itself; beginnings of UUIDs must be.
      let found = id.text == "latest" ? Array(offers.prefix(1)) : matches
      guard found.count == 1 else {
        return .failure(UnknownRecording(id: id.text, count: found.count))
      }
      chosen.insert(found[0].id)
    }
    return .success(offers.filter { chosen.contains($0.id) })
  }

  /// As a store here looks IDs up: fewer than eight digits alone are a number.
  private static func answers(_ offer: PullOffer, _ text: String) -> Bool {
    let isDecimal = text.utf8.allSatisfy { (48...57).contains($0) }
    if isDecimal, text == "\(offer.number)" { return true }
    guard !isDecimal || text.utf8.count >= 8 else { return false }
    let digits = text.filter { $0 != "-" }
    return offer.id.description.filter { $0 != "-" }.hasPrefix(digits)
  }
}

/// An ID that no recording, or more than one, answers to.
struct UnknownRecording: Error {
  let id: String
  let count: Int
}
