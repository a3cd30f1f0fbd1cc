// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// When motion begins a recording, and when that ends.
///
///     magnitude       ▁▁▁▁▁▁▁▁▁▁▁▂█▅▇▃▆▂▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
///     above threshold            ┌┐ │ │
///     recording          ├───────┼────┼──────────┤
///                   pre-trigger  │    │ post-trigger, then trigger-pause until another may begin
///                                event, up to its last sample above 0.7 × the threshold
package struct TriggerSetting: Equatable, Sendable {
  /// A limit on the acceleration without its constant part, in g.
  package struct Threshold: Equatable, Sendable {
    /// What is compared with the limit. The raw value is its name in the configuration.
    package enum Measure: String, Sendable {
      /// The magnitude of each sample.
      case peak
      /// The root of the mean square of the magnitude, over ``TriggerSetting/window``.
      case rms
    }

    package var measure: Measure
    package var limit: Double

    package init(_ measure: Measure, _ limit: Double) {
      (self.measure, self.limit) = (measure, limit)
    }

    /// Reads such as `peak 0.5g` or `rms 0.02g`.
    package init?(_ text: String) {
      let parts = text.split(separator: " ")
      guard parts.count == 2, let measure = Measure(rawValue: String(parts[0])),
        let limit = Digits.decimal(parts[1], unit: "g"), limit > 0
      else { return nil }
      self.init(measure, limit)
    }
  }

  /// `nil` when motion begins no recording.
  package var threshold: Threshold?
  package var cutOffHertz = 1.0
  /// Nanoseconds of ``Threshold/Measure/rms``, at most ``longestWindowTicks``.
  package var window: Int64 = 1_000_000_000
  /// Nanoseconds of a recording after an event's last sample, above 0.
  package var postTrigger: Int64 = 5_000_000_000
  /// Nanoseconds from the end of one event until another can begin.
  package var pause: Int64 = 0
  /// Recordings in 24 hours that motion begins.
  package var mostADay = 1000

  package init() {}

  static let longestWindowTicks: UInt64 = 600

  /// All but the limit a day, such as `peak 0.5 g above 1 Hz, 2 s before, 5 s after, 0 s pause`; `nil` without a threshold.
  func words(preTrigger: Int64) -> String? {
    guard let threshold else { return nil }
    let span = threshold.measure == .rms ? " over \(TriggerSetting.seconds(window))" : ""
    return "\(threshold.measure.rawValue) \(Plain.number(threshold.limit, per: 10_000)) g\(span) "
      + "above \(Plain.hertz(cutOffHertz)) Hz, \(TriggerSetting.seconds(preTrigger)) before, "
      + "\(TriggerSetting.seconds(postTrigger)) after, \(TriggerSetting.seconds(pause)) pause"
  }

  /// For the header of recordings: ``words(preTrigger:)``, and `1000 in 24 h at most`; empty without a threshold.
  func headerWords(preTrigger: Int64) -> String {
    words(preTrigger: preTrigger).map { "\($0), \(mostADay) in 24 h at most" } ?? ""
  }

  private static func seconds(_ nanoseconds: Int64) -> String {
    "\(Plain.number(nanoseconds, per: 1_000_000_000)) s"
  }
}

/// What `status` says of recordings that motion begins.
public struct TriggerStatus: Equatable, Sendable {
  let setting: TriggerSetting
  /// Nanoseconds before an event.
  private let preTrigger: Int64
  /// Whether motion would begin a recording now.
  public var isArmed: Bool
  /// Recordings that motion has begun in the last 24 hours, since the service was started.
  public var count: Int
  /// Nanoseconds since the last event; `nil` before the first one.
  public var sinceLast: Int64?

  /// `nil` for a setting without a threshold.
  package init?(
    _ setting: TriggerSetting, preTrigger: Int64, isArmed: Bool, count: Int, sinceLast: Int64?
  ) {
    guard setting.threshold != nil else { return nil }
    (self.setting, self.preTrigger) = (setting, preTrigger)
    (self.isArmed, self.count, self.sinceLast) = (isArmed, count, sinceLast)
  }

