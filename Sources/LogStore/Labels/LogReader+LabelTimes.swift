// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension LogReader where Storage: ~Copyable {
  /// When the recording begins and ends, for labels: from tick 0 to a period after its last sample or the end of its
  /// schedule, whichever is later. Of an import tick 0 is where the rate puts it before the first sample, and ticks after
  /// the last sample are where it puts them. No end while it is being written.
  public mutating func labelTimes(isLive: Bool) throws(LogError) -> (first: Int64, end: Int64?) {
    let period = description.rate.periodNanoseconds
    var first: Int64 = 0
    rewind()
    if description.isImported {
      while let item = try next() {
        guard case .samples = item, let time = block.times.first, let tick = block.ticks.first
        else {
          continue
        }
        first = time &- description.rate.nanoseconds(atTick: tick)
        break
      }
    }
    guard !isLive else { return (first, nil) }
    // The samples of the last page are enough; a damaged log is read to its end.
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
}
