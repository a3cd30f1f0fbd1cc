// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel

/// A recording's samples as graphs need them, in bounded memory.
///
///     ticks     0 1 2 3 4 5 6 7 8 …            a bucket has one tick while there is room
///     buckets  │0 1│2 3│4 5│6 7│8 …            then 2, 4, 8 … ticks: their lowest and highest counts
///
/// Merging buckets loses no peak, only its time within the bucket. 2²⁰ buckets take at most 50 MB and hold 17 minutes at
/// 1 kHz, or 29 hours at 10 Hz, tick by tick.
struct Trace: Sendable {
  static let usualCapacity = 1 << 20
  /// Most gaps and most marks; later gaps still show as buckets without samples.
  private static let mostEvents = 10_000
  /// Times are limited to 36 years, so that sums of them cannot overflow.
  private static let mostTime = Int64.max / 8

  let rate: SampleRate
  /// Ticks in a bucket: a power of two.
  private(set) var stride: UInt64 = 1
  /// Runs of ticks without samples, in order.
  private(set) var gaps: [Gap] = []
  private(set) var marks: [Mark] = []
  private(set) var sampleCount: UInt64 = 0
  private(set) var tickCount: UInt64 = 0
  private(set) var buckets: [TraceBucket] = []

  /// The furthest that samples lie after and before the grid of their ticks, in nanoseconds.
  private var latest: Int64 = 0
  private var earliest: Int64 = 0
  /// One nanosecond after the last sample.
  private var end: Int64 = 0
  private let capacity: Int

  /// - Parameter capacity: Most buckets; at least 2.
  init(rate: SampleRate, capacity: Int = Trace.usualCapacity) {
    self.rate = rate
    self.capacity = max(2, capacity)
  }

  /// Nanoseconds from tick 0 to the end of the last tick's period, or to a sample after it.
  var duration: Int64 { max(rate.nanoseconds(atTick: tickCount), end) }

  // MARK: Filling

  /// Adds a sample. Ticks must rise; others are ignored.
  mutating func append(tick: UInt64, time: Int64, sample: RawSample) {
    guard tick >= tickCount || isFree(tick), tick < .max else { return }
    buckets[place(tick)].add(time: time, sample)
    note(time, tick)
    sampleCount += 1
    tickCount = max(tickCount, tick + 1)
  }

  mutating func append(_ gap: Gap) {
    if gaps.count < Trace.mostEvents { gaps.append(gap) }
    let (end, overflow) = gap.firstTick.addingReportingOverflow(gap.count)
    if !overflow { tickCount = max(tickCount, end) }
  }

  mutating func append(_ mark: Mark) {
    if marks.count < Trace.mostEvents { marks.append(mark) }
  }

  /// The times of an imported file may lie far from any grid.
  private mutating func note(_ time: Int64, _ tick: UInt64) {
    let time = max(-Trace.mostTime, min(time, Trace.mostTime))
    let grid = min(rate.nanoseconds(atTick: tick), Trace.mostTime)
    latest = max(latest, time - grid)
    earliest = max(earliest, grid - time)
    end = max(end, time + 1)
  }

  /// A gap may be reported before the samples that precede it.
  private func isFree(_ tick: UInt64) -> Bool {
    let index = tick / stride
    return index >= buckets.count || stride > 1 || buckets[Int(index)].isEmpty
  }

  /// The index of a tick's bucket; makes it if necessary, and merges buckets when there is no room.
  private mutating func place(_ tick: UInt64) -> Int {
    while tick / stride >= capacity { merge() }
    let index = Int(tick / stride)
    while buckets.count <= index { buckets.append(TraceBucket()) }
    return index
  }

  private mutating func merge() {
    for index in 0..<(buckets.count + 1) / 2 {
      var bucket = buckets[2 * index]
      if 2 * index + 1 < buckets.count { bucket.add(buckets[2 * index + 1]) }
      buckets[index] = bucket
    }
    buckets.removeLast(buckets.count / 2)
    stride *= 2
  }

  // MARK: Looking up

  /// The samples of one bucket.
  struct Reading: Equatable {
    /// The first one's recorded time, in nanoseconds from tick 0's deadline.
    var time: Int64
    var tick: UInt64
    /// Lowest counts; equal to `high` for one sample.
    var low: RawSample
    var high: RawSample
    var magnitudes: MagnitudeRange
  }

