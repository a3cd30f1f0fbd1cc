// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What the second pass finds: the ticks of the samples, the rate, and what they add up to.
struct TickAccount {
  let rate: SampleRate
  /// The coarsest of 1 ms, 1 µs and 1 ns that divides every time.
  let timeUnit: Int64
  /// The ticks before the first sample: as the file states them, or with the gaps that times tell.
  let ticks: StatedTicks
  /// Whether the file states its ticks, and all of them if it counts them.
  let areStated: Bool
  let stated: UInt64?
  /// Whether the rate places the rows, which have no times.
  let isPlaced: Bool
  private(set) var tally: TickTally
  private(set) var gapCount: Int
  /// Nanoseconds from the first sample to the last.
  let length: Int64
  private(set) var notes: OwnNotes
  /// Sentences.
  private(set) var remarks: [String] = []

  init(_ rows: JoinedRows, _ request: ImportRequest) throws(ImportError) {
    let (table, name) = (rows.tables[0], rows.name)
    let (facts, understanding) = (table.facts, table.understanding)
    let given = request.rate ?? understanding.rate?.value ?? facts.rate
    isPlaced = understanding.timeColumn == nil
    areStated = understanding.isGapsOfFile && !rows.isJoined
    (notes, stated) = (facts.notes, areStated ? facts.ticks : nil)
    try rows.rewind()
    let steps =
      rows.isJoined || request.isSorted || request.isEach
      ? try rows.steps() : understanding.census.intervals
    // A file of this program that counts more ticks than rows has lost some, however often.
    let counted = (facts.ticks ?? 0).subtractingReportingOverflow(understanding.census.rows)
    let isGrid = !counted.overflow && (1...1_000_000).contains(counted.partialValue)
    var pass = TickPass(TickRule(steps, stated: given, isGrid: isGrid))
    var (first, last, statedGaps): (Int64?, Int64, Int) = (nil, 0, 0)
    var begin = areStated ? table.listedTicks : nil
    var hasTicks = false
    // From the first sample to the last: stated gaps at the ends have no times.
    var between: Range<UInt64>?
    var ticks = begin
    while let row = try rows.nextTime() {
      if let mark = row.mark { notes.take(mark: mark, at: row.time) }
      if areStated {
        if begin == nil {
          begin = StatedTicks([], first: facts.ticks != nil ? 0 : row.tick ?? 0)
          ticks = begin
        }
        let records =
          if let gap = row.gap { ticks?.records(of: gap, at: row.tick) } else {
            ticks?.records(before: row.tick)
          }
        guard let records else {
          throw ImportError(
            name, at: table.place,
            "the tick does not increase, or is larger than a log can hold",
            remedy: "correct it, or leave its column out with --columns")
        }
        let gaps = records.count { $0.kind == .gap }
        statedGaps += gaps
        if gaps > 0 { pass.skip() }
        if row.gap == nil, let tick = ticks?.next {
          between = (between?.lowerBound ?? tick)..<(tick + 1)
          ticks?.pass()
        }
      }
      guard row.gap == nil else {
        pass.skip()
        continue
      }
      hasTicks = hasTicks || row.tick != nil
      (first, last) = (first ?? row.time, row.time)
      pass.add(row.time)
    }
    pass.close()
    guard let first else { throw rows.notJoined("their times have nothing in common") }
    statedGaps += ticks?.rest(of: stated).count { $0.kind == .gap } ?? 0
    let isJudged = !areStated && !isPlaced
    // By the stated rate: as many ticks as rows, or with those that may be rounded.
    let (span, isBeyond) = last.subtractingReportingOverflow(first)
    let scheduled = given.map { (isBeyond ? .infinity : Double(span)) / $0.period }
    let certain = pass.gaps(isRounded: true)
    let found = Double(certain.reduce(pass.rows) { $0.addingSaturated($1.count) }) - 1
    let isRounded = scheduled.map { $0 < found + Double(pass.roundedCount) / 2 } ?? false
    let gaps = !isJudged ? [] : isRounded ? certain : pass.gaps(isRounded: false)
    // 800 Hz in whole milliseconds have steps of 1, 1, 1 and 2, and 990 Hz a few of 2.
    let isCoarse = 2 * steps.resolution >= steps.median
    let lost = gaps.reduce(0) { $0 + $1.count }
    let areClear =
      gaps.count <= max(3, isCoarse || lost > pass.rows ? 0 : pass.rows / 20)
      && (2 * understanding.writtenUnit <= steps.median || gaps.allSatisfy { $0.count > 1 })
    guard given != nil || request.isAnyway || areClear else {
      throw ImportError(
        name,
        "\(gaps.count) of its \(pass.rows - 1) steps are longer than 1.5 usual ones: ticks are lost, rows come in packets, or times are rounded",
        remedy: "state the rate with --rate, or import it as it is with --anyway")
    }
    guard let begin = begin ?? StatedTicks(gaps) else {
      throw ImportError(
        name, "more ticks are missing between two rows than a log can count",
        remedy: "correct the times, or split the file there")
    }
    tally = TickTally()
    (tally.sampled, tally.lost) = (pass.rows, lost)
    if let ticks { tally = ticks.tally }
    let count = between.map { $0.upperBound - $0.lowerBound } ?? pass.rows + lost
    let named = SampleRate(steps: count - 1, gaps: gaps.count, in: isBeyond ? 0 : span)
    guard let rate = given ?? named else {
      throw ImportError(
        name,
        "its times make no rate that a log can hold, which is 1/\(UInt32.max) to \(UInt32.max) Hz",
        remedy: "correct the times, or state the rate with --rate")
    }
    let room = max(0, (isBeyond ? .infinity : Double(span)) / rate.period - Double(pass.rows))
    guard Double(lost) <= room + max(3, Double((pass.rows + lost) / 100)) || request.isAnyway else {
      throw ImportError(
        name,
        "at \(Plain.hertz(rate)) Hz its rows leave no room for \(lost) lost ticks: they come in packets, or the rate is another one",
        remedy:
          "leave its times out with --columns, state --rate \(Plain.hertz(Double(count - 1) * 1e9 / Double(span))), or import it as it is with --anyway"
      )
    }
    // 30 Hz in steps of 33 ms, and 66 ms now and then: a coarse clock, where these make up for the difference.
    let excess = ((scheduled ?? 0) - Double(count - 1)).magnitude
    guard
      !isJudged || pass.roundedCount == 0 || isBeyond || request.isAnyway
        || excess <= Double(1 + gaps.count) + Double(count) / 2000
    else {
      let (all, usual) = (found * 1e9 / Double(span), 1e9 / steps.median)
      throw ImportError(
        name,
        "\(pass.roundedCount) of its steps are longer than 1.5 periods of \(Plain.hertz(rate)) Hz: its clock counts in \(Plain.significant(steps.resolution / 1e6)) ms, or ticks are lost",
        remedy:
          "state --rate \(Plain.hertz(all)) if none is, or --rate \(Plain.hertz(usual)) for its usual step"
      )
    }
    if areStated, given == nil, !isPlaced, !request.isAnyway, steps.median > 10 * rate.period {
      throw ImportError(
        name, "the gaps that it states make \(Plain.hertz(rate)) Hz of rows that are much slower",
        remedy: "correct their ticks, or import it as it is with --anyway")
    }
    let sharing = understanding.census.sharing
    guard given != nil || !request.isSorted || sharing <= max(3, pass.rows / 20) || request.isAnyway
    else {
      throw ImportError(
        name, "\(sharing) of its \(pass.rows) rows share times, which make no rate then",
        remedy: "state the rate with --rate, or import it as it is with --anyway")
    }
    guard span > 0 || pass.rows < 2 || isPlaced || areStated || request.isAnyway else {
      throw ImportError(
        name, "all of its rows have one time",
        remedy: "leave it out with --columns, and state the rate with --rate")
    }
    if isPlaced, !RecordingTime.contains(rate.nanoseconds(atTick: count) + 1) {
      throw ImportError(
        name, "at \(Plain.hertz(rate)) Hz its rows last longer than the 146 years of a log",
        remedy: "state a higher --rate")
    }
    (self.rate, self.ticks) = (rate, begin)
    (timeUnit, gapCount) = (
      isPlaced ? rate.timeUnit : pass.unit, areStated ? statedGaps : gaps.count
    )
    length = isPlaced ? rate.nanoseconds(atTick: count - 1) : isBeyond ? .max : span
    if !gaps.isEmpty {
      remarks.append(
        "ticks of \(name) without a sample, by its times: \(lost), in \(Plain.count(gaps.count, "gap"))"
      )
    }
    if notes.marks.count > facts.notes.marks.count {
      remarks.append("marks of \(name) are at the times of their rows")
    }
    if !areStated, !rows.isJoined, let all = facts.ticks, all > tally.scheduled {
      remarks.append(
        "\(name) states \(all) ticks, and \(all - tally.scheduled) of them have no place in it")
    }
    if areStated, !hasTicks, !isPlaced, !certain.isEmpty {
      let room = certain.reduce(0) { $0 + $1.count }
      remarks.append(
        "the times of \(name) leave room for \(Plain.count(room, "tick")) where it states no gap: rows may be missing"
      )
    }
    if isJudged, pass.long > gaps.count {
      remarks.append(
        "\(pass.long - UInt64(gaps.count)) of \(pass.rows - 1) steps in \(name) are longer than 1.5 periods and not shown as "
          + "gaps: they are rounded, or rows after them catch up")
    }
  }
}
