// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Makes a recording of rows, whichever reader they come from, in three passes.
///
///     1  every row is checked and counted; what is missing then is asked for at once, and what is stated is checked for sense
///     2  ticks are found by the times, unless the file states them
///     3  records are returned, one at a time
struct RowImporter<Reader: SampleRows & ~Copyable>: ~Copyable {
  let understandings: [Understanding]
  let description: RecordingDescription
  let clockPairs: [ClockPair]
  let marks: [Mark]
  let labels: [RecordingLabel]
  let end: RecordingEnd
  let remarks: [String]
  let summary: String

  private var rows: JoinedRows<Reader>
  /// Where ticks are lost, of files that do not state them.
  private let gaps: [TickPass.Lost]
  /// The ticks that the file states; `nil` where times tell them.
  private var stated: StatedTicks?
  /// All ticks of the file, if it counts them.
  private let statedTicks: UInt64?
  /// Whether the rate places the rows, which have no times.
  private let isPlaced: Bool
  /// The records after the one that was returned last, the next one last.
  private var waiting: [TickRecord] = []
  private var (row, tick, gap): (UInt64, UInt64, Int) = (0, 0, 0)
  private var isOver = false

  /// Checks the whole file.
  ///
  /// - Parameters:
  ///   - remarks: What to tell the user before all else.
  ///   - open: Opens the rows: those of one reader, or of two to join.
  init(
    _ request: ImportRequest, remarks before: [String] = [],
    _ open: (ImportRequest) throws(ImportError) -> JoinedRows<Reader>
  ) throws(ImportError) {
    var rows = try open(request)
    try rows.examine()
    let all = rows.understandings
    let refusal = Refusal.of(all, request) { request in
      do throws(ImportError) {
        return try RowImporter.explained(request, open)
      } catch {
        return nil
      }
    }
    if let refusal { throw refusal }
    var objections: [String] = []
    for understanding in all {
      guard let objection = SenseCheck.objection(understanding) else { continue }
      guard request.isAnyway else { throw objection }
      objections.append("\(objection.file): \(objection.problem); it is imported anyway")
    }
    try rows.settle(all.compactMap { $0.reading() })
    let account = try Account(&rows, request)
    try rows.rewind()
    (understandings, marks, labels) = (all, account.notes.marks, account.notes.labels)
    (description, clockPairs, end) = (account.description, account.clockPairs, account.end)
    (gaps, stated, statedTicks) = (account.gaps, account.stated, account.statedTicks)
    (isPlaced, summary) = (account.isPlaced, account.summary)
    remarks = before + objections + account.remarks
    self.rows = rows
  }

  /// How the tables are understood, after the first pass.
  static func explained(
    _ request: ImportRequest, _ open: (ImportRequest) throws(ImportError) -> JoinedRows<Reader>
  ) throws(ImportError) -> [Understanding] {
    var rows = try open(request)
    try rows.examine()
    return rows.understandings
  }

  /// What the second pass finds.
  private struct Account {
    let description: RecordingDescription
    let clockPairs: [ClockPair]
    let end: RecordingEnd
    private(set) var notes: OwnNotes
    let gaps: [TickPass.Lost]
    /// The ticks that the file states, before its first row.
    private(set) var stated: StatedTicks?
    let statedTicks: UInt64?
    let isPlaced: Bool
    private(set) var remarks: [String]
    let summary: String

    init(_ rows: inout JoinedRows<Reader>, _ request: ImportRequest) throws(ImportError) {
      let (facts, understanding, name) = (rows.first.facts, rows.first.understanding, rows.name)
      let given = request.rate ?? understanding.rate?.value ?? facts.rate
      isPlaced = understanding.timeColumn == nil
      notes = facts.notes
      try rows.rewind()
      let isOther = rows.isJoined || request.isSorted
      let steps = isOther ? try rows.steps() : understanding.census.intervals
      // A file of this program that counts more ticks than rows has lost some, however often.
      let counted = (facts.ticks ?? 0).subtractingReportingOverflow(understanding.census.rows)
      var pass = TickPass(
        TickRule(
          steps, stated: given,
          isGrid: !counted.overflow && (1...1_000_000).contains(counted.partialValue)))
      var (first, last, statedGaps): (Int64?, Int64, Int) = (nil, 0, 0)
      var ticks = rows.isJoined ? nil : rows.first.listedTicks
      stated = ticks
      let areStated = understanding.isGapsOfFile && !rows.isJoined
      while let row = try rows.nextTime() {
        if areStated, ticks == nil {
          ticks = StatedTicks([], first: facts.ticks != nil ? 0 : row.tick ?? 0)
          stated = ticks
        }
        if let mark = row.mark { notes.take(mark: mark, at: row.time) }
        if areStated {
          let records =
            row.gap.map { ticks?.records(of: $0, at: row.tick) } ?? ticks?.records(before: row.tick)
          guard let records else { throw .ticks(name, rows.first.place) }
          statedGaps += records.count { $0.kind == .gap }
          if row.gap == nil { ticks?.pass() }
        }
        guard row.gap == nil else { continue }
        (first, last) = (first ?? row.time, row.time)
        pass.add(row.time)
      }
      pass.close()
      guard let first else { throw .notJoined(rows, "their times have nothing in common") }
      statedTicks = facts.ticks
      statedGaps += ticks?.rest(of: statedTicks).count { $0.kind == .gap } ?? 0
      gaps = areStated || isPlaced ? [] : pass.gaps
      let lost = areStated || isPlaced ? 0 : pass.lost
      guard Double(lost) < TickRule.most else { throw .hole(name) }
      let (span, isBeyond) = last.subtractingReportingOverflow(first)
      let count = pass.rows + lost
      guard
        let rate = given
          ?? SampleRate(steps: count - 1, gaps: gaps.count, in: isBeyond ? 0 : span)
      else { throw .noRate(name) }
      if isPlaced, !RecordingTime.contains(rate.nanoseconds(atTick: count) + 1) {
        throw .rateTooLow(name, rate)
      }
      description = request.description(
        channels: rows.channels, rate: rate, timeUnit: isPlaced ? rate.timeUnit : pass.unit,
        ticks: ticks?.ledger.scheduled ?? count, sensor: rows.sensor, note: facts.note)
      var started =
        understanding.isDated
        ? rows.first.origin : facts.started ?? request.started ?? rows.first.started
      if case .at(let time) = understanding.epoch?.value { started = time }
      clockPairs =
        started.map { [ClockPair(time: 0, wall: $0, isSynchronised: false, reason: .start)] } ?? []
      var end = RecordingEnd.imported(samples: pass.rows, lost: lost)
      if let ticks { end.ledger = ticks.ledger }
      self.end = end
      summary = end.summary(
        rate, gaps: areStated ? statedGaps : gaps.count,
        length: isPlaced ? rate.nanoseconds(atTick: count - 1) : isBeyond ? .max : span)
      remarks = rows.remarks
      if !gaps.isEmpty {
        remarks.append(
          "\(lost) \(lost == 1 ? "tick of \(name) has" : "ticks of \(name) have") no sample, in "
            + Plain.count(gaps.count, "gap"))
      }
      if !areStated, !isPlaced, pass.long > UInt64(gaps.count) + max(3, pass.rows / 50) {
        remarks.append(
          "\(pass.long - UInt64(gaps.count)) of \(pass.rows - 1) steps in \(name) are longer than 1.5 periods and shown as no "
            + "gaps: times alone cannot tell them from late samples")
      }
    }
  }

