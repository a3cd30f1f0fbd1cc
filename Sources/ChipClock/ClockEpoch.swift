// SPDX-License-Identifier: Apache-2.0

/// The chip's clock over an epoch: regimes whose readings agree, and what was found between them.
///
///     slots    ──────── A ────────┤ bracket ├──────── B ─────────
///     readings  ·  ·  ·  ·  ·  b             i  ·  ·  ·  ·  ·
///
/// The slots in the bracket belong to either clock: their interval holds both, and the likely instant passes from one to the
/// other. Readings are added in order, and slots asked for in order.
struct ClockEpoch {
  /// A regime, and the slots that are its own.
  private struct Piece {
    var regime: ClockRegime
    var first: Int64 = .min
    var last: Int64 = .max
    /// The instant of its last reading.
    var end: Int64 = 0
  }

  private let assumptions: ClockAssumptions
  private var pieces: [Piece]
  private var droppedPieces = 0
  private var dropped = ClockTotals()
  private var last: FillReading?
  /// What is found, in order; a break has no kind before both sides are known.
  private var waiting: [(finding: ClockAnomaly, break: Break?)] = []

  /// Why a regime ended, and the number of the piece after it.
  private struct Break {
    var piece: Int
    /// Nothing contradicts: there are no readings for too long, or too many.
    var isHole: Bool
  }

  /// The certain findings that were not taken, in order of their slots. A finding is here before its slots have instants.
  private(set) var findings: [ClockAnomaly] = []

  /// Most pieces that wait for their slots to be asked for: with a new one each reading, more than a minute.
  private static let pieceLimit = 4096
  /// A slot that no epoch reaches.
  private static var never: Int64 { 1 << 61 }
  /// The seconds, and the slots, without a reading that end a regime.
  private static let hole = (seconds: 40.0, slots: 1024.0)

  /// An epoch without readings.
  ///
  /// - Parameter period: Nanoseconds a slot, if the readings do not show it; `nil` for the nominal period.
  init(_ grid: SlotGrid, known period: Double? = nil, _ assumptions: ClockAssumptions) {
    self.assumptions = assumptions
    pieces = [Piece(regime: ClockRegime(grid, known: period, assumptions))]
  }

  /// From this slot on, which no reading has reached yet, slots are those of another epoch.
  mutating func renumber(at slot: Int64) { pieces[pieces.count - 1].regime.renumber(at: slot) }

  /// Adds a reading.
  mutating func add(_ reading: FillReading) {
    if let last, isHole(last, reading) {
      finishRegime()
      pieces[pieces.count - 1].last = last.count
      pieces[pieces.count - 1].end = last.before
      begin(with: reading, isHole: true)
    }
    last = reading
    process([reading])
    nameBreaks()
  }

  /// Adds a bound by an edge of the watermark or a stamp.
  mutating func add(aside bound: ClockBound) { pieces[pieces.count - 1].regime.add(aside: bound) }

  /// Ends the epoch: no reading follows.
  mutating func finish() {
    finishRegime()
    // Nothing confirms a last reading that contradicts: it may be a wrong one of the clock before.
    if isLastAlone { pieces[pieces.count - 1].first = ClockEpoch.never }
    nameBreaks()
  }

  /// Whether the last regime is one reading after a contradiction.
  private var isLastAlone: Bool {
    let number = droppedPieces + pieces.count - 1
    let regime = pieces[pieces.count - 1].regime
    // Its bounds are of two slots. A long regime with one reading at its end has forgotten those before.
    return regime.latestReadings.count == 1 && regime.periodCount <= 1
      && waiting.contains { $0.break.map { $0.piece == number && !$0.isHole } ?? false }
  }

  private func isHole(_ last: FillReading, _ next: FillReading) -> Bool {
    let period = pieces[0].regime.grid.period
    let slots = max(
      Double(abs(next.count - last.count)), Double(next.before - last.before) / period)
    return slots > max(ClockEpoch.hole.slots, ClockEpoch.hole.seconds * 1e9 / period)
      || pieces[pieces.count - 1].regime.isFull
  }

  private mutating func process(_ readings: [FillReading]) {
    var waiting = readings[...]
    while let next = waiting.popFirst() {
      do throws(ClockContradiction) {
        try pieces[pieces.count - 1].regime.add(next)
      } catch {
        waiting = (separate(error) + waiting)[...]
      }
    }
  }

  private mutating func finishRegime() {
    while true {
      do throws(ClockContradiction) {
        return try pieces[pieces.count - 1].regime.finish()
      } catch {
        process(separate(error))
      }
    }
  }

