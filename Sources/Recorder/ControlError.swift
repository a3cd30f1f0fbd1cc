import IMUModel

/// A line over the control socket that is no request, or no answer.
public enum ControlError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line has more bytes than a request may.
  case tooLong
  /// The line has a control character.
  case controlCharacter
  /// A mark's words are longer than the log keeps.
  case labelTooLong(bytes: Int)
  /// There is no such request.
  case unknown(String)
  /// The service answered what this program does not understand.
  case badAnswer(String)

  /// One sentence without its full stop.
  public var description: String {
    switch self {
    case .tooLong: return "the request is longer than \(ControlRequest.longest) bytes; shorten it"
    case .controlCharacter: return "the request has a control character; send plain text"
    case .labelTooLong(let bytes):
      return "the mark's words have \(bytes) bytes, and \(ControlRequest.longestLabel) fit into a "
        + "recording; shorten them"
    case .unknown(let line):
      return "\"\(ForeignText.shown(String(line.prefix(40))))\" is no request; "
        + "the requests are status, start, stop, mark [WORDS], keep, discard, watch"
    case .badAnswer(let line):
      return
        "the service answered \"\(ForeignText.shown(String(line.prefix(80))))\", which is "
        + "no answer this program knows; are both of the same version?"
    }
  }
}
