import IMUModel

/// What may be asked over the control socket, one request a connection: a line of UTF-8, at most 1024 bytes with
/// its line feed.
///
///     status      mark            start      keep
///     stop        mark WORDS      discard    watch
public enum ControlRequest: Equatable, Sendable {
  /// How the service is.
  case status
  /// Begin a take, as a short press of the button does.
  case start
  /// End the take and keep it.
  case stop
  /// Put a mark with these words, or none, into the take.
  case mark(String)
  /// Keep what was sampled before, as a long press does.
  case keep
  /// Throw the take away and begin anew, as a long press in a take does.
  case discard
  /// Continue answering with what is sampled, in lines as ``WatchLine`` has them, until the caller hangs up.
  case watch

  /// Bytes that a request may have, its line feed among them.
  public static let longest = 1024
  /// Bytes that a mark's words may have: what the log keeps.
  public static let longestLabel = 200

  /// Reads a request's line, with or without its line feed.
  public init(line: String) throws(ControlError) {
    guard line.utf8.count <= ControlRequest.longest else { throw .tooLong }
    var text = line.unicodeScalars[...]
    if text.last == "\n" { text.removeLast() }
    if text.last == "\r" { text.removeLast() }
    guard !text.contains(where: ForeignText.isObeyed) else { throw .controlCharacter }
    let verb = String(text.prefix { $0 != " " })
    let words = String(text.dropFirst(verb.unicodeScalars.count).drop { $0 == " " })
    switch (verb, words.isEmpty) {
    case ("status", true): self = .status
    case ("start", true): self = .start
    case ("stop", true): self = .stop
    case ("keep", true): self = .keep
    case ("discard", true): self = .discard
    case ("watch", true): self = .watch
    case ("mark", _):
      guard words.utf8.count <= ControlRequest.longestLabel else {
        throw .labelTooLong(bytes: words.utf8.count)
      }
      self = .mark(words)
    default: throw .unknown(String(text))
    }
  }

  /// The request's line, without its line feed; ``init(line:)`` reads it back.
  ///
  /// Control characters in a mark's words become `?`, spaces before them go.
  public var line: String {
    switch self {
    case .status: return "status"
    case .start: return "start"
    case .stop: return "stop"
    case .keep: return "keep"
    case .discard: return "discard"
    case .watch: return "watch"
    case .mark(let label):
      let words = String(ForeignText.shown(label).unicodeScalars.drop { $0 == " " })
      return words.isEmpty ? "mark" : "mark " + words
    }
  }
}
