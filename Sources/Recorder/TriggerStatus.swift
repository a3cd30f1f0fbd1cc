// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// What `status` says of recordings that motion begins.
public struct TriggerStatus: Equatable, Sendable {
  /// `peak` or `rms`.
  public var measure: String
  /// In g.
  public var threshold: Double
  /// Whether motion would begin a recording now.
  public var isArmed: Bool
  /// Recordings that motion has begun in the last 24 hours, since the service was started.
  public var count: Int
  /// How many they may be.
  public var most: Int
  /// Nanoseconds since the last event; `nil` before the first one.
  public var sinceLast: Int64?

  package init(
    measure: String, threshold: Double, isArmed: Bool, count: Int, most: Int, sinceLast: Int64?
  ) {
    (self.measure, self.threshold, self.isArmed) = (measure, threshold, isArmed)
    (self.count, self.most, self.sinceLast) = (count, most, sinceLast)
  }

  /// For a person.
  var text: String {
    "\(measure) \(Plain.number(threshold, per: 10_000)) g, " + (isArmed ? "armed" : "not armed")
      + ", \(count) of \(most) recordings in 24 h"
      + (sinceLast.map { ", last event \(RecorderStatus.seconds($0)) s ago" } ?? "")
  }

  func add(to json: inout JSONWriter) {
    json.object { json in
      json.member("measure", measure)
      json.member("threshold_g", number: Plain.number(threshold, per: 10_000))
      json.member("armed", isArmed)
      json.member("last24h", count)
      json.member("most", most)
      json.member("sinceLast_s", number: sinceLast.map(RecorderStatus.seconds))
    }
  }
}

extension TriggerStatus {
  /// Reads an object; `nil` for null, and for one that lacks a member.
  init?(_ json: inout JSONReader) throws(JSONReader.Failure) {
    guard try json.enterObject() else { return nil }
    var (measure, threshold, isArmed) = (nil as String?, nil as Double?, nil as Bool?)
    var (count, most, sinceLast) = (nil as Int?, nil as Int?, nil as Int64?)
    while let key = try json.nextKey() {
      switch key {
      case "measure": measure = try json.string()
      case "threshold_g": threshold = try json.double()
      case "armed": isArmed = try json.bool()
      case "last24h": count = try json.integer()
      case "most": most = try json.integer()
      case "sinceLast_s": sinceLast = try json.integer().flatMap(RecorderStatus.nanoseconds)
      default: try json.skip()
      }
    }
    guard let measure, let threshold, threshold.magnitude < 1e6, let isArmed, let count, let most
    else { return nil }
    self.init(
      measure: measure, threshold: threshold, isArmed: isArmed, count: count, most: most,
      sinceLast: sinceLast)
  }
}

extension RecorderStatus {
  /// Whole seconds in nanoseconds; `nil` beyond 292 years.
  static func nanoseconds(_ seconds: Int64) -> Int64? {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : product
  }
}
