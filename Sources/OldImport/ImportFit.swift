// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// How a file's samples lie on ticks.
struct ImportFit {
  let grid: ImportGrid
  let rate: SampleRate
  /// Whether the user or the file says the rate.
  let isRateKnown: Bool
  /// The largest distance of samples from the ticks of the rate that is no jitter.
  var departure: (periods: Double, line: ImportPlace)?
  /// The tick of the first sample, if the file states all ticks without one.
  var origin: UInt64?
  /// Whether the file counts its samples and ticks, and these are as many.
  var isCounted = false
  /// That the file states another rate than that of its samples.
  var remark: String?
}

extension ImportPlacing where Source: ~Copyable {
  /// Places all samples: as the file states, if its times allow it; else on the grid of the rate that is given or stated,
  /// or on that of the times.
  ///
  /// - Parameters:
  ///   - given: The user's rate.
  ///   - stated: The file's.
  ///   - gaps: All gaps, if the file states them.
  mutating func fit(
    _ survey: ImportSurvey, given: SampleRate?, stated: SampleRate?,
    _ gaps: StatedGaps?
  ) throws(ImportError) -> (fit: ImportFit, account: Account) {
    guard given == nil, let stated, survey.count == 1 || survey.first < survey.last else {
      return try settle(survey, given)
    }
    if let gaps, var found = try asStated(survey, stated, gaps) {
      found.fit.remark = disagreement(survey, found.fit)
      return found
    }
    do throws(ImportError) {
      var found = try settle(survey, stated)
      found.fit.departure = nil
      found.fit.remark = disagreement(survey, found.fit)
      return found
    } catch {
      switch error {
      case .line(_, _, .sharesTick), .line(_, _, .late), .line(_, _, .drifts), .otherRate: break
      default: throw error
      }
    }
    var found = try settle(survey, nil)
    found.fit.remark =
      "\(name) states a rate of \(Plain.hertz(stated)) Hz, and its samples come at \(Plain.hertz(found.fit.rate)) Hz, which "
      + "is taken; give another one with --rate"
    return found
  }

  /// The remark that times are those of another rate than the one that the file states: most samples are at least half
  /// a period further apart than it says and no gaps are stated, or all of them together are off by more than half a percent and than rounding, jitter
  /// and holes of no whole number of periods explain.
  private func disagreement(_ survey: ImportSurvey, _ fit: ImportFit) -> String? {
    let ticks = Double(tick)
    let span = Double(survey.last) - Double(survey.first)
    let slack = fit.grid.look.slack
    guard slack.isFinite, ticks > 0, span > 0 else { return nil }
    let rounding = Double(survey.unit) / fit.rate.period
    let off = abs(span / fit.rate.period - ticks)
    let isApart =
      fit.grid.stated == nil && survey.usualInterval > (1.5 + rounding) * fit.rate.period
    let isOff =
      off > ticks / 200 && off > 1 + min(rounding, 1) + slack + Double(account.holes) / 2
    guard isApart || isOff else { return nil }
    let found = 1e9 * (isApart ? (span / survey.usualInterval).rounded() : ticks) / span
    return
      "\(name) states a rate of \(Plain.hertz(fit.rate)) Hz, and its times are those of about \(Plain.hertz(found)) "
      + "Hz: the stated rate is kept, and so are the times of the samples; if it is wrong, give another one with --rate"
  }

  private mutating func settle(_ survey: ImportSurvey, _ known: SampleRate?) throws(ImportError)
    -> (fit: ImportFit, account: Account)
  {
    let grid = try findGrid(survey, known)
    let account = account
    guard let rate = known ?? rate(on: grid, survey) else { throw .rateBeyondLog(name: name) }
    if known != nil { try survey.check(grid, lastTick: tick, name) }
    let areRounded = known == nil && Double(survey.unit) > grid.period / 2
    let departure = try checkDrift(grid, rate, areRounded: areRounded)
    return (
      ImportFit(grid: grid, rate: rate, isRateKnown: known != nil, departure: departure), account
    )
  }

