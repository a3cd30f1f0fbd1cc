// SPDX-License-Identifier: Apache-2.0

import ChipClock
import IMUModel
import LogFormat

/// When the chip made the samples of a log, computed from the readings in it while the log is read.
///
///     scan ──► readings ──► ReadingEpochs ──► instants ──► RawClockMap ──► times, earliest, latest
///     (40 s ahead)             └──► TickMap ──► ticks, gaps
///
/// The log stays readable, whatever the readings are: a sample that they do not bound keeps its recorded time, as far as
/// times keep rising, and counts as unproved.
struct ChipTimes: ~Copyable {
  private var scan: ReadingScan
  private var isAtEnd = false
  private var epochs: ReadingEpochs
  private var map = RawClockMap()
  private var cursors = (
    earliest: RawClockMap.Cursor(), likely: RawClockMap.Cursor(), latest: RawClockMap.Cursor()
  )
  private let period: Int64
  private let hasTemperature: Bool
  /// Whether damage came after the last sample.
  private var isBroken = false
  /// The instants that were used last.
  private var current: ReadingEpochs.Place?
  private var last: (tick: Int64, time: Int64)?
  /// The earliest instant of the last sample that has one, on the raw clock.
  private var rawTime: Int64 = .min / 2
  private var account: ClockAccount
  /// By how many ticks the gaps of a cause grow.
  private var change: [GapCause: Int64] = [:]
  /// The ticks of findings, from the block on.
  private(set) var brackets: [ClosedRange<UInt64>] = []
  // Safe: both have room for a block.

  /// The earliest and the latest instant of each sample of the block.
  let earliest = OwnedMemory<Int64>(SampleBlock.capacity, repeating: .min)
  let latest = OwnedMemory<Int64>(SampleBlock.capacity, repeating: .max)

  /// Most readings that are read ahead: more than 40 s at any rate of drains.
  private static let aheadLimit = 1 << 16
  /// Most findings whose ticks are kept until the samples reach them.
  private static let bracketLimit = 1000
  /// Nanoseconds by which later samples' earliest instants may precede those of the last one.
  private static let slack: Int64 = 2_000_000_000

  /// Nanoseconds before a sample in which readings affect its instant: a knot looks back 20 s, and the clock's line is that
  /// of the first 20 s.
  static let scanned: Int64 = 45_000_000_000

  init(
    _ description: RecordingDescription, _ assumptions: ClockAssumptions, fromPage index: UInt32
  ) {
    scan = ReadingScan(description, fromPage: index)
    epochs = ReadingEpochs(nominalHertz: description.rate.hertz, assumptions)
    period = description.rate.periodNanoseconds
    hasTemperature = description.channels.contains(.temperature)
    account = ClockAccount(assumptions)
  }

  var found: ClockAccount {
    var account = account
    account.rate = epochs.rate
    (account.stampCount, account.leftOutCount) = (epochs.stampCount, UInt64(epochs.leftOutCount))
    return account
  }

  func tick(_ tick: UInt64) -> UInt64 { epochs.ticks.tick(tick) }

  /// Reads ahead until later readings cannot change the ticks before `end`.
  mutating func settle<Storage: LogStorage & ~Copyable>(
    before end: UInt64, _ storage: inout Storage
  ) throws(LogError) {
    while !epochs.isSettled(before: Int64(clamping: end)) {
      guard try readOn(&storage) else { return }
    }
  }

  /// Reads one more reading; `false` at the end, or while enough of them wait.
  private mutating func readOn<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage
  ) throws(LogError) -> Bool {
    guard !isAtEnd, map.waitingCount < ChipTimes.aheadLimit else { return false }
    if let reading = try scan.next(&storage) {
      if epochs.add(reading) {
        map.add(reading)
        account.readingCount += 1
      }
    } else {
      isAtEnd = true
      epochs.finish()
    }
    return true
  }
}

// MARK: - Samples

extension ChipTimes {
  /// Replaces the times and ticks of the samples in a block, and sets ``earliest`` and ``latest``.
  mutating func derive<Storage: LogStorage & ~Copyable>(
    _ block: inout SampleBlock, _ storage: inout Storage
  ) throws(LogError) {
    if !brackets.isEmpty, let first = block.ticks.first {
      let first = self.tick(first)
      brackets.removeAll { $0.upperBound < first }
    }
    if isBroken, let first = block.ticks.first { noteBreak(before: first) }
    var row = 0
    while row < block.count {
      let tick = Int64(clamping: block.ticks[row])
      var end = row
      if let current, current.ticks.contains(tick) { end = derive(&block, from: row, current) }
      if end == row {
        // Its instant is not known yet, or where it is.
        try settle(before: UInt64(tick) + 1, &storage)
        current = epochs.place(of: tick)
        if let current { end = derive(&block, from: row, current) }
      }
      if end == row {
        keep(&block, row)
        end += 1
      }
      row = end
    }
    takeFindings()
    if hasTemperature { account.add(temperatures: block.counts(ofChannel: 6)) }
    guard let current else { return }
    epochs.forget(before: current)
    if map.forget(before: rawTime - ChipTimes.slack) {
      cursors.earliest.reset()
      cursors.likely.reset()
      cursors.latest.reset()
    }
  }

  /// Notes damage, which may hide the readings of an epoch.
  mutating func noteDamage() { isBroken = true }

  private mutating func noteBreak(before tick: UInt64) {
    epochs.noteBreak(before: Int64(clamping: tick))
    (isBroken, current) = (false, nil)
  }

