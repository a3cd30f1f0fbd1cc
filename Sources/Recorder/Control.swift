// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// A request over the control socket, one per connection: a line of UTF-8, at most 1024 bytes with its line feed.
///
///     status      mark            start             keep
///     stop        mark WORDS      start calendar    watch      discard
public enum ControlRequest: Equatable, Sendable {
  case status
  /// Begin a recording, as a short press of the button does.
  case start
  /// The same, by the calendar's timer.
  case startByCalendar
  /// End the recording and keep it.
  case stop
  /// Put a mark with these words, or none, into the recording.
  case mark(String)
  /// Keep the history, as a long press does.
  case keep
  /// Discard the recording and begin another, as a long press in a recording does.
  case discard
  /// Send the samples as ``WatchLine``s until the caller hangs up.
  case watch

  /// Most bytes of a request, with its line feed.
  public static let longest = 1024
  /// Most bytes of a mark's words in the log.
  public static let longestLabel = 200

  private static let lines: [(line: String, request: ControlRequest)] = [
    ("status", .status), ("start", .start), ("start calendar", .startByCalendar), ("stop", .stop),
    ("keep", .keep), ("discard", .discard), ("watch", .watch),
  ]

  /// Reads a request's line, with or without its line feed.
  public init(line: String) throws(ControlError) {
    guard line.utf8.count <= ControlRequest.longest else {
      throw ControlError("the request is longer than \(ControlRequest.longest) bytes; shorten it")
    }
    var text = line.unicodeScalars[...]
    if text.last == "\n" { text.removeLast() }
    if text.last == "\r" { text.removeLast() }
    guard !text.contains(where: ForeignText.isObeyed) else {
      throw ControlError("the request has a control character; send plain text")
    }
    let verb = String(text.prefix { $0 != " " })
    let words = String(text.dropFirst(verb.unicodeScalars.count).drop { $0 == " " })
    if let (_, request) = ControlRequest.lines.first(where: {
      $0.line == (words.isEmpty ? verb : "\(verb) \(words)")
    }) {
      self = request
      return
    }
    guard verb == "mark" else {
      throw ControlError(
        "\"\(ForeignText.shown(String(String(text).prefix(40))))\" is not a request; "
          + "the requests are status, start, stop, mark [WORDS], keep, discard, watch")
    }
    guard words.utf8.count <= ControlRequest.longestLabel else {
      throw ControlError(
        "the mark's words have \(words.utf8.count) bytes, and \(ControlRequest.longestLabel) fit into a "
          + "recording; shorten them")
    }
    self = .mark(words)
  }

  /// The request's line, without its line feed. Control characters in a mark's words become `?`; leading spaces are dropped.
  public var line: String {
    guard case .mark(let label) = self else {
      return ControlRequest.lines.first { $0.request == self }?.line ?? ""
    }
    let words = String(ForeignText.shown(label).unicodeScalars.drop { $0 == " " })
    return words.isEmpty ? "mark" : "mark " + words
  }
}

/// The service's answer to a request: one line of JSON.
public enum ControlAnswer: Equatable, Sendable {
  /// `{"schema":1,"ok":true,"state":"recording"}`: done; the state after it.
  case done(RecorderMachine.State)
  /// `{"schema":1,"ok":true,"state":…,…}`: see ``RecorderStatus/json``.
  case status(RecorderStatus)
  /// `{"schema":1,"ok":false,"exitStatus":75,"message":"…"}`: not done; an exit status of sysexits.h, a sentence.
  case refused(status: Int32, message: String)

  /// The answer's line, without its line feed.
  public var line: String {
    switch self {
    case .done(let state):
      return JSONWriter.document { json in
        json.member("ok", true)
        json.member("state", state.rawValue)
      }
    case .status(let status): return status.json
    case .refused(let status, let message):
      return JSONWriter.document { json in
        json.member("ok", false)
        json.member("exitStatus", status)
        json.member("message", message)
      }
    }
  }

  /// Reads an answer's line; keys of a later version are skipped. Throws ``ControlError`` for other lines.
  public init(line: String) throws(ControlError) {
    var answer: ControlAnswer?
    do {
      var json = JSONReader(Array(line.utf8))
      answer = try ControlAnswer(&json)
      try json.end()
    } catch {
      answer = nil
    }
    guard let answer else {
      throw ControlError(
        "the service answered \"\(ForeignText.shown(String(line.prefix(80))))\", which "
          + "this program does not understand; are both of the same version?")
    }
    self = answer
  }

  /// `nil` for JSON that is not an answer.
  private init?(_ json: inout JSONReader) throws(JSONReader.Failure) {
    var (isDone, exitStatus, message) = (nil as Bool?, nil as Int32?, nil as String?)
    var state: RecorderMachine.State?
    var status = RecorderStatus(state: .armed)
    var isStatus = false
    guard try json.enterObject() else { return nil }
    while let key = try json.nextKey() {
      switch key {
      case "ok": isDone = try json.bool()
      case "exitStatus": exitStatus = try json.integer()
      case "message": message = try json.string()
      case "state": state = try json.string().flatMap(RecorderMachine.State.init(rawValue:))
      case "ticks":
        isStatus = true
        status.tally = try json.ticks()
      default: try status.read(key, &json)
      }
    }
    switch (isDone, state, exitStatus, message) {
    case (true, let state?, _, _):
      status.state = state
      self = isStatus ? .status(status) : .done(state)
    case (false, _, let exitStatus?, let message?):
      self = .refused(status: exitStatus, message: message)
    default: return nil
    }
  }
}

/// A line over the control socket that is not a request, or not an answer.
public struct ControlError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One sentence without its full stop.
  public let description: String

  init(_ description: String) { self.description = description }
}
