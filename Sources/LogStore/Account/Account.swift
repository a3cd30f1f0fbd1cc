// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import LogFormat

/// Sums over everything in a log, found in one pass in memory that does not grow with the log.
///
///     LogReader ──► items ──► Account ──► state (list, info), verdict (info, record), wholeness (verify, recover)
public struct Account: Equatable, Sendable {
  /// Gaps of one cause.
  public struct Losses: Equatable, Sendable {
    /// Why there are no samples.
    public let cause: GapCause
    /// Runs of ticks without samples.
    public let runs: UInt64
    /// Ticks without samples.
    public let ticks: UInt64
  }

  /// Most damaged parts that are kept; further ones are only counted.
  public static let damageLimit = 100

  /// The header.
  public let description: RecordingDescription
  /// Whether a program is still writing the log.
  public let isLive: Bool
  /// Bytes of the file, preallocated zeros included.
  public internal(set) var byteCount: UInt64 = 0
  /// Pages from which something could be read.
  public private(set) var pageCount: UInt64 = 0
  /// The outcome of the ticks, as counted from samples and gaps.
  public private(set) var counted = TickTally()
  /// Ticks of the longest gap; 0 without one.
  public private(set) var longestGap: UInt64 = 0
  /// Marks of the user.
  public private(set) var markCount: UInt64 = 0
  /// Readings of the fill of the chip's FIFO.
  public private(set) var readingCount: UInt64 = 0
  /// What the readings show; `nil` where the computer dates the samples.
  public private(set) var chipClock: ClockAccount?
  /// What the recorder found out about the sensor; `nil` in logs of earlier versions and of tables.
  public private(set) var certificate: SensorCertificate?
  /// The pair of clocks that dates the recording best.
  public private(set) var clock: ClockPair?
  /// How often the wall clock was stepped or became synchronised during the recording.
  public private(set) var clockChanges: UInt64 = 0
  /// Intact chunks of unknown kinds.
  public private(set) var unknownChunkCount: UInt64 = 0
  /// The first ``damageLimit`` parts that cannot be read.
  public private(set) var damage: [Damage] = []
  /// All parts that cannot be read.
  public private(set) var damageCount: UInt64 = 0
  /// Ticks known to be lost in them.
  public private(set) var damagedTickCount: UInt64 = 0
  /// Whether these are all of them: something readable follows each part.
  public private(set) var isLossKnown = true
  /// Ticks that nothing accounts for although everything around them is intact: a bug in the program that wrote the log.
  public private(set) var unexplainedTickCount: UInt64 = 0
  /// How the recording ended; `nil` without an end.
  public private(set) var end: RecordingEnd?
  /// The bus's clock as the drains showed it.
  public private(set) var busClock = BusClockAccount()
  /// What the magnetometer's values show.
  public private(set) var field = FieldAccount()
  /// What the samples themselves show; `nil` when the pass did not look at them.
  public internal(set) var motion: MotionAccount?
  /// The tick after the last one that was read.
  public private(set) var nextTick: UInt64 = 0
  private var lastTick: UInt64 = 0
  private var lastTime: Int64?
  private var runs = [UInt64](repeating: 0, count: GapCause.allCases.count)
  private var lastPage: UInt32?
  /// Each tick counts once, even where gaps of a malformed log overlap.
  private var order = GapOrder()

  package init(_ description: RecordingDescription, isLive: Bool = false, ofSamples: Bool = false) {
    self.description = description
    self.isLive = isLive
    motion = ofSamples ? MotionAccount(description) : nil
  }

  /// Adds an item that `reader` has just returned.
  package mutating func add<Storage: LogStorage & ~Copyable>(
    _ item: LogItem, from reader: borrowing LogReader<Storage>
  ) {
    if reader.isInPage, reader.pageIndex != lastPage {
      lastPage = reader.pageIndex
      pageCount += 1
    }
    nextTick = reader.nextTick
    switch item {
    case .samples(let count):
      counted.sampled += UInt64(count)
      var row = 0
      while row < reader.block.count {
        while let place = order.take(before: reader.block.ticks[row]) { add(place) }
        row = order.takeRun(row..<reader.block.count, of: reader.block)
      }
      lastTick = reader.block.ticks.last ?? lastTick
      lastTime = reader.block.times.last
      motion?.add(reader.block, clipped: reader.isCorrected ? reader.clipped : nil)
    case .gap(let gap):
      order.add(gap)
      while let place = order.overdue() { add(place) }
      runs[Int(gap.cause.rawValue) - 1] += 1
      longestGap = max(longestGap, gap.count)
    case .mark: markCount += 1
    case .sensor: break
    case .reading: readingCount += 1
    case .busClock(let reading): busClock.add(reading)
    case .field(let reading): field.add(reading)
    case .certificate(let certificate): self.certificate = certificate
    case .clock(let pair):
      if pair.isBetter(than: clock) { clock = pair }
      if pair.reason == .stepped || pair.reason == .becameSynchronised { clockChanges += 1 }
    case .end(let last): end = last
    case .damage(let part):
      damageCount += 1
      if part.ticksLost == nil { isLossKnown = false }
      damagedTickCount = damagedTickCount.addingSaturated(part.ticksLost ?? 0)
      if damage.count < Account.damageLimit { damage.append(part) }
    }
  }

  private mutating func add(_ place: GapOrder.Place) {
    guard place.isRecorded else { return }
    counted[place.gap.cause] = counted[place.gap.cause].addingSaturated(place.gap.count)
  }

