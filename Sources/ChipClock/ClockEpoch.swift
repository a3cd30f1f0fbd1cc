/// The chip's clock over an epoch: stretches whose readings agree, and what was found between them.
///
///     slots    ──────── A ────────┤ bracket ├──────── B ─────────
///     readings  ·  ·  ·  ·  ·  b             i  ·  ·  ·  ·  ·
///
/// The slots in the bracket are of either clock: their interval holds both, and the likely instant passes from one to the
/// other. Readings are added in order, and slots asked for in order.
public struct ClockEpoch {
  /// A stretch, and the slots that are its own.
  private struct Piece {
    var stretch: ClockStretch
    var first: Int64 = .min
    var last: Int64 = .max
    /// The instant of its last reading.
    var end: Int64 = 0
  }

  private let assumptions: ClockAssumptions
  private let nominalPeriod: Double
  private var pieces: [Piece]
  private var isFinished = false
  /// Breaks whose kind is not known yet: the position in ``findings``, and the pieces around it by their number.
  private var unnamed: [(finding: Int, piece: Int)] = []
  private var droppedPieces = 0

  /// In order of their slots. The last one may still change until the epoch is finished.
  public private(set) var findings: [ClockFinding] = []

  /// An epoch without readings.
  ///
  /// - Parameters:
  ///   - nominalPeriod: Nanoseconds a slot, if the readings do not show it.
  ///   - assumptions: See ``ClockAssumptions/refuted(by:)``.
  public init(nominalPeriod: Double, _ assumptions: ClockAssumptions) {
    (self.nominalPeriod, self.assumptions) = (nominalPeriod, assumptions)
    pieces = [Piece(stretch: ClockStretch(nominalPeriod: nominalPeriod, assumptions))]
  }

  /// Adds a reading.
  public mutating func add(_ reading: ClockReading) {
    var waiting = [reading][...]
    while let next = waiting.popFirst() {
      do throws(ClockContradiction) {
        try pieces[pieces.count - 1].stretch.add(next)
      } catch {
        waiting = (separate(error) + waiting)[...]
      }
    }
    nameBreaks()
  }

  /// Ends the epoch: no reading follows.
  public mutating func finish() {
    while true {
      do throws(ClockContradiction) {
        try pieces[pieces.count - 1].stretch.finish()
        break
      } catch {
        for reading in separate(error) { add(reading) }
      }
    }
    isFinished = true
    nameBreaks()
  }

  /// Leaves the wrong reading out, or ends the last stretch at a break.
  ///
  /// - Returns: The readings that begin the next stretch.
  private mutating func separate(_ contradiction: ClockContradiction) -> [ClockReading] {
    var contradiction = contradiction
    var rest: [ClockReading] = []
    // Each turn leaves out a reading at least.
    while true {
      let index = pieces.count - 1
      let recent = pieces[index].stretch.recent
      let kept: [ClockReading]
      switch pieces[index].stretch.search(contradiction) {
      case .wrong(let wrong):
        kept = recent.enumerated().filter { $0.offset != wrong }.map(\.element)
        let reading = recent[wrong]
        findings.append(
          ClockFinding(
            kind: .wrongCount, slots: reading.count...reading.count,
            instants: reading.before...max(reading.before, reading.after ?? reading.before)))
      case .between(let last, let first):
        kept = Array(recent[...last])
        rest = Array(recent[first...]) + rest
        let start = recent[max(last - 1, 0)].count
        pieces[index].last = min(pieces[index].last, start)
        pieces[index].end = recent[last].before
      }
      do throws(ClockContradiction) {
        try pieces[index].stretch.replaceRecent(kept)
        guard let next = rest.first else { return [] }
        try pieces[index].stretch.finish()
        begin(with: next)
        return rest
      } catch {
        contradiction = error
      }
    }
  }

