/// What the service answers to a request: one line of JSON.
public enum ControlAnswer: Equatable, Sendable {
  /// `{"ok":true,"state":"recording"}`: it was done, and the service is now in that state.
  case done(RecorderMachine.State)
  /// `{"ok":true,"state":…,…}`: see ``RecorderStatus/json``.
  case status(RecorderStatus)
  /// `{"ok":false,"status":75,"message":"…"}`: it was not done; an exit status of sysexits.h and a sentence.
  case refused(status: Int32, message: String)

  /// The answer's line, without its line feed.
  public var line: String {
    switch self {
    case .done(let state): return JSONLine().with("ok", true).with("state", state.rawValue).text
    case .status(let status): return status.json
    case .refused(let status, let message):
      return JSONLine().with("ok", false).with("status", status).with("message", message).text
    }
  }
}
