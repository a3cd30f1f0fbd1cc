public import IMUModel

/// What reading a log through has found.
public struct LogVerification: Equatable, Sendable {
  /// Damaged parts that are kept one by one; of further ones only the number is known.
  public static let damageLimit = 100

  /// The header.
  public var description: RecordingDescription
  /// Bytes of the file, zeros made ahead included.
  public var byteCount: UInt64 = 0
  /// Pages from which something could be read.
  public var pageCount: UInt64 = 0
  /// What happened to the ticks, as counted from samples and gaps.
  public var counted = TickLedger()
  /// Runs of ticks without samples.
  public var gapCount: UInt64 = 0
  /// Marks of the user.
  public var markCount: UInt64 = 0
  /// Sensor events.
  public var sensorEventCount: UInt64 = 0
  /// The pair of clocks that a date rests on best.
  public var clock: ClockPair?
  /// Intact chunks of kinds that this program does not know.
  public var unknownChunkCount: UInt64 = 0
  /// The first ``damageLimit`` parts that cannot be read.
  public var damage: [Damage] = []
  /// All parts that cannot be read.
  public var damageCount: UInt64 = 0
  /// Ticks known to be lost in them.
  public var damagedTickCount: UInt64 = 0
  /// Whether that is all of them: after each part something was read that shows.
  public var isLossKnown = true
  /// Ticks that nothing accounts for, although all around them is intact: a fault of the program
  /// that wrote.
  public var unexplainedTickCount: UInt64 = 0
  /// How the recording ended; `nil` when its end is missing.
  public var end: RecordingEnd?

  /// Samples that were read.
  public var sampleCount: UInt64 { counted.sampled }

  /// Whether the recording ended and says how.
  public var isComplete: Bool { end != nil }

  /// Whether samples and gaps are exactly those that the recording's end says; `nil` without an
  /// end.
  public var isBalanced: Bool? { end.map { $0.ledger == counted } }

  /// Whether all that the recording says is there: it is complete, undamaged and balanced.
  public var isIntact: Bool {
    damageCount == 0 && unexplainedTickCount == 0 && isBalanced == true
  }
}

extension LogReader where Storage: ~Copyable {
  /// Reads the log through and says what was found. The reader is at the beginning afterwards.
  ///
  /// - Throws: ``LogError/storage(_:)`` only.
  public mutating func verify() throws(LogError) -> LogVerification {
    rewind()
    var report = LogVerification(description: description)
    report.byteCount = try byteCount()
    var page: UInt32?
    while let item = try next() {
      if isInPage, pageIndex != page {
        page = pageIndex
        report.pageCount += 1
      }
      report.add(item)
    }
    report.unknownChunkCount = unknownChunkCount
    report.unexplainedTickCount = unexplainedTickCount
    rewind()
    return report
  }
}

extension LogVerification {
  init(description: RecordingDescription) {
    self.description = description
    clock = nil
    end = nil
  }

  mutating func add(_ item: LogItem) {
    switch item {
    case .samples(let count): counted.sampled += UInt64(count)
    case .gap(let gap):
      counted.add(gap.count, gap.cause)
      gapCount += 1
    case .mark: markCount += 1
    case .sensor: sensorEventCount += 1
    case .clock(let pair): if pair.isBetter(than: clock) { clock = pair }
    case .end(let last): end = last
    case .damage(let part):
      damageCount += 1
      if part.ticksLost == nil { isLossKnown = false }
      damagedTickCount = damagedTickCount.addingSaturated(part.ticksLost ?? 0)
      if damage.count < LogVerification.damageLimit { damage.append(part) }
    }
  }
}
