// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling

/// Checks that the records cover each of `ticks` ticks once and in order, that the tally says the same,
/// and that each sample was taken in its tick's period. Returns what is wrong, or `nil`.
func audit(
  _ records: [TickRecord], tally: TickTally, ticks: UInt64, schedule: Schedule, timeUnit: Int64
) -> String? {
  let rate = schedule.rate
  var counted = TickTally()
  var next: UInt64 = 0
  for record in records {
    switch record.kind {
    case .sample:
      guard record.tick == next else { return "sample \(record.tick) where \(next) was due" }
      let time = record.time
      guard time > rate.nanoseconds(atTick: next) - timeUnit,
        time < rate.nanoseconds(atTick: next + 1), time % timeUnit == 0
      else { return "sample \(next) at \(time)" }
      counted.sampled += 1
      next += 1
    case .gap:
      guard let gap = record.gap, gap.firstTick == next, gap.count > 0 else {
        return "gap \(record) where \(next) was due"
      }
      counted.add(gap.count, gap.cause)
      next += gap.count
    case .sensorEvent, .reading, .busClock, .field:
      guard record.tick + 1 == next || record.tick == next else {
        return "event \(record) where \(next) was due"
      }
    }
  }
  if next != ticks { return "\(next) ticks recorded of \(ticks)" }
  if counted != tally { return "records say \(counted), the tally \(tally)" }
  if tally.scheduled != ticks { return "tally \(tally) does not add up to \(ticks)" }
  return nil
}
