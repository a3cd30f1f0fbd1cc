// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// The turns of a duty cycle, on the monotonic clock. That stands still while the machine is suspended, and so does the
/// cycle: the turn that was next is later by as long. A turn that passes unseen is left out.
package struct DutyCycle {
  /// Nanoseconds from the end of a recording to the next turn at least: time to make the recording durable, and to put the
  /// sensor to sleep and wake it.
  package static let shortestSleep: Int64 = 1_000_000_000

  /// Nanoseconds from one turn to the next.
  package let period: Int64
  package private(set) var due: MonotonicTime
  /// Whether the last turn was left out: of several in a row the journal has the first.
  var isLeftOut = false

  package init(period: Int64, from start: MonotonicTime) { (self.period, due) = (period, start) }

  /// Whether a turn is due, which is then the past.
  package mutating func takeTurn(at now: MonotonicTime) -> Bool {
    guard now >= due else { return false }
    due = due + ((now - due) / period + 1) * period
    return true
  }
}
