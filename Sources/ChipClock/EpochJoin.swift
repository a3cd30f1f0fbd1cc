// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Finds how many samples are missing between two epochs. The chip's oscillator runs on through an overflow or a reset of
/// the FIFO, so the gap is a whole number of samples.
///
///     tail of the epoch before          the new epoch's readings, numbered from 1
///     ·  ·  ·  ·  ·  ·  ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ ·  ·  ·  ·
///                 └─ the clock foretells ─┘
///                    which shifts are possible
///
/// Each possible shift is tried: with the right one, both epochs make one clock.
struct EpochJoin {
  /// What the readings allow.
  enum Result: Equatable {
    /// One shift: add it to the slots of the new epoch.
    case joined(Int64)
    /// Several shifts.
    case several(ClosedRange<Int64>)
    /// Too many to try, or none.
    case none
  }

  /// Most shifts that are tried.
  private static let candidateLimit: Int64 = 9
  /// Most readings of the new epoch that are looked at.
  static let readingCount = 256

  private let tail: [FillReading]
  private let clock: ClockRegime
  private let line: ClockLine
  private let grid: SlotGrid
  private let assumptions: ClockAssumptions

  /// - Parameters:
  ///   - tail: The last readings of the epoch before, which agree.
  ///   - period: Nanoseconds a slot, if they do not show it.
  init?(
    after tail: [FillReading], _ grid: SlotGrid, known period: Double,
    _ assumptions: ClockAssumptions
  ) {
    guard let line = ClockLine(tail, known: period) else { return nil }
    do throws(ClockContradiction) {
      let clock = try ClockRegime(tail, grid, known: period, assumptions)
      guard let clock else { return nil }
      self.clock = clock
    } catch {
      return nil
    }
    // All that matters here is in the tail, so distances can be by its period, which foretells more.
    self.grid = SlotGrid(period: line.period)
    (self.tail, self.line, self.assumptions) = (tail, line, assumptions)
  }

  /// The shift for a new epoch with these first readings.
  ///
  /// - Parameter counted: A shift that is right modulo ``EpochCause/overflowModulus``. It only decides between several.
  func result(_ readings: [FillReading], counted: Int64?) -> Result {
    guard let foretold = candidates(readings),
      foretold.upperBound - foretold.lowerBound < EpochJoin.candidateLimit
    else { return .none }
    var left = Array(foretold)
    var count = 4
    while left.count > 1 || count == 4 {
      let some = readings.prefix(count)
      let fitting = left.filter { shift in
        let shifted = some.map {
          FillReading(count: $0.count + shift, before: $0.before, after: $0.after)
        }
        return ContradictionSearch.agree(
          tail + shifted, line, grid, drift: assumptions.drift, assumptions)
      }
      // None: something else is wrong in the new epoch, which is found there. If the first readings fit none, nothing shows
      // that those foretold are right.
      if fitting.isEmpty {
        if count == 4 { return .none }
        break
      }
      left = fitting
      if count >= min(readings.count, EpochJoin.readingCount) { break }
      count *= 2
    }
    if let counted, left.count > 1 {
      let congruent = left.filter { ($0 &- counted) % EpochCause.overflowModulus == 0 }
      if !congruent.isEmpty { left = congruent }
    }
    guard let least = left.first, let greatest = left.last else { return .none }
    return least == greatest ? .joined(least) : .several(least...greatest)
  }

  /// The shifts that the clock foretells, by the shortest of the first reads.
  private func candidates(_ readings: [FillReading]) -> ClosedRange<Int64>? {
    let reads = readings.prefix(10).filter { $0.after != nil }
    func length(_ read: FillReading) -> Int64 { (read.after ?? read.before) - read.before }
    guard let reading = reads.min(by: { length($0) < length($1) }), let after = reading.after,
      let least = clock.phase(at: reading.before)?.lowerBound,
      let greatest = clock.phase(at: after)?.upperBound
    else { return nil }
    let (first, last) = (least - reading.count, greatest - reading.count)
    return first <= last ? first...last : nil
  }
}
