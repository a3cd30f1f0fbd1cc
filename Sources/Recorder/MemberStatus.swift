// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// The state of one of the sensors of a take.
public struct MemberStatus: Equatable, Sendable {
  /// The user's name for it.
  public var name: String
  /// Its model and address.
  public var sensor: SensorPlace
  /// As configured, in hertz.
  public var rate: Double
  /// The causes of its recording's ticks; `nil` without a recording.
  public var tally: TickTally?
  /// The chip's clock; `nil` while it is not known, and when the computer keeps the time.
  public var clock: ChipClockState?

  /// A state.
  public init(
    name: String, sensor: SensorPlace, rate: Double, tally: TickTally? = nil,
    clock: ChipClockState? = nil
  ) {
    (self.name, self.sensor, self.rate) = (name, sensor, rate)
    (self.tally, self.clock) = (tally, clock)
  }

  /// Reads an object; `nil` for one without name or sensor.
  init?(_ json: inout JSONReader) throws(JSONReader.Failure) {
    guard try json.enterObject() else { return nil }
    var (name, sensor) = (nil as String?, nil as SensorPlace?)
    var (rate, tally, clock) = (nil as Double?, nil as TickTally?, nil as ChipClockState?)
    while let key = try json.nextKey() {
      switch key {
      case "sensorName": name = try json.string()
      case "sensor": sensor = try json.sensorPlace()
      case "rate_hz": rate = try json.double()
      case "ticks": tally = try json.ticks()
      case "chipClock": clock = try json.chipClock()
      default: try json.skip()
      }
    }
    guard let name, let sensor, let rate, 0.000_1...1e6 ~= rate else { return nil }
    self.init(name: name, sensor: sensor, rate: rate, tally: tally, clock: clock)
  }

  func add(to json: inout JSONWriter) {
    json.object { json in
      json.member("sensorName", name)
      json.member("sensor", object: sensor) { json, sensor in sensor.add(to: &json) }
      json.member("rate_hz", number: Plain.number(rate, per: 1000))
      json.key("ticks")
      json.ticks(tally)
      json.member("chipClock", object: clock) { json, clock in clock.add(to: &json) }
    }
  }

  /// Ticks without a sample so far; `nil` without a recording.
  package var lost: UInt64? { tally.map { $0.scheduled - $0.sampled } }

  /// Such as `left 416.9 Hz`, by its own clock where it has one.
  package var rateText: String {
    "\(name) \(Plain.number(clock?.hertz ?? rate, per: 10)) Hz"
  }

  /// A line for all of them, at its end how far the difference of two sensors' times may be off, where each chip keeps its time:
  /// `left 416.9 Hz estimated, 0 lost · right 409.1 Hz estimated, 0 lost · apart at most 0.24 ms estimated`.
  static func line(_ members: [MemberStatus]) -> String? {
    guard !members.isEmpty else { return nil }
    var parts = members.map { member in
      let lost = member.lost.map { ", \($0) lost" } ?? ""
      return "\(member.rateText) \(member.clock == nil ? "claimed" : "estimated")\(lost)"
    }
    let widths = members.compactMap { $0.clock?.uncertainty }.sorted(by: >)
    if widths.count == members.count, widths.count > 1 {
      let apart = Plain.number((widths[0] + widths[1] + 9_999) / 10_000, per: 100)
      parts.append("apart at most \(apart) ms estimated")
    }
    return parts.joined(separator: " · ")
  }
}