  /// Leaves the wrong reading out, or ends the last regime at a break.
  ///
  /// - Returns: The readings that begin the next regime.
  private mutating func separate(_ contradiction: ClockContradiction) -> [FillReading] {
    var contradiction = contradiction
    var rest: [FillReading] = []
    // Each turn leaves out a reading at least.
    while true {
      let index = pieces.count - 1
      let recent = pieces[index].regime.recent
      let kept: [FillReading]
      switch pieces[index].regime.search(contradiction) {
      case .wrong(let wrong):
        kept = recent.enumerated().filter { $0.offset != wrong }.map(\.element)
        waiting.append((.wrongCount(recent[wrong]), nil))
      case .between(let last, let first):
        kept = Array(recent[...last])
        rest = Array(recent[first...]) + rest
        let start = recent[max(last - 1, 0)].count
        pieces[index].last = min(pieces[index].last, start)
        pieces[index].end = recent[last].before
        pieces[index].regime.dropAsides(after: start)
      }
      do throws(ClockContradiction) {
        try pieces[index].regime.replaceRecent(kept)
        guard let next = rest.first else { return [] }
        try pieces[index].regime.finish()
        begin(with: next, isHole: false)
        return rest
      } catch {
        contradiction = error
      }
    }
  }

  /// Begins another regime after the last one.
  private mutating func begin(with reading: FillReading, isHole: Bool) {
    // A count that is far too great would stay beyond all that follow.
    while let last = pieces.last, pieces.count > 1, last.first > reading.count,
      let wrong = last.regime.latestReadings.first, last.regime.latestReadings.count <= 2
    {
      pieces.removeLast()
      let number = droppedPieces + pieces.count
      waiting.removeAll { $0.break?.piece == number }
      waiting.append((.wrongCount(wrong), nil))
    }
    if pieces.count > ClockEpoch.pieceLimit {
      dropPieces(ClockEpoch.pieceLimit / 2)
    }
    let before = pieces[pieces.count - 1]
    let start = min(before.last + 1, reading.count)
    let finding = ClockAnomaly(
      kind: .contradiction(0...0), slots: start...reading.count,
      instants: min(before.end, reading.before)...max(reading.before, reading.after ?? .min))
    waiting.append((finding, Break(piece: droppedPieces + pieces.count, isHole: isHole)))
    let regime = ClockRegime(
      before.regime.grid, known: before.regime.line?.period ?? before.regime.grid.period,
      assumptions)
    pieces.append(Piece(regime: regime, first: max(reading.count, before.last) + 1))
  }
}

extension ClockAnomaly {
  fileprivate static func wrongCount(_ reading: FillReading) -> ClockAnomaly {
    ClockAnomaly(
      kind: .wrongCount, slots: reading.count...reading.count,
      instants: reading.before...max(reading.before, reading.after ?? reading.before))
  }
}

// MARK: - Instants

extension ClockEpoch {
  enum Known {
    /// The clock there and near it.
    case segment(ClockSegment)
    case instant(SampleInstant)
  }

  /// What is known of a slot; `nil` while readings after it are missing.
  mutating func known(of slot: Int64) -> Known? {
    while pieces.count > 1, slot >= pieces[1].first, !isUnnamed(droppedPieces + 1) {
      dropPieces(1)
    }
    pieces[0].regime.forget(before: slot)
    let regime = pieces[0].regime
    guard slot > pieces[0].last, pieces.count > 1 else {
      if var segment = regime.segment(of: slot) {
        let start = max(segment.slots.lowerBound, pieces[0].first)
        let end = min(segment.slots.upperBound, pieces[0].last)
        segment.slots = start..<max(start, end)
        return .segment(segment)
      }
      return regime.instant(of: slot).map { .instant($0) }
    }
    // Of either clock, until it is known what came between.
    guard !isUnnamed(droppedPieces + 1), let left = regime.instant(of: slot),
      let right = pieces[1].regime.instant(of: slot)
    else { return nil }
    let part = Double(slot - pieces[0].last) / Double(pieces[1].first - pieces[0].last)
    let way = (Double(right.likely) - Double(left.likely)) * part
    return .instant(
      SampleInstant(
        earliest: min(left.earliest, right.earliest),
        likely: Int64((Double(left.likely) + way).rounded()),
        latest: max(left.latest, right.latest)))
  }

  /// Whether later readings cannot change the instant of a slot, nor the findings up to it.
  func isSettled(_ slot: Int64) -> Bool {
    let index = pieces.lastIndex { slot >= $0.first } ?? 0
    guard isSettled(slot, index) else { return false }
    // Between two pieces it depends on both.
    let isBetween = slot > pieces[index].last && index + 1 < pieces.count
    return !isBetween || isSettled(slot, index + 1)
  }

  private func isSettled(_ slot: Int64, _ index: Int) -> Bool {
    let regime = pieces[index].regime
    return !isUnnamed(droppedPieces + index)
      && (regime.isFinished || regime.settledSlot.map { slot < $0 } ?? false)
  }

