import IMUModel
import LogStore

/// What a verb works on that takes logs in and out of a store: a recording's ID or a file's path.
struct LogTarget {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// No ID has a slash or a dot; of other words a file's name is one only when it has no number's or UUID's
  /// digits alone.
  var isPath: Bool {
    if text.contains("/") || text.contains(".") { return true }
    return !RecordingReference(text).isPossible && FileIdentity(path: text) != nil
  }

  /// The log's path; for an ID, that of the recording in `store`.
  ///
  /// - Parameter isEnded: Whether a recording that is being written is refused.
  func path(isEnded: Bool = false, store: () throws -> String) throws -> String {
    guard !isPath else { return text }
    let catalogue = try OpenStore.reading(try store())
    let entry = try catalogue.entry(for: text)
    if isEnded, try catalogue.isLive(entry) { throw CatalogueError.isLive(file: entry.path) }
    return entry.path
  }
}
