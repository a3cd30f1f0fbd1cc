// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// The state of the service at one moment.
public struct RecorderStatus: Equatable, Sendable {
  /// The machine's state.
  public var state: RecorderMachine.State
  /// The number of the current recording, or of the last one; `nil` when there was none.
  public var number: UInt32?
  /// The causes of its ticks; `nil` when its file is gone or cannot be read.
  public var tally: TickTally? = TickTally()
  /// How late the sampler woke for its samples.
  public var lateness: LatenessSummary?
  /// Nanoseconds of the longest wait for the card.
  public var worstFlush: Int64?
  /// Bytes that are free for the store.
  public var freeBytes: UInt64?
  /// The processor's temperature in °C.
  public var temperature: Double?
  /// The sensor's model and address.
  public var sensor: SensorPlace?
  /// The chip's clock; `nil` while it is not known, and when the computer keeps the time.
  public var clock: ChipClockState?
  /// Each sensor of a take; empty for one sensor without a name.
  public var members: [MemberStatus] = []
  /// The granted scheduling and memory lock, in words.
  public var realTime: String?
  /// The problem that prevents recording.
  public var problem: Problem?
  /// The problem's cause as a sentence, if known.
  public var failure: String?
  /// What began the current recording, or the last one; `nil` when there was none.
  public var begunBy: StartReason?
  /// Recordings that motion begins; `nil` without a trigger.
  public var trigger: TriggerStatus?
  /// Nanoseconds until the next cycle of the duty cycle; `nil` without one.
  public var untilCycle: Int64?
  /// When a timer begins recordings; `nil` when none does.
  public var calendar: String?
  /// The note of each recording.
  public var note: String

  /// A status without facts.
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
      json.ticks(tally)
      json.key("lateness")
      json.lateness(lateness)
      json.member("worstFlush_ns", worstFlush)
      json.member("free_bytes", freeBytes)
      json.member("processorTemperature_c", number: degrees)
      json.member("sensor", object: sensor) { json, sensor in sensor.add(to: &json) }
      json.member("chipClock", object: clock) { json, clock in clock.add(to: &json) }
      if !members.isEmpty {
        json.member("sensors", members) { json, member in member.add(to: &json) }
      }
      json.member("realTime", realTime)
      json.member("begunBy", begunBy?.rawValue)
      json.member("trigger", object: trigger) { json, trigger in trigger.add(to: &json) }
      json.member("nextTurn_s", number: untilCycle.map(RecorderStatus.seconds))
      json.member("calendar", calendar)
      json.member("note", note)
    }
  }

  /// For a person: a line for each known fact.
  public var text: String {
    let lateness = lateness.map {
      "\(RecorderStatus.milliseconds($0.percentile99)), 99 % of samples, estimated"
    }
    var samples: String?
    if number != nil, let tally {
      let tallies = members.isEmpty ? [tally] : members.compactMap(\.tally)
      let (sampled, all) = (tallies.map(\.sampled).sum, tallies.map(\.scheduled).sum)
      samples = "\(sampled) of \(all), \(all - sampled) lost"
    }
    let facts: [(String, String?)] = [
      ("state", state.rawValue),
      ("problem", problem?.meaning),
      ("failure", failure),
      ("recording", number.map { "\($0)" }),
      ("samples", samples),
      ("lateness", lateness),
      ("worst flush", worstFlush.map { RecorderStatus.milliseconds($0) + " estimated" }),
      ("free space", freeBytes.map { Plain.bytes($0) }),
      ("temperature", degrees.map { "\($0) °C" }),
      ("sensor", members.isEmpty ? sensor?.description : nil),
      ("sensors", MemberStatus.line(members)),
      (
        "chip clock",
        (members.isEmpty ? clock : nil).map {
          "\(Plain.number($0.hertz, per: 1000)) Hz, ±\(($0.uncertainty + 500) / 1000) µs, estimated"
        }
      ),
      ("real time", realTime),
      ("trigger", trigger?.text),
      ("next cycle", untilCycle.map { "in \(RecorderStatus.seconds($0)) s" }),
      ("calendar", calendar),
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

  /// The temperature to a tenth; `nil` for an invalid one.
  private var degrees: String? {
    temperature.flatMap { $0.magnitude < 10_000 ? Plain.number($0, per: 10) : nil }
  }

  /// To a second, rounded up.
  static func seconds(_ nanoseconds: Int64) -> String {
    let (whole, rest) = max(0, nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
    return "\(rest > 0 ? whole + 1 : whole)"
  }

  /// To a hundredth of a millisecond, rounded down.
  private static func milliseconds(_ nanoseconds: Int64) -> String {
    Plain.number(max(0, nanoseconds) / 10_000, per: 100) + " ms"
  }

  /// Reads the value of a member; a missing one, or one of another kind, is unknown.
  mutating func read(
    _ key: JSONReader.Key, _ json: inout JSONReader
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
    case "chipClock": clock = try json.chipClock()
    case "sensors":
      guard try json.enterList() else { return }
      while try json.nextElement() {
        if let member = try MemberStatus(&json) { members.append(member) }
      }
    case "realTime": realTime = try json.string()
    case "begunBy": begunBy = try json.string().flatMap(StartReason.init(rawValue:))
    case "trigger": trigger = try TriggerStatus(&json)
    case "nextTurn_s": untilCycle = try json.integer().flatMap(RecorderStatus.nanoseconds)
    case "calendar": calendar = try json.string()
    case "note": note = try json.string() ?? ""
    default: try json.skip()
    }
  }
}

extension JSONWriter {
  /// An object with the members that `fill` writes, or `null`.
  mutating func member<Value>(
    _ name: String, object value: Value?, _ fill: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    guard let value else { return null() }
    object { json in fill(&json, value) }
  }
}

extension JSONReader {
  mutating func chipClock() throws(Failure) -> ChipClockState? {
    guard try enterObject() else { return nil }
    var (hertz, uncertainty) = (nil as Double?, nil as Int64?)
    while let key = try nextKey() {
      switch key {
      case "rate_hz": hertz = try double()
      case "uncertainty_ns": uncertainty = try integer()
      default: try skip()
      }
    }
    guard let hertz, let uncertainty, 0.001...1e6 ~= hertz, RecordingTime.contains(uncertainty)
    else { return nil }
    return ChipClockState(hertz: hertz, uncertainty: uncertainty)
  }

  mutating func sensorPlace() throws(Failure) -> SensorPlace? {
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

extension [UInt64] {
  /// Their sum, which stays at the largest number.
  fileprivate var sum: UInt64 { reduce(0) { $0.addingSaturated($1) } }
}

/// A sensor's model and address.
public struct SensorPlace: Equatable, Sendable, CustomStringConvertible {
  /// The maker's name for it.
  public var model: String
  /// Its 7-bit address; `nil` without a bus.
  public var address: UInt8?

  /// A model at an address.
  public init(model: String, address: UInt8?) {
    (self.model, self.address) = (model, address)
  }

  func add(to json: inout JSONWriter) {
    json.member("model", model)
    json.member("address", address)
  }

  /// `MPU-6050 at 0x68`.
  public var description: String {
    address.map { "\(model) at 0x\(String($0, radix: 16))" } ?? model
  }
}
