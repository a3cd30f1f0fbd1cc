import FoundationEssentials
import LinuxIO
import Service

/// What a service answered.
struct ControlReply: Decodable {
  let ok: Bool
  /// An exit status, and a sentence, when `ok` is not true.
  let status: Int32?
  let message: String?
  let state: String?
  let problem: String?
  let take: UInt32?
  let scheduled: UInt64?
  let sampled: UInt64?
  let gaps: UInt64?
  let latenessP99_ns: Int64?
  let worstFlush_ns: Int64?
  let freeBytes: UInt64?
  let temperature_C: Double?
  let sensor: String?
  let realTime: String?
  let note: String?

  /// Asks the service at `path`, and fails as it says when it did not do what was asked.
  ///
  /// - Returns: The answer, read and as it came.
  static func ask(_ request: ControlRequest, at path: String) throws -> (ControlReply, line: String)
  {
    let line = try ControlClient.ask(path: path, line: request.line)
    let reply: ControlReply
    do {
      reply = try JSONDecoder().decode(ControlReply.self, from: Data(line.utf8))
    } catch {
      throw CommandFailure(
        .inputOutput,
        "asking the service (\(path)): its answer is not understood; are both of one version?")
    }
    guard reply.ok else {
      throw CommandFailure(
        reply.status.flatMap(ExitStatus.init) ?? .tryAgain,
        reply.message ?? "the service refused without a reason")
    }
    return (reply, line)
  }

  /// The status in words.
  var text: String {
    guard let state = state.flatMap(ServiceMachine.State.init) else { return "state unknown" }
    var status = ServiceStatus(state: state)
    status.problem = Problem.allCases.first { $0.name == problem }
    status.take = take
    status.scheduled = scheduled ?? 0
    status.sampled = sampled ?? 0
    status.gaps = gaps ?? 0
    status.latenessP99 = latenessP99_ns
    status.worstFlush = worstFlush_ns
    status.freeBytes = freeBytes
    status.temperature = temperature_C
    status.sensor = sensor
    status.realTime = realTime
    status.note = note ?? ""
    return status.text
  }
}
