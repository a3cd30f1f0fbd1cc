// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// The recordings that motion has begun, of all wakings of the sensor: for their limit, and for `status`.
///
/// The 24 hours are those of the monotonic clock, which does not step, and stands still while the machine is suspended; a
/// restart of the service counts anew.
package struct TriggerTally {
  private static var day: Int64 { 86_400_000_000_000 }

  /// Beginnings in the last 24 hours, at most as many as are allowed.
  private var begun: [MonotonicTime] = []
  /// The latest event, also of one that began no recording.
  package private(set) var last: MonotonicTime?
  /// Whether the limit was reported since it was reached.
  private var isReported = false

  package init() {}

  /// Beginnings in the 24 hours before `now`.
  package func count(at now: MonotonicTime) -> Int {
    begun.count { now - $0 < TriggerTally.day }
  }

  package mutating func noteEvent(at instant: MonotonicTime) { last = instant }

  package mutating func noteBeginning(at now: MonotonicTime) {
    begun.removeAll { now - $0 >= TriggerTally.day }
    begun.append(now)
    isReported = false
  }

  /// The recording that began last got no file or no sample, and is none.
  package mutating func takeBackBeginning() { _ = begun.popLast() }

  /// Whether this refusal is the first one since the limit was reached.
  package mutating func isNewlyFull() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}
