public import IMUModel

extension Trace {
  /// Samples that a place of a graph stands for.
  public struct Reading: Equatable, Sendable {
    /// Of the first of them: nanoseconds from tick 0's deadline, as recorded.
    public var time: Int64
    /// Its tick.
    public var tick: UInt64
    /// Least counts; of one sample, its counts.
    public var low: RawSample
    /// Greatest counts.
    public var high: RawSample
  }

  /// Buckets whose samples may lie in a range of times, as far as there are any.
  func bucketRange(from: Int64, to: Int64) -> Range<Int> {
    let from = max(0, from)
    guard to > from else { return 0..<0 }
    let first = rate.tick(atNanoseconds: from - min(from, latest)) / stride
    let last = rate.tick(atNanoseconds: Trace.sum(to - 1, earliest)) / stride
    let low = Int(clamping: first)
    guard low < buckets.count else { return buckets.count..<buckets.count }
    return low..<min(buckets.count, Int(clamping: last) + 1)
  }

  /// The last sample at or before a time; `nil` when there is none.
  public func reading(at time: Int64) -> Reading? {
    guard !buckets.isEmpty else { return nil }
    var index = min(
      Int(clamping: rate.tick(atNanoseconds: Trace.sum(max(0, time), earliest)) / stride),
      buckets.count - 1)
    while index >= 0 {
      if !buckets[index].isEmpty, buckets[index].time <= time { return reading(index) }
      index -= 1
    }
    return nil
  }

  /// The first sample after a time; `nil` when there is none.
  public func reading(after time: Int64) -> Reading? {
    let from = max(0, time)
    let start = Int(clamping: rate.tick(atNanoseconds: from - min(from, latest)) / stride)
    for index in min(start, buckets.count)..<buckets.count
    where !buckets[index].isEmpty && buckets[index].time > time { return reading(index) }
    return nil
  }

  /// The last sample before a time; `nil` when there is none.
  public func reading(before time: Int64) -> Reading? {
    time > .min ? reading(at: time - 1) : nil
  }

  /// The gap that a time lies in.
  public func gap(at time: Int64) -> Gap? {
    gap(atTick: rate.tick(atNanoseconds: Trace.sum(time, -drift(reading(at: time)))))
  }

  /// When a gap begins and ends.
  func ends(of gap: Gap) -> (start: Int64, end: Int64) {
    let before = (gap.firstTick.subtractingReportingOverflow(1).partialValue) / stride
    let drift = drift(before < buckets.count ? reading(Int(before)) : nil)
    let (last, overflow) = gap.firstTick.addingReportingOverflow(gap.count)
    return (
      Trace.sum(rate.nanoseconds(atTick: gap.firstTick), drift),
      overflow ? .max : Trace.sum(rate.nanoseconds(atTick: last), drift)
    )
  }

  /// By how much ticks lie after the grid, as a sample says: 0 but where the times of an import drift by whole periods.
  private func drift(_ reading: Reading?) -> Int64 {
    guard let reading, reading.time > .min else { return 0 }
    let late = Trace.sum(reading.time, -rate.nanoseconds(atTick: reading.tick))
    return late.magnitude < rate.nanoseconds(atTick: stride).magnitude ? 0 : late
  }

  private func gap(atTick tick: UInt64) -> Gap? {
    // Gaps are in order: the last one that begins at or before the tick is the only one that may hold it.
    var low = 0
    var high = gaps.count
    while low < high {
      let middle = (low + high) / 2
      if gaps[middle].firstTick <= tick { low = middle + 1 } else { high = middle }
    }
    guard low > 0, tick - gaps[low - 1].firstTick < gaps[low - 1].count else { return nil }
    return gaps[low - 1]
  }

  /// When the first gap after a time begins.
  func gapStart(after time: Int64) -> Int64? {
    gaps.lazy.map { ends(of: $0).start }.first { $0 > time }
  }

  /// The first mark after a time.
  func mark(after time: Int64) -> Mark? {
    marks.filter { $0.time > time }.min { $0.time < $1.time }
  }

  private static func sum(_ time: Int64, _ more: Int64) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(more)
    return overflow ? (more < 0 ? .min : .max) : sum
  }

  private func reading(_ index: Int) -> Reading {
    let bucket = buckets[index]
    return Reading(
      time: bucket.time, tick: UInt64(index) * stride, low: RawSample(bucket.low),
      high: RawSample(bucket.high))
  }
}

extension RawSample {
  init(_ lanes: SIMD8<Int16>) {
    self.init(
      ax: lanes[0], ay: lanes[1], az: lanes[2], gx: lanes[3], gy: lanes[4], gz: lanes[5],
      temperature: lanes[6])
  }
}