  /// Places each sample on the tick that the stated gaps leave for it; `nil` when times contradict.
  private mutating func asStated(
    _ survey: ImportSurvey, _ rate: SampleRate, _ stated: StatedGaps
  ) throws(ImportError) -> (fit: ImportFit, account: Account)? {
    let isCounted = stated.hasCounted(samples: survey.count)
    for first in try firsts(survey, rate, stated.gaps) {
      guard let ticks = StatedTicks(stated.gaps.map(\.gap), first: first) else { continue }
      let grid = ImportGrid(period: rate.period, stated: ticks)
      let agreement = try agreement(grid, survey, StatedTimes(stated.gaps, rate))
      guard agreement != .none else { continue }
      let account = account
      if agreement != .exact {
        // All that a file without gaps between its samples says is its number of ticks.
        let isKnown = isCounted && tick + 1 == survey.count && survey.isNear(grid, lastTick: tick)
        guard agreement == .plausible || isKnown else { continue }
        if !isKnown {
          do throws(ImportError) {
            try survey.check(grid, lastTick: tick, name)
            _ = try checkDrift(grid, rate, areRounded: false)
          } catch {
            switch error {
            case .otherRate, .line(_, _, .drifts): continue
            default: throw error
            }
          }
        }
      }
      let fit = ImportFit(
        grid: grid, rate: rate, isRateKnown: true, origin: ticks.origin, isCounted: isCounted)
      return (fit, account)
    }
    return nil
  }

  /// The ticks that the first sample may have, the most likely ones first and at most seven, because each takes a pass over
  /// the file: a part of a recording keeps its ticks' numbers.
  private mutating func firsts(
    _ survey: ImportSurvey, _ rate: SampleRate, _ gaps: [ImportCauses.StatedGap]
  ) throws(ImportError) -> [UInt64] {
    guard let lead = gaps.first else { return [0] }
    var firsts = try exactFirsts(rate, gaps) + [0]
    // Both times are rounded, by up to the unit of times each: a whole number of periods must not become one more.
    let periods =
      (lead.time.nanoseconds(since: survey.first) - 2 * Double(survey.unit)) / rate.period
    let before = UInt64(max(0, min(periods.rounded(.up), 0x1p58)))
    if lead.time < survey.first { firsts.append(lead.gap.firstTick) }
    firsts.append(lead.gap.firstTick - min(before, lead.gap.firstTick))
    if lead.time >= survey.first { firsts.append(lead.gap.firstTick) }
    var found: [UInt64] = []
    for first in firsts where !found.contains(first) { found.append(first) }
    return found
  }

  /// The same by the samples that are a period before the gaps, as where times and not the rate place ticks, in one pass.
  ///
  ///     tick      4   5   6   gap 7–9       samples before gap 7: 3, if tick 4 is the first
  ///
  /// Each sample with the time before the first gap may be the last one before it; samples of a packet have one time. The
  /// other gaps tell which one it is: each agrees if the sample that would then be the last one before it has its time.
  private mutating func exactFirsts(_ rate: SampleRate, _ gaps: [ImportCauses.StatedGap])
    throws(ImportError) -> [UInt64]
  {
    let ends = StatedEnd.ends(gaps, rate)
    guard let lead = ends.first, !lead.isFollower else { return [] }
    let byTime = ends.sorted { $0.time < $1.time }
    try table.rewind()
    var (votes, before, next) = ([] as [(first: UInt64, count: Int)], 1 as UInt64, 0)
    while let time = try table.nextTime() {
      while next < byTime.count, !byTime[next].mayBe(time), byTime[next].time < time { next += 1 }
      for end in byTime[next...].prefix(while: { $0.mayBe(time) }).prefix(64)
      where before <= end.samples {
        let first = end.samples - before
        if end == lead {
          votes.append((first, 0))
          if votes.count > 64 { votes.removeFirst() }
        } else if let place = votes.firstIndex(where: { $0.first == first }) {
          votes[place].count += 1
        }
      }
      before += 1
    }
    // The gap is most likely after the last sample of a packet.
    let likely = votes.reversed().enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }
    return likely.prefix(3).map(\.element.first)
  }

  private mutating func agreement(
    _ grid: ImportGrid, _ survey: ImportSurvey, _ stated: StatedTimes
  ) throws(ImportError) -> StatedAgreement {
    try restart(on: grid, hasSamples: table.areInexact)
    var (check, times) = (ImportStatedCheck(period: grid.period, unit: survey.unit), stated)
    let origin = grid.stated?.origin ?? 0
    var isPlausible = true
    do throws(ImportError) {
      while let row = try next() {
        times.add(row.time, tick: origin.addingSaturated(tick))
        isPlausible = isPlausible && check.add(row.time, tick: tick, lost: row.lost)
      }
    } catch {
      // A stated gap that no times can have.
      if case .line(_, _, .holeTooLong) = error { return .none }
      throw error
    }
    guard account.samples == survey.count else { throw .changed(name: name) }
    guard areStatedTicksComplete else { return .none }
    if times.areExact { return .exact }
    return isPlausible && check.isPlausible ? .plausible : .doubtful
  }
}