  /// Derives the samples of a place from a row on; returns the row after those that have instants.
  private mutating func derive(
    _ block: inout SampleBlock, from first: Int, _ place: ReadingEpochs.Place
  ) -> Int {
    let (ticks, times, count) = (block.mutableTicks, block.mutableTimes, block.count)
    let (earliest, latest) = (earliest.base, latest.base)
    let end = UInt64(place.ticks.upperBound)
    var time = last?.time ?? .min
    var row = first
    // Safe: the block's columns and those of the instants have room for `count`, and `row` is below it.
    while row < count, ticks[row] <= end {
      let tick = Int64(ticks[row])
      guard let instant = epochs.instant(of: tick, at: place) else { break }
      let early = cursors.earliest.map(instant.earliest, map) - RawClockMap.uncertainty
      let likely = cursors.likely.map(instant.likely, map)
      let late = cursors.latest.map(instant.latest, map) + RawClockMap.uncertainty
      time = RecordingTime.clamped(max(likely, time + 1))
      (times[row], earliest[row], latest[row]) = (time, min(early, time), max(late, time))
      ticks[row] = UInt64(tick + place.shift)
      // Nonsense may bound a sample by 2⁶² on both sides; the difference would overflow.
      account.add(late / 2 - early / 2)
      (last, rawTime) = ((tick, time), instant.earliest)
      row += 1
    }
    return row
  }

  /// Keeps the recorded time of an unproved sample, as far as it rises within what the rate allows.
  private mutating func keep(_ block: inout SampleBlock, _ row: Int) {
    let tick = block.ticks[row]
    let limit: Int64 = 1 << 60
    var time = min(max(block.times[row], -limit), limit)
    if let last {
      let ticks = Double(Int64(clamping: tick) - last.tick)
      let most = min(1e18, ticks * Double(period) * 2.5 + 1e9)
      time = RecordingTime.clamped(max(min(time, last.time + Int64(most)), last.time + 1))
    }
    block.mutableTimes[row] = time
    block.mutableTicks[row] = self.tick(tick)
    (earliest.base[row], latest.base[row]) = (.min, .max)
    account.unprovedCount += 1
    last = (Int64(clamping: tick), time)
  }

  private mutating func takeFindings() {
    let (findings, beginnings, rejected) = epochs.takeFindings()
    for (beginning, missing) in beginnings {
      account.add(
        ClockAccount.Epoch(
          cause: beginning.cause, tick: tick(UInt64(max(0, beginning.start))),
          times: times(beginning.instants), estimated: beginning.estimate, missing: missing))
    }
    for (finding, firstTick) in findings {
      add(finding.kind, firstTick, finding.slots, finding.instants)
    }
    for reading in rejected {
      add(
        .contradiction(0...0), reading.firstTick, reading.count...reading.count,
        reading.before...reading.before + Int64(reading.length))
    }
  }

  private mutating func add(
    _ kind: ClockAnomaly.Kind, _ firstTick: Int64, _ slots: ClosedRange<Int64>,
    _ instants: ClosedRange<Int64>
  ) {
    func tick(_ slot: Int64) -> UInt64 { self.tick(UInt64(max(0, firstTick + slot - 1))) }
    let (first, last) = (tick(slots.lowerBound), tick(slots.upperBound))
    let ticks = min(first, last)...max(first, last)
    if kind != .wrongCount, brackets.count < ChipTimes.bracketLimit { brackets.append(ticks) }
    account.add(ClockAccount.Finding(kind: kind, ticks: ticks, times: times(instants)))
  }

  private func times(_ instants: ClosedRange<Int64>) -> ClosedRange<Int64> {
    var cursor = RawClockMap.Cursor()
    let start = cursor.map(instants.lowerBound, map)
    let end = cursor.map(instants.upperBound, map)
    return min(start, end)...max(start, end)
  }
}

// MARK: - Gaps

extension ChipTimes {
  /// A gap with its ticks by the readings; `nil` when it has none.
  mutating func derive<Storage: LogStorage & ~Copyable>(
    _ gap: Gap, _ storage: inout Storage
  ) throws(LogError) -> Gap? {
    try settle(before: gap.firstTick + gap.count + 1, &storage)
    noteBreak(before: gap.firstTick + gap.count)
    let counted = epochs.ticks.gap(gap)
    change[gap.cause, default: 0] +=
      Int64(clamping: counted?.count ?? 0) - Int64(clamping: gap.count)
    return counted
  }

  /// Gaps for samples that the readings prove to be missing inside epochs, up to a recorded tick.
  mutating func lostGaps(through tick: UInt64) -> [Gap] {
    epochs.takeLost(through: Int64(clamping: tick)).compactMap { before, count in
      let end = self.tick(UInt64(max(0, before)))
      let count = min(UInt64(count), end)
      guard count > 0 else { return nil }
      change[.lost, default: 0] += Int64(clamping: count)
      return Gap(firstTick: end - count, count: count, cause: .lost)
    }
  }

  mutating func readToEnd<Storage: LogStorage & ~Copyable>(
    _ storage: inout Storage
  ) throws(LogError) {
    while try readOn(&storage) {}
    takeFindings()
  }

  /// The end with the gaps counted by the readings.
  func derive(_ end: RecordingEnd) -> RecordingEnd {
    var end = end
    for (cause, change) in change {
      let count = Int64(clamping: end.tally[cause])
      end.tally[cause] = UInt64(min(max(0, count &+ change), 1 << 60 - 1))
    }
    return end
  }
}