  /// The last sample at or before a time.
  func reading(at time: Int64) -> Reading? {
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

  /// The first sample after a time.
  func reading(after time: Int64) -> Reading? {
    let from = max(0, time)
    let start = Int(clamping: rate.tick(atNanoseconds: from - min(from, latest)) / stride)
    for index in min(start, buckets.count)..<buckets.count
    where !buckets[index].isEmpty && buckets[index].time > time { return reading(index) }
    return nil
  }

  /// The last sample before a time.
  func reading(before time: Int64) -> Reading? { time > .min ? reading(at: time - 1) : nil }

  private func reading(_ index: Int) -> Reading {
    let bucket = buckets[index]
    return Reading(
      time: bucket.time, tick: UInt64(index) * stride, low: RawSample(bucket.low),
      high: RawSample(bucket.high), magnitudes: bucket.magnitudes)
  }

  /// The gap that contains a time.
  func gap(at time: Int64) -> Gap? {
    let tick = rate.tick(atNanoseconds: Trace.sum(time, -drift(reading(at: time))))
    // Gaps are in order: only the last one that begins at or before the tick can contain it.
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

  func mark(after time: Int64) -> Mark? {
    marks.filter { $0.time > time }.min { $0.time < $1.time }
  }

  /// When a gap begins and ends.
  private func ends(of gap: Gap) -> (start: Int64, end: Int64) {
    let before = (gap.firstTick.subtractingReportingOverflow(1).partialValue) / stride
    let drift = drift(before < buckets.count ? reading(Int(before)) : nil)
    let (last, overflow) = gap.firstTick.addingReportingOverflow(gap.count)
    return (
      Trace.sum(rate.nanoseconds(atTick: gap.firstTick), drift),
      overflow ? .max : Trace.sum(rate.nanoseconds(atTick: last), drift)
    )
  }

  /// How far a sample lies after the grid: 0, except where the times of an import drift by whole periods.
  private func drift(_ reading: Reading?) -> Int64 {
    guard let reading, reading.time > .min else { return 0 }
    let late = Trace.sum(reading.time, -rate.nanoseconds(atTick: reading.tick))
    return late.magnitude < rate.nanoseconds(atTick: stride).magnitude ? 0 : late
  }

  /// The saturated sum.
  static func sum(_ time: Int64, _ more: Int64) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(more)
    return overflow ? (more < 0 ? .min : .max) : sum
  }

  // MARK: Drawing

  /// Adds the samples and gaps before `limit` to an envelope. Costs a division for each bucket in its span.
  func draw(into envelope: inout Envelope, before limit: Int64 = .max) {
    let end = min(envelope.end, limit)
    // Gaps first, so that the envelope knows where lines break.
    for gap in gaps {
      let (start, gapEnd) = ends(of: gap)
      guard start < end else { continue }
      let shown = start..<max(start, min(limit, gapEnd))
      if shown.upperBound > envelope.start, !shown.isEmpty { envelope.addGap(shown) }
    }
    for bucket in buckets[bucketRange(from: envelope.start, to: end)]
    where !bucket.isEmpty && bucket.time < end {
      envelope.add(bucket.time, RawSample(bucket.low), bucket.magnitudes)
      if stride > 1 { envelope.add(bucket.time, RawSample(bucket.high)) }
    }
  }

  /// The buckets whose samples may lie in a range of times.
  private func bucketRange(from: Int64, to: Int64) -> Range<Int> {
    let from = max(0, from)
    guard to > from else { return 0..<0 }
    let first = rate.tick(atNanoseconds: from - min(from, latest)) / stride
    let last = rate.tick(atNanoseconds: Trace.sum(to - 1, earliest)) / stride
    let low = Int(clamping: first)
    guard low < buckets.count else { return buckets.count..<buckets.count }
    return Range(low...min(Int(clamping: last), buckets.count - 1))
  }
}

/// Some ticks of a ``Trace``, in 48 bytes.
struct TraceBucket: Sendable {
  /// The first sample's time, in nanoseconds from tick 0's deadline; `Int64.min` without samples.
  private(set) var time = Int64.min
  /// The lengths of the samples' vectors; meaningless without samples.
  private(set) var magnitudes = MagnitudeRange(Magnitudes(RawSample()))
  /// The extreme counts of the channels of `ChannelSet`; lane 7 is not used.
  private(set) var low = SIMD8<Int16>(repeating: .max)
  private(set) var high = SIMD8<Int16>(repeating: .min)

  var isEmpty: Bool { time == .min }

  mutating func add(time: Int64, _ sample: RawSample) {
    let range = MagnitudeRange(Magnitudes(sample))
    if isEmpty { (self.time, magnitudes) = (time, range) } else { magnitudes.include(range) }
    let counts = SIMD8(
      sample.ax, sample.ay, sample.az, sample.gx, sample.gy, sample.gz, sample.temperature, 0)
    low = pointwiseMin(low, counts)
    high = pointwiseMax(high, counts)
  }

  mutating func add(_ other: TraceBucket) {
    guard !other.isEmpty else { return }
    if isEmpty {
      (time, magnitudes) = (other.time, other.magnitudes)
    } else {
      magnitudes.include(other.magnitudes)
    }
    low = pointwiseMin(low, other.low)
    high = pointwiseMax(high, other.high)
  }
}

extension RawSample {
  fileprivate init(_ lanes: SIMD8<Int16>) {
    self.init(
      ax: lanes[0], ay: lanes[1], az: lanes[2], gx: lanes[3], gy: lanes[4], gz: lanes[5],
      temperature: lanes[6])
  }
}
