// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Bounds a chip's own rate by its first and last reading within one epoch.
///
///     reading      u₀ ─── v₀                                   u₁ ─── v₁
///     slots           N₀                                          N₁
///     rate         more than (N₁ − N₀ − 1) / (v₁ − u₀), less than (N₁ − N₀ + 1) / (u₁ − v₀)
///
/// A count is the number of whole slots at an instant between u and v. The chip's rate must be even.
struct RateMeasurement {
  private var epoch: UInt32?
  private var first: (count: Int64, before: Int64, after: Int64) = (0, 0, 0)
  private var last: (count: Int64, before: Int64, after: Int64) = (0, 0, 0)
  /// Whether it is long enough, and does not change any more.
  private(set) var isWhole = false

  mutating func add(_ reading: FIFOReading) {
    guard !isWhole, reading.stamp == nil, !reading.isEdge, reading.length > 0 else { return }
    let now = (reading.count, reading.before, reading.before + Int64(reading.length))
    if reading.epoch != epoch { (epoch, first) = (reading.epoch, now) }
    last = now
    isWhole = last.before - first.after >= CertificateBounds.rateTime
  }

  /// In hertz; `nil` before it is whole.
  var hertz: ClosedRange<Double>? {
    let slots = last.count - first.count
    let shortest = Double(last.before - first.after) / 1e9
    let longest = Double(last.after - first.before) / 1e9
    guard isWhole, slots > 1, shortest > 0 else { return nil }
    return Double(slots - 1) / longest...Double(slots + 1) / shortest
  }
}