  /// The next sample or gap; `nil` after the last one.
  ///
  /// - Throws: ``ImportError`` when the file was changed or became unreadable since the importer was made.
  mutating func next() throws(ImportError) -> TickRecord? {
    if let record = waiting.popLast() { return record }
    guard !isOver else { return nil }
    let item: Item?
    do throws(ImportError) {
      item = try rows.next()
    } catch {
      // All rows were correct in the first pass.
      if case .unreadable = error.kind { throw error }
      throw .changed(rows.name)
    }
    guard let item else {
      guard row == end.ledger.sampled else { throw .changed(rows.name) }
      isOver = true
      waiting = stated?.rest(of: statedTicks).reversed() ?? []
      return waiting.popLast()
    }
    if let gap = item.row.gap {
      guard stated != nil else { return try next() }
      guard let records = stated?.records(of: gap, at: item.row.tick) else {
        throw .changed(rows.name)
      }
      waiting = records.reversed()
      return waiting.popLast()
    }
    guard row < end.ledger.sampled else { throw .changed(rows.name) }
    var before: [TickRecord] = []
    if stated != nil {
      guard let records = stated?.records(before: item.row.tick) else {
        throw .changed(rows.name)
      }
      before = records
      tick = stated?.next ?? 0
      stated?.pass()
    } else if gap < gaps.count, gaps[gap].row == row {
      before = [TickRecord(Gap(firstTick: tick, count: gaps[gap].ticks, cause: .lost))]
      tick += gaps[gap].ticks
      gap += 1
    }
    let time = isPlaced ? description.rate.nanoseconds(atTick: tick) : item.row.time
    guard time % description.timeUnit == 0 else { throw .changed(rows.name) }
    let record = TickRecord(tick: tick, time: time, sample: item.sample)
    (row, tick) = (row + 1, tick + 1)
    guard !before.isEmpty else { return record }
    waiting = [record] + before.reversed()
    return waiting.popLast()
  }
}

extension RecordingEnd {
  /// The end of an imported recording, whose lateness was not measured.
  static func imported(samples: UInt64, lost: UInt64 = 0) -> RecordingEnd {
    var ledger = TickLedger()
    ledger.sampled = samples
    ledger.lost = lost
    return RecordingEnd(reason: .imported, ledger: ledger, lateness: LatenessSummary())
  }
}

extension ImportRequest {
  /// The description of a recording made from a file of another kind.
  func description(
    channels: ChannelSet, rate: SampleRate, timeUnit: Int64, ticks: UInt64,
    sensor: SensorDescription, note named: String? = nil
  ) -> RecordingDescription {
    RecordingDescription(
      id: id, number: number, rate: rate, channels: channels, plannedTicks: ticks,
      timeUnit: timeUnit, sensor: sensor, board: "", host: host, software: software,
      note: note.isEmpty ? named ?? "" : note, syncInterval: 0, realTime: "")
  }
}

extension ImportError {
  fileprivate static func hole(_ file: String) -> ImportError {
    ImportError(
      file, "more ticks are missing between two rows than a log can count",
      remedy: "correct the times, or split the file there")
  }

  fileprivate static func ticks(_ file: String, _ place: Place) -> ImportError {
    ImportError(
      file, at: place, "the tick is not after those before it, or is beyond those of a log",
      remedy: "correct it, or leave its column out with --columns")
  }

  fileprivate static func noRate(_ file: String) -> ImportError {
    ImportError(
      file,
      "its times make no rate that a log can hold, which is 1/\(UInt32.max) to \(UInt32.max) Hz",
      remedy: "correct the times, or state the rate with --rate")
  }

  fileprivate static func rateTooLow(_ file: String, _ rate: SampleRate) -> ImportError {
    ImportError(
      file, "at \(Plain.hertz(rate)) Hz its rows last longer than the 146 years of a log",
      remedy: "state a higher --rate")
  }
}
