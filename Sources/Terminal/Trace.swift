public import IMUModel

/// The samples of a recording as graphs need them, in bounded memory.
///
///     ticks     0 1 2 3 4 5 6 7 8 …            one bucket a tick, as long as there is room
///     buckets  │0 1│2 3│4 5│6 7│8 …            then of 2, 4, 8 … ticks: the least and the greatest count of each
///
/// No peak is lost by putting ticks together, only when in the bucket it was. 2²⁰ buckets hold 17 minutes at 1 kHz, or
/// 29 hours at 10 Hz, tick by tick, in 34 MB at most.
public struct Trace: Sendable {
  /// Most buckets of a trace by default.
  public static let usualCapacity = 1 << 20
  /// Most gaps and most marks that are kept apart; gaps beyond them still show as buckets without samples.
  static let mostEvents = 10_000

  /// The grid of the ticks.
  public let rate: SampleRate
  /// Ticks that a bucket stands for: a power of two.
  public private(set) var stride: UInt64 = 1
  /// Runs of ticks without samples, in order.
  public private(set) var gaps: [Gap] = []
  /// Marks, in the order in which they came.
  public private(set) var marks: [Mark] = []
  /// Samples that were added.
  public private(set) var sampleCount: UInt64 = 0
  /// The tick after the last one that is known of.
  public private(set) var tickCount: UInt64 = 0

  /// Nanoseconds by which samples lie after the grid of their ticks, and before it, at most.
  private(set) var latest: Int64 = 0
  private(set) var earliest: Int64 = 0
  /// The last sample's end: its time and a nanosecond.
  private var end: Int64 = 0

  private let capacity: Int
  private(set) var buckets: [TraceBucket] = []

  /// A trace without samples.
  ///
  /// - Parameter capacity: Most buckets; at least 2.
  public init(rate: SampleRate, capacity: Int = Trace.usualCapacity) {
    self.rate = rate
    self.capacity = max(2, capacity)
  }

  /// Adds a sample. Ticks rise; one that does not is left out.
  public mutating func append(tick: UInt64, time: Int64, sample: RawSample) {
    guard tick >= tickCount || isFree(tick), tick < .max else { return }
    let index = place(tick)
    buckets[index].add(time: time, sample)
    note(time, tick)
    sampleCount += 1
    tickCount = max(tickCount, tick + 1)
  }

  /// Adds a run of ticks without samples.
  public mutating func append(_ gap: Gap) {
    if gaps.count < Trace.mostEvents { gaps.append(gap) }
    let (end, overflow) = gap.firstTick.addingReportingOverflow(gap.count)
    if !overflow { tickCount = max(tickCount, end) }
  }

  /// Adds a mark.
  public mutating func append(_ mark: Mark) {
    if marks.count < Trace.mostEvents { marks.append(mark) }
  }

  /// Forgets everything.
  public mutating func removeAll() {
    self = Trace(rate: rate, capacity: capacity)
  }

  /// Nanoseconds from tick 0 to the end of the last tick's period, or after a sample that lies later.
  public var duration: Int64 { max(rate.nanoseconds(atTick: tickCount), end) }

  /// Recorded times of a file from elsewhere may lie far from any grid.
  private mutating func note(_ time: Int64, _ tick: UInt64) {
    let time = max(-Trace.mostTime, min(time, Trace.mostTime))
    let grid = min(rate.nanoseconds(atTick: tick), Trace.mostTime)
    latest = max(latest, time - grid)
    earliest = max(earliest, grid - time)
    end = max(end, time + 1)
  }

  /// Nanoseconds beyond which no recording goes, 36 years, so that sums of times are numbers.
  private static let mostTime = Int64.max / 8

  /// A gap may be reported before the samples in front of it.
  private func isFree(_ tick: UInt64) -> Bool {
    let index = tick / stride
    return index >= buckets.count || stride > 1 || buckets[Int(index)].isEmpty
  }

  /// The bucket of a tick, made if it is not there, others being put together if there is no room.
  private mutating func place(_ tick: UInt64) -> Int {
    while tick / stride >= capacity { putTogether() }
    let index = Int(tick / stride)
    while buckets.count <= index { buckets.append(TraceBucket()) }
    return index
  }

  private mutating func putTogether() {
    for index in 0..<(buckets.count + 1) / 2 {
      var bucket = buckets[2 * index]
      if 2 * index + 1 < buckets.count { bucket.add(buckets[2 * index + 1]) }
      buckets[index] = bucket
    }
    buckets.removeLast(buckets.count / 2)
    stride *= 2
  }
}

/// Some ticks of a ``Trace``: for each channel the least and the greatest count.
struct TraceBucket: Sendable {
  /// The first sample's time, from tick 0's deadline; `Int64.min` while there is none.
  private(set) var time = Int64.min
  /// Channels as in `ChannelSet`, temperature included; lane 7 is not used.
  private(set) var low = SIMD8<Int16>(repeating: .max)
  private(set) var high = SIMD8<Int16>(repeating: .min)

  var isEmpty: Bool { time == .min }

  mutating func add(time: Int64, _ sample: RawSample) {
    if isEmpty { self.time = time }
    let counts = SIMD8(
      sample.ax, sample.ay, sample.az, sample.gx, sample.gy, sample.gz, sample.temperature, 0)
    low = pointwiseMin(low, counts)
    high = pointwiseMax(high, counts)
  }

  mutating func add(_ other: TraceBucket) {
    if isEmpty { time = other.time }
    low = pointwiseMin(low, other.low)
    high = pointwiseMax(high, other.high)
  }
}
