// SPDX-License-Identifier: Apache-2.0

import ChipClock
import IMUModel

/// The epochs of a log's readings: which tick is which slot of which epoch, and when it was made.
///
///     readings   epoch 3 ·····│ epoch 4 ········
///     timeline   0            │ 1
///     ticks      0 … 949      │ 990 … 8989
struct ReadingEpochs {
  /// A regime of ticks that an epoch of the timeline has.
  struct Span {
    /// Its number in the timeline.
    fileprivate var epoch: Int
    /// Its first recorded tick, and the tick after the last one of the epoch before.
    var start: Int64
    fileprivate var gap: Int64
    /// The tick of its slot 1.
    fileprivate var firstTick: Int64
    /// Why it began.
    var cause: EpochCause
    /// The instants of the readings around its beginning, on the raw clock.
    var instants: ClosedRange<Int64>
    /// The least and the greatest count of its readings.
    fileprivate var counts: ClosedRange<Int64>
    /// Whether the timeline knows how it follows from the one before.
    fileprivate var isPlaced = false

    /// Samples missing before it, as recorded.
    var estimate: Int64 { start - gap }
  }

  /// Where recorded ticks are.
  struct Place {
    var ticks: ClosedRange<Int64>
    /// A tick less its slot.
    var base: Int64
    var epoch: Int
    /// What is added to recorded ticks, so that samples that the readings show to be missing have ticks, too.
    var shift: Int64
  }

  private var timeline: ClockTimeline
  private var spans: [Span] = []
  private var epochCount = 0
  private var last: FIFOReading?
  private(set) var ticks = TickMap()
  /// New findings, and the tick of slot 1 of each one's epoch.
  private var findings: [(finding: ClockAnomaly, firstTick: Int64)] = []
  /// New epochs but the first, and the samples that the readings show to be missing before them.
  private var beginnings: [(Span, missing: ClosedRange<Int64>?)] = []
  /// New readings that cannot follow from those before.
  private var rejected: [FIFOReading] = []
  /// The first recorded tick after the last gap or damage, where an epoch without readings may have begun.
  private var lastBreak: Int64 = .min
  /// Samples missing inside epochs: how many, before which recorded tick.
  private var lost: [(before: Int64, count: Int64)] = []
  /// Nanoseconds.
  private let period: Double
  /// Readings of the chip's counter that stand beside those of the fill.
  private(set) var stampCount: UInt64 = 0
  private var hasGivenUp = false

  /// Findings after which no chip can have made the readings: hundreds of times those of any recording.
  private static let findingLimit = 1000
  /// Nanoseconds around an epoch's readings that they still date.
  private static let reach = 10e9
  /// The largest rise of a count that still widens that range: a count that is too great would date any slot.
  private static let greatestStep: Int64 = 1 << 20
  /// Spans kept for gaps that come after later samples.
  private static let spanLimit = 4096
  /// Greater ticks, which no recording has, are ignored, so that sums with them do not overflow.
  private static let tickLimit: Int64 = 1 << 60
  /// Most rejected readings, and most beginnings, that wait.
  private static let listLimit = 1000

  init(nominalHertz: Double, _ assumptions: ClockAssumptions) {
    period = 1e9 / min(max(nominalHertz, 0.1), 1e6)
    timeline = ClockTimeline(nominalPeriod: period, assumptions)
  }
}

// MARK: - Readings

extension ReadingEpochs {
  /// Adds a reading; whether it is used.
  mutating func add(_ reading: FIFOReading) -> Bool {
    guard let last else {
      guard !reading.isAside else { return false }
      begin(reading, gap: reading.firstTick, .start)
      return true
    }
    guard timeline.findingCount < ReadingEpochs.findingLimit else {
      giveUp(at: reading)
      return false
    }
    // The clock only goes forward, and so do ticks.
    let isNext = reading.epoch == last.epoch &+ 1
    let gap = isNext ? last.firstTick + reading.countBefore : reading.firstTick
    let isSame = reading.isOfEpoch(of: last)
    if reading.isAside {
      if isSame { add(aside: reading) }
      return false
    }
    guard reading.before >= last.before,
      isSame || (reading.firstTick >= gap && reading.firstTick > last.firstTick)
    else {
      if rejected.count < ReadingEpochs.listLimit { rejected.append(reading) }
      return false
    }
    if isSame { accept(reading) } else { begin(reading, gap: gap, isNext ? reading.cause : .start) }
    return true
  }

  private mutating func add(aside reading: FIFOReading) {
    guard let stamp = reading.stamp else {
      return timeline.add(edgeOf: reading.count, at: reading.before)
    }
    // A stamp leaves the FIFO with its slot, so the last reading counted that slot.
    guard let last, reading.count <= last.count else { return }
    stampCount += 1
    timeline.add(
      FillStamp(
        slot: reading.count, ticks: Int64(stamp.ticks), ticksPerSlot: Int64(stamp.ticksPerSlot),
        before: reading.before, after: reading.before + Int64(reading.length)))
  }

  mutating func finish() {
    guard !hasGivenUp else { return }
    timeline.finish()
    learn()
  }

  /// Uses no reading from this one on: so much is wrong that nothing is proved, and each search for a place takes time.
  private mutating func giveUp(at reading: FIFOReading) {
    guard !hasGivenUp else { return }
    rejected.append(reading)
    finish()
    hasGivenUp = true
  }

