public import IMUModel

/// What one column of an ``Envelope`` has seen.
public struct EnvelopeColumn: Sendable {
  /// Samples in the column; the other properties mean nothing when it is 0.
  public private(set) var sampleCount = 0
  /// Time of the column's first sample.
  public private(set) var firstTime: Int64 = 0
  /// Time of the column's last sample.
  public private(set) var lastTime: Int64 = 0
  /// Where the first and the last gap begin in the column; `nil` when none reaches it.
  private(set) var gapStarts: ClosedRange<Int64>?

  // Seven channels and a spare, so that a sample is two instructions.
  private var low = SIMD8<Int16>()
  private var high = SIMD8<Int16>()
  private var start = SIMD8<Int16>()
  private var end = SIMD8<Int16>()

  init() {}

  /// The lowest count of every channel.
  public var minimum: RawSample { RawSample(low) }
  /// The highest count of every channel.
  public var maximum: RawSample { RawSample(high) }
  /// The counts of the first sample.
  public var first: RawSample { RawSample(start) }
  /// The counts of the last sample.
  public var last: RawSample { RawSample(end) }
  /// Whether a gap, or a part of one, lies in the column.
  public var hasGap: Bool { gapStarts != nil }
  /// Whether nothing but a gap lies in the column.
  public var isGap: Bool { hasGap && sampleCount == 0 }

  mutating func add(_ time: Int64, _ sample: RawSample) {
    let counts = SIMD8(sample)
    if sampleCount == 0 {
      (low, high, start, firstTime) = (counts, counts, counts, time)
    } else {
      low.replace(with: counts, where: counts .< low)
      high.replace(with: counts, where: counts .> high)
    }
    end = counts
    lastTime = time
    sampleCount += 1
  }

  mutating func addGap(from start: Int64) {
    guard let starts = gapStarts else {
      gapStarts = start...start
      return
    }
    gapStarts = min(starts.lowerBound, start)...max(starts.upperBound, start)
  }
}

extension SIMD8<Int16> {
  fileprivate init(_ sample: RawSample) {
    self.init(
      sample.ax, sample.ay, sample.az, sample.gx, sample.gy, sample.gz, sample.temperature, 0)
  }
}

extension RawSample {
  fileprivate init(_ counts: SIMD8<Int16>) {
    self.init(
      ax: counts[0], ay: counts[1], az: counts[2], gx: counts[3], gy: counts[4], gz: counts[5],
      temperature: counts[6])
  }
}
