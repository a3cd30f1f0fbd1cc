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
  ///
  /// - Parameter preTrigger: Nanoseconds before an event.
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
