public import IMUModel

/// How the service is, at one moment.
public struct RecorderStatus: Equatable, Sendable {
  /// The state's name.
  public var state: RecorderMachine.State
  /// The number of the current recording, or of the last one; `nil` when there was none.
  public var number: UInt32?
  /// What happened to its ticks so far; `nil` when its file is gone or cannot be read.
  public var ledger: TickLedger? = TickLedger()
  /// How late the sampler woke for its samples.
  public var lateness: LatenessSummary?
  /// Nanoseconds of the longest wait for the card.
  public var worstFlush: Int64?
  /// Bytes that may still be written to the store's file system.
  public var freeBytes: UInt64?
  /// The processor's temperature in °C.
  public var temperature: Double?
  /// The sensor's model and address.
  public var sensor: SensorPlace?
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
    note = ""
  }

  /// An object on one line, which is also the answer to ``ControlRequest/status``.
  public var json: String {
    JSONWriter.document { json in
      json.member("ok", true)
      json.member("state", state.rawValue)
      json.member("problem", problem?.name)
      json.member("failure", failure)
      json.member("number", number)
      json.key("ticks")
      json.ticks(ledger)
      json.key("lateness")
      json.lateness(lateness)
      json.member("worstFlush_ns", worstFlush)
      json.member("free_bytes", freeBytes)
      json.member("processorTemperature_c", number: temperature.flatMap(RecorderStatus.tenths))
      json.key("sensor")
      if let sensor {
        json.object { json in
          json.member("model", sensor.model)
          json.member("address", sensor.address)
        }
      } else {
        json.null()
      }
      json.member("realTime", realTime)
      json.member("note", note)
    }
  }

  /// The same for a person, a line a fact, without facts that are not known.
  public var text: String {
    let lateness = lateness.map {
      "\(RecorderStatus.milliseconds($0.percentile99)), 99 % of samples"
    }
    var samples: String?
    if number != nil, let ledger {
      samples =
        "\(ledger.sampled) of \(ledger.scheduled), \(ledger.scheduled - ledger.sampled) lost"
    }
    let facts: [(String, String?)] = [
      ("state", state.rawValue),
      ("problem", problem?.meaning),
      ("failure", failure),
      ("recording", number.map { "\($0)" }),
      ("samples", samples),
      ("lateness", lateness),
      ("worst flush", worstFlush.map(RecorderStatus.milliseconds)),
      ("free space", freeBytes.map(ByteText.text)),
      ("temperature", temperature.flatMap(RecorderStatus.tenths).map { "\($0) °C" }),
      ("sensor", sensor?.description),
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

/// A sensor in a few words: its model, and where it is on its bus.
public struct SensorPlace: Equatable, Sendable, CustomStringConvertible {
  /// The name that its maker gave it.
  public var model: String
  /// Its 7-bit address; `nil` without a bus.
  public var address: UInt8?

  /// A model at an address.
  public init(model: String, address: UInt8?) {
    self.model = model
    self.address = address
  }

  /// `MPU-6050 at 0x68`.
  public var description: String {
    address.map { "\(model) at 0x\(String($0, radix: 16))" } ?? model
  }
}
