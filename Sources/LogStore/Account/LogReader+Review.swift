import IMUModel
import LogFormat

extension LogReader where Storage: ~Copyable {
  /// Reads the recording through and says how it came out. The reader is at the beginning afterwards.
  ///
  /// - Parameter isLive: Whether a program is writing it.
  /// - Throws: ``LogError/storage(_:)`` only.
  /// - Complexity: one pass over the log, in memory that does not grow with it.
  public mutating func review(isLive: Bool = false) throws(LogError) -> Review {
    rewind()
    var review = Review(description, isLive: isLive)
    var tally = Tally(description)
    while let item = try next() {
      switch item {
      case .samples: tally.add(block)
      case .gap(let gap): tally.add(gap)
      case .clock(let pair):
        if pair.isBetter(than: review.clock) { review.clock = pair }
        if pair.reason == .stepped || pair.reason == .becameSynchronised {
          review.clockChanges += 1
        }
      case .end(let end): review.end = end
      case .damage: review.damageCount += 1
      case .mark, .sensor: break
      }
    }
    review.tickCount = max(review.end?.ledger.scheduled ?? 0, nextTick)
    tally.finish(&review)
    rewind()
    return review
  }
}

/// What samples and gaps sum up to.
private struct Tally {
  private var meter: StillnessMeter
  private let channels: ChannelSet
  private let sensor: SensorDescription
  private var sampleCount: UInt64 = 0
  private var firstTime: Int64?
  private var lastTime: Int64 = 0
  private var clippedAccelerations: UInt64 = 0
  private var clippedRates: UInt64 = 0
  private var coldest: Int16 = .max
  private var hottest: Int16 = .min
  private var losses = GapCause.allCases.map { Review.Losses(cause: $0, runs: 0, ticks: 0) }
  private var longestGap: UInt64 = 0

  init(_ description: RecordingDescription) {
    meter = StillnessMeter(description)
    channels = description.channels
    sensor = description.sensor
  }

  mutating func add(_ block: borrowing SampleBlock) {
    for index in 0..<block.count {
      let (tick, time, sample) = block[index]
      meter.add(tick, time, sample)
      if Tally.isAtEnd(sample.ax) || Tally.isAtEnd(sample.ay) || Tally.isAtEnd(sample.az) {
        clippedAccelerations += 1
      }
      if Tally.isAtEnd(sample.gx) || Tally.isAtEnd(sample.gy) || Tally.isAtEnd(sample.gz) {
        clippedRates += 1
      }
      coldest = min(coldest, sample.temperature)
      hottest = max(hottest, sample.temperature)
      if firstTime == nil { firstTime = time }
      lastTime = time
    }
    sampleCount += UInt64(block.count)
  }

  mutating func add(_ gap: Gap) {
    for index in losses.indices where losses[index].cause == gap.cause {
      losses[index].runs += 1
      losses[index].ticks = losses[index].ticks.addingSaturated(gap.count)
    }
    longestGap = max(longestGap, gap.count)
  }

  mutating func finish(_ review: inout Review) {
    meter.finish()
    review.sampleCount = sampleCount
    review.losses = losses.filter { $0.runs > 0 }
    review.longestGap = longestGap
    review.clippedAccelerations = clippedAccelerations
    review.clippedRates = clippedRates
    review.stillness = meter.stillness
    review.accelerationAtRest = meter.accelerationAtRest
    if let firstTime, sampleCount > 1, lastTime > firstTime {
      review.achievedHertz =
        Double(sampleCount - 1) / (Double(lastTime) - Double(firstTime)) * 1e9
    }
    guard channels.contains(.temperature), sampleCount > 0 else { return }
    let ends = [coldest, hottest].map {
      Double($0) * sensor.temperatureScale.value + sensor.temperatureOffset.value
    }
    review.temperature = min(ends[0], ends[1])...max(ends[0], ends[1])
  }

  /// Chips that go beyond their range stay at the ends of their registers.
  private static func isAtEnd(_ count: Int16) -> Bool { count == .max || count == .min }
}
