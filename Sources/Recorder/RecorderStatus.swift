import IMUModel

/// How the service is, at one moment.
public struct RecorderStatus: Equatable, Sendable {
  /// The state's name.
  public var state: RecorderMachine.State
  /// The number of the take at hand, or of the last one; `nil` when there was none.
  public var take: UInt32?
  /// Ticks of that take that were scheduled so far; `nil`, as the next two, when its file is gone or cannot be read.
  public var scheduled: UInt64?
  /// Ticks of it with a sample.
  public var sampled: UInt64?
  /// Ticks of it without one.
  public var gaps: UInt64?
  /// The 99th percentile of how late the sampler woke for its samples, in nanoseconds.
  public var latenessP99: Int64?
  /// Nanoseconds of the longest wait for the card.
  public var worstFlush: Int64?
  /// Bytes that may still be written to the store's file system.
  public var freeBytes: UInt64?
  /// The processor's temperature in °C.
  public var temperature: Double?
  /// The sensor's model and place.
  public var sensor: String?
  /// What the system granted the sampler.
  public var realTime: String?
  /// What is wrong.
  public var problem: Problem?
  /// Why, in a sentence, where it is known.
  public var failure: String?
  /// The words kept with each recording.
  public var note: String

  /// The status of a service of which only the state is known.
  public init(state: RecorderMachine.State) {
    self.state = state
    scheduled = 0
    sampled = 0
    gaps = 0
    note = ""
  }

  /// An object on one line, which is also the answer to ``ControlRequest/status``.
  public var json: String {
    JSONLine().with("ok", true).with("state", state.rawValue)
      .with("problem", problem?.name).with("failure", failure).with("take", take)
      .with("scheduled", scheduled).with("sampled", sampled).with("gaps", gaps)
      .with("latenessP99_ns", latenessP99).with("worstFlush_ns", worstFlush)
      .with("freeBytes", freeBytes)
      .with("temperature_C", raw: temperature.flatMap(RecorderStatus.tenths) ?? "null")
      .with("sensor", sensor).with("realTime", realTime).with("note", note)
      .text
  }

  /// The same for a person, a line a fact, without facts that are not known.
  public var text: String {
    let lateness = latenessP99.map { "\(RecorderStatus.milliseconds($0)), 99 % of samples" }
    var samples: String?
    if take != nil, let scheduled, let sampled, let gaps {
      samples = "\(sampled) of \(scheduled), \(gaps) lost"
    }
    let facts: [(String, String?)] = [
      ("state", state.rawValue),
      ("problem", problem?.meaning),
      ("failure", failure),
      ("recording", take.map { "\($0)" }),
      ("samples", samples),
      ("lateness", lateness),
      ("worst flush", worstFlush.map(RecorderStatus.milliseconds)),
      ("free space", freeBytes.map(ByteText.text)),
      ("temperature", temperature.flatMap(RecorderStatus.tenths).map { "\($0) °C" }),
      ("sensor", sensor),
      ("real time", realTime),
      ("note", note.isEmpty ? nil : note),
    ]
    var lines: [String] = []
    for (name, value) in facts {
      guard let value else { continue }
      let padding = String(repeating: " ", count: 13 - name.count)
      lines.append(name + padding + ForeignText.shown(value))
    }
    return lines.joined(separator: "\n")
  }

  /// A temperature to a tenth; `nil` for what is none.
  private static func tenths(_ degrees: Double) -> String? {
    guard degrees.magnitude < 10_000 else { return nil }
    let tenths = Int((degrees * 10).rounded())
    return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }

  /// To a hundredth of a millisecond, rounded down.
  private static func milliseconds(_ nanoseconds: Int64) -> String {
    let hundredths = max(0, nanoseconds) / 10_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) ms"
  }
}
