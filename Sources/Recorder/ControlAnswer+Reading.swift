extension ControlAnswer {
  /// Reads an answer's line, with or without its line feed.
  ///
  /// - Throws: ``ControlError/badAnswer(_:)`` for what the service never answers.
  public init(line: String) throws(ControlError) {
    guard let members = JSONMembers(line), let isDone = members.bool("ok") else {
      throw .badAnswer(line)
    }
    guard isDone else {
      guard let status: Int32 = members.integer("status"), let message = members.string("message")
      else { throw .badAnswer(line) }
      self = .refused(status: status, message: message)
      return
    }
    guard let state = members.string("state").flatMap(RecorderMachine.State.init(rawValue:)) else {
      throw .badAnswer(line)
    }
    guard members.values["scheduled"] != nil else {
      self = .done(state)
      return
    }
    self = .status(RecorderStatus(state: state, members))
  }
}

extension RecorderStatus {
  /// What an answer's members say; what they lack is not known.
  fileprivate init(state: RecorderMachine.State, _ members: JSONMembers) {
    self.init(state: state)
    problem = members.string("problem").flatMap { name in
      Problem.allCases.first { $0.name == name }
    }
    failure = members.string("failure")
    take = members.integer("take")
    scheduled = members.integer("scheduled")
    sampled = members.integer("sampled")
    gaps = members.integer("gaps")
    latenessP99 = members.integer("latenessP99_ns")
    worstFlush = members.integer("worstFlush_ns")
    freeBytes = members.integer("freeBytes")
    temperature = members.double("temperature_C")
    sensor = members.string("sensor")
    realTime = members.string("realTime")
    note = members.string("note") ?? ""
  }
}