  /// Begins another stretch after the last one.
  private mutating func begin(with reading: ClockReading) {
    let before = pieces[pieces.count - 1]
    findings.append(
      ClockFinding(
        kind: .contradiction(0...0), slots: min(before.last + 1, reading.count)...reading.count,
        instants: min(before.end, reading.before)...reading.before))
    unnamed.append((findings.count - 1, droppedPieces + pieces.count))
    let period = before.stretch.linePeriod ?? nominalPeriod
    pieces.append(
      Piece(stretch: ClockStretch(nominalPeriod: period, assumptions), first: reading.count + 1))
  }
}

// MARK: - Instants

extension ClockEpoch {
  /// When a slot was whole; `nil` while readings after it are missing.
  public mutating func instant(of slot: Int64) -> SampleInstant? {
    while pieces.count > 1, slot >= pieces[1].first, unnamed.first?.piece != droppedPieces + 1 {
      pieces.removeFirst()
      droppedPieces += 1
    }
    pieces[0].stretch.forget(before: slot)
    guard slot > pieces[0].last, pieces.count > 1 else {
      return pieces[0].stretch.instant(of: slot)
    }
    guard let left = pieces[0].stretch.instant(of: slot),
      let right = pieces[1].stretch.instant(of: slot)
    else { return nil }
    if slot >= pieces[1].first { return right }
    let length = Double(pieces[1].first - pieces[0].last)
    let part = Double(slot - pieces[0].last) / length
    let likely = left.likely + Int64((Double(right.likely - left.likely) * part).rounded())
    return SampleInstant(
      earliest: min(left.earliest, right.earliest), likely: likely,
      latest: max(left.latest, right.latest))
  }
}

extension ClockEpoch {
  /// The last readings of its last stretch, as far as a knot looks.
  var tail: [ClockReading] {
    let readings = pieces[pieces.count - 1].stretch.latestReadings
    guard let end = readings.last?.before else { return [] }
    let reach = min(20, (2 * max(400, nominalPeriod / 1000) / assumptions.drift).squareRoot())
    return readings.filter { $0.before >= end - Int64(reach * 1e9) }
  }

  /// Nanoseconds a slot, by the last stretch's line; `nil` before there is one.
  var period: Double? { pieces[pieces.count - 1].stretch.linePeriod }
}

// MARK: - Findings

extension ClockEpoch {
  /// Names the breaks whose both sides are known.
  private mutating func nameBreaks() {
    while let (finding, piece) = unnamed.first {
      let index = piece - droppedPieces
      guard index > 0, index < pieces.count else {
        unnamed.removeFirst()
        continue
      }
      let slots = findings[finding].slots
      let middle = slots.lowerBound + (slots.upperBound - slots.lowerBound) / 2
      guard let left = pieces[index - 1].stretch.instant(of: middle),
        let right = pieces[index].stretch.instant(of: middle)
      else {
        guard isFinished else { return }
        unnamed.removeFirst()
        continue
      }
      findings[finding].kind = ClockEpoch.kind(
        pieces[index - 1].stretch.lastPeriods, left, pieces[index].stretch.firstPeriods, right,
        drift: assumptions.drift, slots)
      unnamed.removeFirst()
    }
  }

  /// What makes one slot's instant on the clock after a break differ from that on the clock before it.
  private static func kind(
    _ before: ClosedRange<Double>?, _ left: SampleInstant, _ after: ClosedRange<Double>?,
    _ right: SampleInstant, drift: Double, _ slots: ClosedRange<Int64>
  ) -> ClockFinding.Kind {
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
    let least = Double(right.earliest - left.latest)
    let most = Double(right.latest - left.earliest)
    let fewest = Int64((least / (least < 0 ? shortest : longest)).rounded(.up))
    let greatest = Int64((most / (most < 0 ? longest : shortest)).rounded(.down))
    guard fewest <= greatest else { return .contradiction(greatest...fewest) }
    if fewest > 0 { return .lost(fewest...greatest) }
    if greatest < 0 { return .doubled(-greatest...(-fewest)) }
    return .contradiction(fewest...greatest)
  }
}