  /// The totals of its regimes so far.
  var totals: ClockTotals { pieces.reduce(into: dropped) { $0.add($1.regime) } }

  private mutating func dropPieces(_ count: Int) {
    for piece in pieces[..<count] { dropped.add(piece.regime) }
    pieces.removeFirst(count)
    droppedPieces += count
  }

  private func isUnnamed(_ piece: Int) -> Bool {
    waiting.first { $0.break != nil }?.break.map { $0.piece <= piece } ?? false
  }

  /// The last readings of its last regime, as far as a knot looks.
  var tail: [FillReading] {
    let regime = pieces[pieces.count - 1].regime
    guard let end = regime.latestReadings.last?.before else { return [] }
    let reach = ClockRegime.reach(regime.grid, assumptions.nominalDrift)
    return regime.latestReadings.filter { $0.before >= end - Int64(reach * 1e9) }
  }

  /// Nanoseconds a slot, by the last regime's line; `nil` before there is one.
  var period: Double? { pieces[pieces.count - 1].regime.line?.period }
}

// MARK: - Findings

extension ClockEpoch {
  mutating func takeFindings() -> [ClockAnomaly] {
    defer { findings = [] }
    return findings
  }

  /// Names the breaks whose both sides are known.
  private mutating func nameBreaks() {
    var certain = 0
    for (finding, place) in waiting {
      guard let place else {
        findings.append(finding)
        certain += 1
        continue
      }
      guard let kind = kind(of: finding, place.piece - droppedPieces) else { break }
      certain += 1
      if case .contradiction(let range) = kind, range.contains(0) {
        // Both sides agree: there was nothing, or a wrong reading, which was left out later.
        if place.isHole
          || range == 0...0
            && (waiting.map(\.finding) + findings).contains(where: {
              $0.kind == .wrongCount && finding.instants.contains($0.instants.lowerBound)
            })
        {
          continue
        }
      }
      findings.append(ClockAnomaly(kind: kind, slots: finding.slots, instants: finding.instants))
    }
    waiting.removeFirst(certain)
  }

  /// The kind of a break before a piece; `nil` while unknown.
  private func kind(of finding: ClockAnomaly, _ index: Int) -> ClockAnomaly.Kind? {
    guard index > 0, index < pieces.count, pieces[index].first < ClockEpoch.never else {
      return finding.kind
    }
    let (slots, left, right) = (finding.slots, pieces[index - 1].regime, pieces[index].regime)
    let middle = slots.lowerBound + (slots.upperBound - slots.lowerBound) / 2
    guard let before = left.instant(of: middle) else { return finding.kind }
    guard let after = right.instant(of: middle) else {
      return right.isFinished ? finding.kind : nil
    }
    return ClockEpoch.kind(
      left.lastPeriods, before, right.firstPeriods, after, drift: assumptions.drift, slots)
  }

  /// Why a slot's instant on the clock after a break differs from that on the clock before it.
  private static func kind(
    _ before: ClosedRange<Double>?, _ left: SampleInstant, _ after: ClosedRange<Double>?,
    _ right: SampleInstant, drift: Double, _ slots: ClosedRange<Int64>
  ) -> ClockAnomaly.Kind {
    guard let before, let after else { return .contradiction(0...0) }
    let middle = (before.lowerBound + before.upperBound) / 2
    let other = (after.lowerBound + after.upperBound) / 2
    // The rate may drift across the bracket.
    let seconds = Double(slots.upperBound - slots.lowerBound + 1) * middle * 1e-9
    let slack = drift * seconds * 1e-6 * middle
    if before.upperBound + slack < after.lowerBound || after.upperBound + slack < before.lowerBound
    {
      return .rateChanged((middle / other - 1) * 1e6)
    }
    let longest = max(before.upperBound, after.upperBound)
    let shortest = min(before.lowerBound, after.lowerBound)
    let least = Double(right.earliest) - Double(left.latest)
    let most = Double(right.latest) - Double(left.earliest)
    func number(_ difference: Double, _ period: Double, _ rule: FloatingPointRoundingRule) -> Int64
    {
      Int64((difference / period).rounded(rule).clamped(to: 0x1p60))
    }
    let fewest = number(least, least < 0 ? shortest : longest, .up)
    let greatest = number(most, most < 0 ? longest : shortest, .down)
    guard fewest <= greatest else { return .contradiction(greatest...fewest) }
    if fewest > 0 { return .lost(fewest...greatest) }
    if greatest < 0 { return .doubled(-greatest...(-fewest)) }
    return .contradiction(fewest...greatest)
  }
}

extension Double {
  fileprivate func clamped(to limit: Double) -> Double {
    self < -limit ? -limit : self < limit ? self : limit
  }
}
