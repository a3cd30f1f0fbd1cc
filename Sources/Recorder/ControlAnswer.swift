import IMUModel

/// What the service answers to a request: one line of JSON.
public enum ControlAnswer: Equatable, Sendable {
  /// `{"schema":1,"ok":true,"state":"recording"}`: it was done, and the service is now in that state.
  case done(RecorderMachine.State)
  /// `{"schema":1,"ok":true,"state":…,…}`: see ``RecorderStatus/json``.
  case status(RecorderStatus)
  /// `{"schema":1,"ok":false,"exitStatus":75,"message":"…"}`: it was not done; an exit status of sysexits.h and a
  /// sentence.
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

  /// Reads an answer's line, with or without its line feed. Keys of a later version are skipped.
  ///
  /// - Throws: ``ControlError/badAnswer(_:)`` for what the service never answers.
  public init(line: String) throws(ControlError) {
    do {
      var json = JSONReader(Array(line.utf8))
      guard let answer = try ControlAnswer(&json) else { throw ControlError.badAnswer(line) }
      try json.end()
      self = answer
    } catch {
      throw .badAnswer(line)
    }
  }

  /// `nil` for JSON that is no answer.
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
        status.ledger = try json.ticks()
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

extension RecorderStatus {
  /// Reads the value of one of its members; what is missing or of another kind is not known.
  fileprivate mutating func read(
    _ key: String, _ json: inout JSONReader
  ) throws(JSONReader.Failure) {
    switch key {
    case "problem":
      let name = try json.string()
      problem = Problem.allCases.first { $0.name == name }
    case "failure": failure = try json.string()
    case "number": number = try json.integer()
    case "lateness": lateness = try json.lateness()
    case "worstFlush_ns": worstFlush = try json.integer()
    case "free_bytes": freeBytes = try json.integer()
    case "processorTemperature_c": temperature = try json.double()
    case "sensor": sensor = try json.sensorPlace()
    case "realTime": realTime = try json.string()
    case "note": note = try json.string() ?? ""
    default: try json.skip()
    }
  }
}

extension JSONReader {
  fileprivate mutating func sensorPlace() throws(Failure) -> SensorPlace? {
    guard try enterObject() else { return nil }
    var (model, address) = (nil as String?, nil as UInt8?)
    while let key = try nextKey() {
      switch key {
      case "model": model = try string()
      case "address": address = try integer()
      default: try skip()
      }
    }
    return model.map { SensorPlace(model: $0, address: address) }
  }
}
