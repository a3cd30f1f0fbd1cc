// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// The turns of a duty cycle. A turn that passes unseen, in a machine that was suspended, is left out.
package struct DutyCycle {
  /// Nanoseconds from one turn to the next.
  package let period: Int64
  package private(set) var due: MonotonicTime

  package init(period: Int64, from start: MonotonicTime) { (self.period, due) = (period, start) }

  /// Whether a turn is due, which is then the past.
  package mutating func takeTurn(at now: MonotonicTime) -> Bool {
    guard now >= due else { return false }
    due = due + ((now - due) / period + 1) * period
    return true
  }
}