  /// Adds what a reader knows after its last item.
  package mutating func finish<Storage: LogStorage & ~Copyable>(
    _ reader: borrowing LogReader<Storage>
  ) {
    nextTick = reader.nextTick
    for place in order.rest(upTo: nil) { add(place) }
    unknownChunkCount = reader.unknownChunkCount
    unexplainedTickCount = reader.unexplainedTickCount
    chipClock = reader.clockAccount
    motion?.finish()
  }

  /// Samples that were read.
  public var sampleCount: UInt64 { counted.sampled }

  /// Scheduled ticks, including those that cannot be read.
  public var tickCount: UInt64 { max(end?.tally.scheduled ?? 0, nextTick) }

  /// Nanoseconds from tick 0 to the end of the last tick's period, by the times of a chip's samples; `nil` on a grid.
  public var chipDuration: Int64? {
    guard description.clock != .grid, let lastTime else { return nil }
    let (rate, end) = (description.rate, max(tickCount, lastTick.addingSaturated(1)))
    let rest = rate.nanoseconds(atTick: end) - rate.nanoseconds(atTick: lastTick)
    let (time, overflow) = lastTime.addingReportingOverflow(rest)
    return overflow ? nil : max(0, time)
  }

  /// Scheduled ticks that are neither samples nor gaps in what can be read.
  public var lostTickCount: UInt64 { tickCount - min(counted.scheduled, tickCount) }

  /// Scheduled ticks by outcome; those that cannot be read are ``GapCause/lost``.
  public var tally: TickTally {
    var tally = counted
    tally.add(lostTickCount, .lost)
    return tally
  }

  /// Scheduled ticks without a sample that can be read.
  public var missingCount: UInt64 { tickCount > sampleCount ? tickCount - sampleCount : 0 }

  /// Runs of ticks without samples.
  public var gapCount: UInt64 { runs.reduce(0, +) }

  /// The gaps by cause, in the log format's order; causes without gaps are left out.
  public var losses: [Losses] {
    GapCause.allCases.compactMap { cause in
      let runs = runs[Int(cause.rawValue) - 1]
      return runs > 0 ? Losses(cause: cause, runs: runs, ticks: counted[cause]) : nil
    }
  }

  /// Whether the recording has its end.
  public var isComplete: Bool { end != nil }

  /// Whether samples and gaps are those that the recording's end states; `nil` without an end.
  public var isBalanced: Bool? { end.map { $0.tally == counted } }

  /// Whether the recording is complete, undamaged and balanced.
  public var isIntact: Bool {
    damageCount == 0 && unexplainedTickCount == 0 && isBalanced == true
  }
}

extension LogReader where Storage: ~Copyable {
  /// Reads the whole log once and goes back to its beginning.
  ///
  /// - Parameters:
  ///   - isLive: Whether a program is writing it, which the catalogue knows by the file's lock.
  ///   - ofSamples: Whether to look at every sample too, for ``Account/motion`` and ``Account/verdict``.
  /// - Throws: ``LogError/storage(_:)`` only.
  public mutating func account(
    isLive: Bool = false, ofSamples: Bool = false
  ) throws(LogError) -> Account {
    rewind()
    var account = Account(description, isLive: isLive, ofSamples: ofSamples)
    account.byteCount = try byteCount()
    while let item = try next() { account.add(item, from: self) }
    account.finish(self)
    rewind()
    return account
  }
}

/// The bus's clock in a recording, by the readings in its log: an estimate.
public struct BusClockAccount: Equatable, Sendable {
  /// Readings in the log.
  public private(set) var count: UInt64 = 0
  private var sum: UInt64 = 0
  /// Of the slowest second, in hertz; 0 without a reading.
  public private(set) var least: UInt32 = 0
  /// Of the fastest second, in hertz; 0 without a reading.
  public private(set) var most: UInt32 = 0

  mutating func add(_ reading: BusClockReading) {
    (count, sum) = (count + 1, sum.addingSaturated(UInt64(reading.hertz)))
    least = count == 1 ? reading.least : min(least, reading.least)
    most = max(most, reading.most)
  }

  /// The mean of the readings, in hertz; `nil` without one.
  public var hertz: UInt64? { count > 0 ? sum / count : nil }
}

/// The magnetometer's values in a log.
public struct FieldAccount: Equatable, Sendable {
  /// Values in the log.
  public private(set) var count: UInt64 = 0
  /// Those of a field beyond what the chip can measure.
  public private(set) var saturatedCount: UInt64 = 0
  /// Those before which at least one was not read.
  public private(set) var skippedCount: UInt64 = 0
  /// Squares of the magnitude in counts.
  private var squares: ClosedRange<Int64>?

  mutating func add(_ reading: FieldReading) {
    count += 1
    if reading.flags.contains(.skipped) { skippedCount += 1 }
    guard !reading.flags.contains(.saturated) else {
      saturatedCount += 1
      return
    }
    let (x, y, z) = (Int64(reading.x), Int64(reading.y), Int64(reading.z))
    let square = x * x + y * y + z * z
    let known = squares ?? square...square
    squares = min(known.lowerBound, square)...max(known.upperBound, square)
  }

  /// The least and the greatest magnitude in µT of values within the chip's range; `nil` without one.
  public func magnitudes(_ sensor: FieldDescription) -> ClosedRange<Double>? {
    squares.map {
      let (least, most) = (Double($0.lowerBound), Double($0.upperBound))
      return least.squareRoot() * sensor.scale.value...most.squareRoot() * sensor.scale.value
    }
  }
}