  private mutating func begin(_ reading: FIFOReading, gap: Int64, _ cause: EpochCause) {
    spans.append(
      Span(
        epoch: epochCount, start: reading.firstTick, gap: gap, firstTick: reading.firstTick,
        cause: cause, instants: (last ?? reading).before...reading.before,
        counts: reading.count...reading.count))
    epochCount += 1
    timeline.beginEpoch(
      cause, delivered: reading.countBefore, estimate: reading.firstTick - gap)
    accept(reading)
  }

  private mutating func accept(_ reading: FIFOReading) {
    last = reading
    let counts = spans[spans.count - 1].counts
    let (least, greatest) = (
      min(counts.lowerBound, reading.count), max(counts.upperBound, reading.count)
    )
    if greatest - least <= counts.upperBound - counts.lowerBound + ReadingEpochs.greatestStep {
      spans[spans.count - 1].counts = least...greatest
    }
    timeline.add(
      FillReading(
        count: reading.count, before: reading.before,
        after: reading.length == 0 ? nil : reading.before + Int64(reading.length)))
    learn()
  }

  /// Takes from the timeline how many samples are missing before and inside epochs.
  private mutating func learn() {
    var index = spans.count
    while index > 0, !spans[index - 1].isPlaced { index -= 1 }
    for index in index..<spans.count where spans[index].epoch < timeline.epochs.count {
      spans[index].isPlaced = true
      let missing = timeline.epochs[spans[index].epoch].missing
      let span = spans[index]
      if span.epoch > 0, beginnings.count < ReadingEpochs.listLimit {
        beginnings.append((span, missing))
      }
      guard let missing else { continue }
      let count = min(max(span.estimate, missing.lowerBound), missing.upperBound)
      ticks.insert(gap: span.gap, start: span.start, change: count - span.estimate)
    }
    guard !timeline.findings.isEmpty else { return }
    for finding in timeline.takeFindings() {
      guard let span = spans.last(where: { $0.epoch == finding.epoch }) else { continue }
      findings.append((finding, span.firstTick))
      if case .lost(let counts) = finding.kind {
        let before = span.firstTick + finding.slots.upperBound
        lost.append((before, counts.lowerBound))
        ticks.insert(gap: before, start: before, change: counts.lowerBound)
      }
    }
  }
}

extension FIFOReading {
  /// Whether this is used beside the readings of the fill, and nothing is found by it.
  fileprivate var isAside: Bool { isEdge || stamp != nil }
}

// MARK: - What readings show

extension ReadingEpochs {
  /// Notes a gap or damage before this tick: what follows is of the same epoch only if a later reading shows it. Breaks
  /// come in order.
  mutating func noteBreak(before tick: Int64) { lastBreak = tick }

  /// Whether later readings cannot change the ticks before `end`.
  func isSettled(before end: Int64) -> Bool {
    guard end <= ReadingEpochs.tickLimit, let first = spans.first else { return false }
    // An epoch without readings.
    if end <= first.start { return true }
    guard let span = span(of: end - 1), span.isPlaced else { return false }
    return timeline.isSettled(end - span.firstTick, in: span.epoch)
  }

  /// The place of a recorded tick and those after it; `nil` if no reading is near.
  func place(of tick: Int64) -> Place? {
    guard tick <= ReadingEpochs.tickLimit, let span = span(of: tick), span.isPlaced else {
      return nil
    }
    let (slot, reach) = (tick - span.firstTick + 1, Int64(ReadingEpochs.reach / period) + 1)
    guard slot >= span.counts.lowerBound - reach, slot <= span.counts.upperBound + reach else {
      return nil
    }
    let base = tick - slot
    let counted = base + span.counts.upperBound
    let isBroken = lastBreak > counted
    if isBroken, tick > counted { return nil }
    var end = isBroken ? counted : counted + reach
    if let next = spans.first(where: { $0.start > tick }) { end = min(end, next.start - 1) }
    let (shift, changed) = ticks.shift(at: tick)
    end = max(tick, min(end, changed - 1))
    return Place(ticks: tick...end, base: base, epoch: span.epoch, shift: shift)
  }

  /// When the sample of a recorded tick was made; `nil` where unproved. Ticks come in order.
  mutating func instant(of tick: Int64, at place: Place) -> SampleInstant? {
    timeline.instant(of: tick - place.base, in: place.epoch)
  }

  /// Forgets what ticks before those of a place need.
  mutating func forget(before place: Place) {
    guard spans.count > ReadingEpochs.spanLimit else { return }
    let kept = spans.firstIndex { $0.epoch >= place.epoch } ?? 0
    spans.removeFirst(max(0, kept - 1))
  }

  /// Takes what is new.
  mutating func takeFindings() -> (
    findings: [(finding: ClockAnomaly, firstTick: Int64)],
    beginnings: [(Span, missing: ClosedRange<Int64>?)], rejected: [FIFOReading]
  ) {
    defer { (findings, beginnings, rejected) = ([], [], []) }
    return (findings, beginnings, rejected)
  }

  /// Takes the samples lost up to a recorded tick.
  mutating func takeLost(through tick: Int64) -> [(before: Int64, count: Int64)] {
    guard let first = lost.first, first.before <= tick else { return [] }
    let taken = lost.prefix { $0.before <= tick }
    lost.removeFirst(taken.count)
    return Array(taken)
  }

  var rate: ClockRate { timeline.rate }

  /// See ``ClockTimeline/leftOutCount``.
  var leftOutCount: Int { timeline.leftOutCount }

  private func span(of tick: Int64) -> Span? {
    spans.last { $0.start <= tick }
  }
}
