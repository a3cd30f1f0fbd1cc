// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension LogReader where Storage: ~Copyable {
  /// When the recording begins and ends, for labels: from tick 0's deadline, or an import's first sample, to a period
  /// after its last sample or the end of its schedule, whichever is later. No end while it is being written.
  public mutating func labelTimes(isLive: Bool) throws(LogError) -> (first: Int64, end: Int64?) {
    let period = description.rate.periodNanoseconds
    var first: Int64 = 0
    rewind()
    if description.isImported {
      while let item = try next() {
        guard case .samples = item, let time = block.times.first else { continue }
        first = time
        break
      }
    }
    guard !isLive else { return (first, nil) }
    // The samples of the last page are enough; a damaged log is read to its end.
    var last: Int64?
    rewind()
    while let item = try next() {
      if case .samples = item { last = block.times.last ?? last }
    }
    let scheduled =
      description.isFreeRunning || description.isImported
      ? first : description.rate.nanoseconds(atTick: nextTick)
    let (end, overflow) = (last ?? first).addingReportingOverflow(period)
    return (first, max(overflow ? .max : end, scheduled))
  }
}
