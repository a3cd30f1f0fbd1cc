// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension LogReader where Storage: ~Copyable {
  /// When the recording begins and ends, for labels: from tick 0, or where the rate puts it before an import's first sample,
  /// to a period after the last sample or the end of the schedule, whichever is later; an import's rate gives the ticks
  /// after its last sample. No end while it is being written.
  public mutating func labelTimes(isLive: Bool) throws(LogError) -> (first: Int64, end: Int64?) {
    let period = description.rate.periodNanoseconds
    let first = try description.isImported ? firstTickTime() ?? 0 : 0
    guard !isLive else { return (first, nil) }
    var last: (tick: UInt64, time: Int64)?
    rewind()
    while let item = try next() {
      guard case .samples = item, let time = block.times.last, let tick = block.ticks.last else {
        continue
      }
      last = (tick, time)
    }
    let after = last.map { max(1, nextTick - min(nextTick, $0.tick)) } ?? 1
    let scheduled =
      description.isFreeRunning ? first : description.rate.nanoseconds(atTick: nextTick)
    let (end, overflow) = (last?.time ?? first).addingReportingOverflow(
      description.isFreeRunning ? description.rate.nanoseconds(atTick: after) : period)
    return (first, max(overflow ? .max : end, scheduled))
  }

  /// When tick 0 of an import was, in nanoseconds, by its first sample and the rate; `nil` without a sample.
  public mutating func firstTickTime() throws(LogError) -> Int64? {
    rewind()
    while let item = try next() {
      guard case .samples = item, let time = block.times.first, let tick = block.ticks.first else {
        continue
      }
      return time &- description.rate.nanoseconds(atTick: tick)
    }
    return nil
  }
}