  /// For a person.
  package var text: String {
    (setting.words(preTrigger: preTrigger) ?? "") + (isArmed ? ", armed" : ", not armed")
      + ", \(count) of \(setting.mostADay) recordings in 24 h"
      + (sinceLast.map { ", last event \(RecorderStatus.seconds($0)) s ago, estimated" } ?? "")
  }

  /// Adds the members of its object.
  func add(to json: inout JSONWriter) {
    let threshold = setting.threshold
    json.member("measure", threshold?.measure.rawValue)
    json.member("threshold_g", number: threshold.map { Plain.number($0.limit, per: 10_000) })
    json.member("above_hz", number: Plain.hertz(setting.cutOffHertz))
    json.member(
      "window_s", number: threshold?.measure == .rms ? TriggerStatus.seconds(setting.window) : nil
    )
    json.member("preTrigger_s", number: TriggerStatus.seconds(preTrigger))
    json.member("postTrigger_s", number: TriggerStatus.seconds(setting.postTrigger))
    json.member("pause_s", number: TriggerStatus.seconds(setting.pause))
    json.member("armed", isArmed)
    json.member("last24h", count)
    json.member("most", setting.mostADay)
    json.member("sinceLast_s", number: sinceLast.map(RecorderStatus.seconds))
  }

  private static func seconds(_ nanoseconds: Int64) -> String {
    Plain.number(nanoseconds, per: 1_000_000_000)
  }
}

extension TriggerStatus {
  /// Reads an object; `nil` for null, and for one that lacks a member.
  init?(_ json: inout JSONReader) throws(JSONReader.Failure) {
    guard try json.enterObject() else { return nil }
    var (measure, limit, cutOff) = (nil as String?, nil as Double?, nil as Double?)
    var (isArmed, count, most, sinceLast) = (nil as Bool?, nil as Int?, nil as Int?, nil as Int64?)
    var spans: [String: Int64] = [:]
    while let key = try json.nextKey() {
      switch key {
      case "measure": measure = try json.string()
      case "threshold_g": limit = try json.double()
      case "above_hz": cutOff = try json.double()
      case "window_s": spans["window"] = try json.nanoseconds()
      case "preTrigger_s": spans["before"] = try json.nanoseconds()
      case "postTrigger_s": spans["after"] = try json.nanoseconds()
      case "pause_s": spans["pause"] = try json.nanoseconds()
      case "armed": isArmed = try json.bool()
      case "last24h": count = try json.integer()
      case "most": most = try json.integer()
      case "sinceLast_s": sinceLast = try json.integer().flatMap(RecorderStatus.nanoseconds)
      default: try json.skip()
      }
    }
    guard let measure = measure.flatMap(TriggerSetting.Threshold.Measure.init(rawValue:)),
      let limit, limit.magnitude < 1e6, let cutOff, cutOff.magnitude < 1e6, let isArmed, let count,
      let most, let before = spans["before"], let after = spans["after"], let pause = spans["pause"]
    else { return nil }
    var setting = TriggerSetting()
    setting.threshold = TriggerSetting.Threshold(measure, limit)
    (setting.cutOffHertz, setting.mostADay) = (cutOff, most)
    (setting.window, setting.postTrigger) = (spans["window"] ?? setting.window, after)
    setting.pause = pause
    self.init(
      setting, preTrigger: before, isArmed: isArmed, count: count, sinceLast: sinceLast)
  }
}

extension RecorderStatus {
  /// Whole seconds in nanoseconds; `nil` beyond 292 years.
  static func nanoseconds(_ seconds: Int64) -> Int64? {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : product
  }
}

extension JSONReader {
  /// Seconds as nanoseconds; `nil` for no number, and beyond 292 years.
  fileprivate mutating func nanoseconds() throws(Failure) -> Int64? {
    try double().flatMap { Int64(exactly: ($0 * 1e9).rounded()) }
  }
}