/// The last sample before a stated gap.
private struct StatedEnd: Equatable {
  /// Its time.
  let time: Int64
  /// How many ticks up to it have samples, from tick 0 on.
  let samples: UInt64
  /// Whether no such sample is known, because another gap is just before this one, or nothing.
  let isFollower: Bool

  func mayBe(_ time: Int64) -> Bool { StatedTimes.areSame(time, self.time) }

  /// Those of the gaps, which are in the order of ticks, without followers after the first one.
  static func ends(_ gaps: [ImportCauses.StatedGap], _ rate: SampleRate) -> [StatedEnd] {
    var (ends, lost, end) = ([] as [StatedEnd], 0 as UInt64, 0 as UInt64)
    for item in gaps {
      let tick = item.gap.firstTick
      let isFollower = tick == 0 || (!ends.isEmpty && tick == end)
      let period = rate.nanoseconds(atTick: tick) &- rate.nanoseconds(atTick: max(tick, 1) - 1)
      let (time, overflow) = item.time.subtractingReportingOverflow(period)
      if ends.isEmpty || !isFollower, !overflow {
        ends.append(
          StatedEnd(time: time, samples: tick - min(lost, tick), isFollower: isFollower))
      }
      (lost, end) = (
        lost.addingSaturated(item.gap.count), tick.addingSaturated(item.gap.count)
      )
    }
    return ends
  }
}

extension ImportSurvey {
  /// The remark that the rate is little better than a guess.
  func remarks(_ name: String, _ grid: ImportGrid) -> [String] {
    guard first < last, !grid.look.isExact, let reason = doubt(of: grid.period) else { return [] }
    return ["\(name) \(reason), which says little about its rate; give it with --rate"]
  }

  /// Refuses a given rate that differs from that of the times by more than a twentieth, a period, and those by which times
  /// are rounded or late.
  func check(_ grid: ImportGrid, lastTick: UInt64, _ name: String) throws(ImportError) {
    guard grid.look.slack.isFinite else { return }
    let span = Double(last) - Double(first)
    let expected = Double(lastTick) * grid.period
    let slack = expected / 20 + grid.period * (1 + grid.look.slack)
    guard abs(span - expected) > slack else { return }
    let mean = span > 0 ? 1e9 * Double(lastTick) / span : 0
    let found = Plain.hertz(packets.map { 1e9 / $0.period } ?? mean)
    throw .otherRate(name: name, given: Plain.hertz(1e9 / grid.period), found: found)
  }

  /// Whether the samples of a file that counts its ticks can have them: times may be uneven, and the rate little off.
  func isNear(_ grid: ImportGrid, lastTick: UInt64) -> Bool {
    let (span, expected) = (Double(last) - Double(first), Double(lastTick) * grid.period)
    return abs(span - expected) <= expected / 4 + 4 * grid.period
  }
}
