// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// Makes a recording from a table, or from two tables of one recording.
///
///     t_us,ax,ay,az,gx,gy,gz,temp
///     0,-12,34,8190,1,-2,3,-512
///
/// A line at the beginning names the columns, in any order: a time and at least one axis, as one of the programs names them
/// that `ImportDialect` lists. Values are counts of 16 bits, or in units; then `ImportScaleSearch` finds the scale in
/// which they are counts. Times never decrease and are kept to the nanosecond. Lines end with LF or CR LF; blank lines at
/// the end are ignored.
/// Samples lie on the grid of the rate, which is in the options or follows from the times. Ticks without a sample become
/// gaps with the cause `lost`, or with those that this program's document states. Times that fit no grid are refused. See `ImportGrid` and
/// `SampleRate.init(ofSamples:from:to:halfPeriods:)`.
///
/// A file is read in pieces of 64 KiB: first every line is checked, then the holes are found by the times alone, and last
/// the samples are taken. Where samples jitter, the times are read up to some thirty times, so memory does not grow.
public struct TableImporter<Source: ImportSource & ~Copyable>: Importer, ~Copyable {
  /// The header of the new log.
  public let description: RecordingDescription
  /// The start, if it is in the options.
  public let clockPairs: [ClockPair]
  /// Marks, if the file is this program's document.
  public let marks: [Mark]
  /// Labels, the same.
  public let labels: [RecordingLabel]
  /// The end of the new log.
  public let end: RecordingEnd
  /// Holes in the table, and whether its rate is a guess.
  public let remarks: [String]

  private var placing: ImportPlacing<Source>
  /// Whether all times are the same, so that the rate places the samples.
  private let isPlaced: Bool
  /// Causes and events that the document states.
  private var causes: ImportCauses
  /// The records after the one that was returned last, the next one last.
  private var waiting: [TickRecord]
  /// The rows that were placed when the file was checked.
  private let found: ImportPlacing<Source>.Account

  /// Reads the whole file and checks it.
  ///
  /// - Throws: ``ImportError`` with the line and column of the first error.
  public init(_ source: consuming Source, _ options: ImportOptions) throws(ImportError) {
    let sensors = try ImportSensors(source.another())
    let rows: ImportRows<Source>
    if sensors.filters.count == 2 {
      let second = try ImportTable(source.another(), options, sensors.filters[1])
      let first = try ImportTable(source, options, sensors.filters[0])
      rows = try ImportRows(first, with: second)
    } else {
      rows = try ImportRows(ImportTable(source, options, sensors.filters.first))
    }
    var options = options
    options.remarks += [sensors.remark].compactMap { $0 }
    let parts = try TableImporter.examine(rows, options)
    (description, clockPairs) = (parts.description, parts.clockPairs)
    (end, remarks, isPlaced) = (parts.end, parts.remarks, parts.isPlaced)
    (marks, labels) = (parts.notes.marks, parts.notes.labels)
    (causes, found, waiting) = (parts.causes, parts.found, [])
    placing = parts.placing
  }

  /// Reads two tables of one recording, each with a sensor and times of its own, and joins them by the nearest times.
  ///
  /// - Throws: ``ImportError`` with the line and column of the first error.
  public init(_ first: consuming Source, with second: consuming Source, _ options: ImportOptions)
    throws(ImportError)
  {
    var options = options
    let sensors = try ImportSensors(first.another())
    let others = try ImportSensors(second.another())
    options.remarks += [sensors.remark, others.remark].compactMap { $0 }
    let table = try ImportTable(first, options, sensors.filters.first)
    let rows = try ImportRows(table, with: ImportTable(second, options, others.filters.first))
    let parts = try TableImporter.examine(rows, options)
    (description, clockPairs) = (parts.description, parts.clockPairs)
    (end, remarks, isPlaced) = (parts.end, parts.remarks, parts.isPlaced)
    (marks, labels) = (parts.notes.marks, parts.notes.labels)
    (causes, found, waiting) = (parts.causes, parts.found, [])
    placing = parts.placing
  }

  /// What an importer begins with. Swift 6.0 has no initialiser of a type without copies that calls another one.
  private struct Parts: ~Copyable {
    let description: RecordingDescription
    let clockPairs: [ClockPair]
    let notes: ImportNotes
    let causes: ImportCauses
    let end: RecordingEnd
    let remarks: [String]
    let isPlaced: Bool
    let found: ImportPlacing<Source>.Account
    var placing: ImportPlacing<Source>
  }

  private static func examine(
    _ table: consuming ImportRows<Source>, _ options: ImportOptions
  ) throws(ImportError) -> Parts {
    var rows = table
    if options.note.isEmpty, let problem = rows.noteProblem { throw problem }
    let guess = rows.timeGuess
    let survey: ImportSurvey
    do throws(ImportError) {
      survey = try rows.examine(options)
    } catch {
      throw error.withRemedy(afterGuess: guess)
    }
    let (name, channels) = (rows.name, rows.channels)
    guard survey.count > 0 else { throw .noSamples(name: name) }
    let (started, note, hasTime) = (rows.started, rows.note, rows.hasTime)
    var notes = rows.notes
    let (stated, gaps) = (rows.statedRate, rows.statedGaps)
    var placing = ImportPlacing(rows)
    let (fit, account): (ImportFit, ImportPlacing<Source>.Account)
    do throws(ImportError) {
      (fit, account) = try placing.fit(survey, given: options.rate, stated: stated, gaps)
    } catch {
      throw error.withRemedy(atGiven: options.rate).withRemedy(afterGuess: guess)
    }
    let (grid, rate) = (fit.grid, fit.rate)
    let found = placing.table.remarks
    let sensor = placing.table.sensor(options)
    try placing.restart(on: grid, hasSamples: true)
    let isPlaced = !grid.look.slack.isFinite
    if isPlaced {
      let length = rate.nanoseconds(atTick: account.samples - 1)
      guard length < RecordingTime.limit - 1, RecordingTime.contains(survey.last + length) else {
        throw .rateTooLow(name: name, given: Plain.hertz(rate))
      }
    }
    if isPlaced { notes.refuseCauses() }
    let begun = notes.causes(from: fit.origin)
    var causes = begun
    if !causes.isEmpty {
      causes.check = ImportCauses.Check(
        period: rate.period,
        allowance: fit.isCounted
          ? .infinity : grid.look.slack + (account.delays > 0 ? 16 : 0),
        isBeginningOnly: grid.stated != nil)
      while let row = try placing.next() {
        _ = causes.records(before: row.time, tick: placing.tick, lost: row.lost)
      }
      _ = causes.rest()
      if let misfit = causes.misfit { throw misfit.error(name, rate) }
      try placing.restart(on: grid, hasSamples: true)
    }

    let description = options.description(
      channels: channels, rate: rate,
      timeUnit: isPlaced ? min(survey.unit, rate.timeUnit) : survey.unit,
      ticks: account.samples + max(account.lost, causes.ledger.scheduled), sensor: sensor,
      note: note)
    let clockPairs =
      (started ?? options.started).map {
        [ClockPair(time: 0, wall: $0, isSynchronised: false, reason: .start)]
      } ?? []
    var end = RecordingEnd.imported(samples: account.samples, lost: account.lost)
    if !begun.isEmpty {
      end.ledger = causes.ledger
      end.ledger.sampled = account.samples
    }
    // One after the other: the compiler of Swift 6.0 gives up on the sum.
    var remarks: [String] = options.remarks + found
    remarks += account.remarks(
      name, grid, timeUnit: survey.unit, isRateGiven: fit.isRateKnown, hasTime: hasTime)
    if let remark = fit.remark { remarks.append(remark) }
    if let departure = fit.departure {
      remarks.append(
        account.remark(departure, name, grid, rate, isRateGiven: options.rate != nil))
    }
    if !fit.isRateKnown { remarks += survey.remarks(name, grid) }
    remarks += notes.remarks(name, unplaced: causes.unplaced)
    return Parts(
      description: description, clockPairs: clockPairs, notes: notes, causes: begun, end: end,
      remarks: remarks,
      isPlaced: isPlaced, found: account, placing: placing)
  }

  /// The next sample or gap; `nil` after the last one.
  public mutating func next() throws(ImportError) -> TickRecord? {
    if let record = waiting.popLast() { return record }
    let row: (time: Int64, sample: RawSample, lost: UInt64)?
    do {
      row = try placing.next()
    } catch {
      if case .file = error { throw error }
      // All lines were correct in the first pass.
      throw .changed(name: placing.name)
    }
    guard let row else {
      guard placing.account.samples == found.samples, placing.account.lost == found.lost
      else { throw .changed(name: placing.name) }
      waiting = causes.rest().reversed()
      return waiting.popLast()
    }
    guard placing.account.samples <= found.samples, placing.account.lost <= found.lost,
      row.time % description.timeUnit == 0
    else { throw .changed(name: placing.name) }
    let offset = isPlaced ? description.rate.nanoseconds(atTick: placing.tick) : 0
    let time = row.time + offset
    guard RecordingTime.contains(time) else { throw .changed(name: placing.name) }
    if causes.isEmpty {
      let record = TickRecord(tick: placing.tick, time: time, sample: row.sample)
      guard row.lost > 0 else { return record }
      waiting = [record]
      return TickRecord(
        Gap(firstTick: placing.tick - row.lost, count: row.lost, cause: .lost))
    }
    let before = causes.records(before: row.time, tick: placing.tick, lost: row.lost)
    waiting = [TickRecord(tick: causes.tick(placing.tick), time: time, sample: row.sample)]
    waiting += before.reversed()
    return waiting.popLast()
  }
}

extension ImportPlacing where Source: ~Copyable {
  /// The rate of the samples, which are all placed on the grid; `nil` when no log can hold it.
  func rate(on grid: ImportGrid, _ survey: ImportSurvey) -> SampleRate? {
    // After each hole the samples may shift by half a period, but in total no further than the survey found.
    let span = Double(survey.last) - Double(survey.first)
    let shift = min(abs(span / grid.period - Double(tick)), Double(account.holes) / 2)
    let halfPeriods = grid.look.isExact ? 1 : (2 * shift).rounded(.up) + 2 * grid.look.slack
    return SampleRate(
      ofSamples: tick + 1, from: survey.first, to: survey.last,
      halfPeriods: UInt64(min(halfPeriods, 0x1p58)), near: grid.period)
  }

  /// Places all samples on the first grid on which each has a tick of its own.
  ///
  /// - Throws: The problem with the most likely grid, if none fits.
  mutating func findGrid(_ survey: ImportSurvey, _ rate: SampleRate?)
    throws(ImportError) -> ImportGrid
  {
    if let exact = try findExactGrid(survey, rate) { return exact }
    var refusal: ImportError?
    for likely in survey.grids(rate) {
      do throws(ImportError) {
        try restart(on: likely, hasSamples: table.areInexact)
        try placeAll(survey.count)
        let mayBeShort = rate == nil && likely.look.slack > 1 && survey.packets == nil
        return mayBeShort ? try settled(likely, survey) : likely
      } catch {
        switch error {
        case .line(_, _, .sharesTick), .line(_, _, .late): refusal = refusal ?? error
        case .line(_, _, .holeTooLong), .file: throw error
        // All lines were correct in the first pass.
        default: throw .changed(name: name)
        }
      }
    }
    throw refusal ?? .noRate(name: name)
  }

  /// Places all samples on an exact grid: that of the rate, or, when the rate is unknown or the samples' clock is off
  /// by up to a fiftieth, that of a period that is found and may change slowly.
  ///
  /// `nil` when there is no such grid: the samples jitter too far, are late, or change their phase at a hole.
  private mutating func findExactGrid(_ survey: ImportSurvey, _ rate: SampleRate?)
    throws(ImportError) -> ImportGrid?
  {
    guard survey.first < survey.last else { return nil }
    func clock(_ period: Double) -> ImportClock { ImportClock(period: period, from: survey.first) }
    if let rate, let grid = try exactly(clock(rate.period), survey, isKnown: true) { return grid }
    func isNear(_ period: Double) -> Bool {
      rate.map { abs(period / $0.period - 1) < 0.02 } ?? true
    }
    var periods: [Double] = []
    for guess in survey.exactPeriods {
      guard let period = guess(), isNear(period) else { continue }
      periods.append(period)
      let ticks = UInt64((Double(survey.last) - Double(survey.first)) / period)
      let fine = try refined(period, ticks: ticks)
      // A whole number of hertz is right across any hole if the samples stay within a tenth of a period of its ticks.
      let whole = 1e9 / (1e9 / fine).rounded()
      let isWhole = abs(whole / fine - 1) * Double(survey.count) < 0.1
      for exact in (isWhole ? [whole] : []) + [fine, period] where isNear(exact) {
        if let grid = try exactly(clock(exact), survey, isKnown: false) { return grid }
      }
    }
    for period in periods {
      for gain in ImportClock.gains {
        let following = ImportClock(following: survey.beginning, period: period, gain: gain)
        if let grid = try exactly(following, survey, isKnown: false) { return grid }
      }
    }
    return nil
  }

  private mutating func exactly(_ clock: ImportClock, _ survey: ImportSurvey, isKnown: Bool)
    throws(ImportError) -> ImportGrid?
  {
    guard let grid = try exactGrid(clock, unit: isKnown ? nil : survey.unit) else { return nil }
    do throws(ImportError) {
      try restart(on: grid, hasSamples: table.areInexact)
      try placeAll(survey.count)
      return grid
    } catch {
      guard case .line(_, _, .sharesTick) = error else { throw error }
      return nil
    }
  }

  /// Refines a grid until its period is that of the samples and the lost ticks together, and places the samples on it.
  ///
  /// The period of samples that arrive in bursts is the mean of many intervals, and holes among them make it too long.
  private mutating func settled(_ grid: ImportGrid, _ survey: ImportSurvey) throws(ImportError)
    -> ImportGrid
  {
    var (grid, lost) = (grid, UInt64(0))
    while account.lost > lost {
      lost = account.lost
      let span = Double(survey.last) - Double(survey.first)
      grid = ImportGrid(period: span / Double(tick), grid.look)
      try restart(on: grid, hasSamples: table.areInexact)
      try placeAll(survey.count)
    }
    return grid
  }
}

extension ImportPlacing.Account where Source: ~Copyable {
  /// The remark that samples leave the ticks of the recording's rate, with the line and the distance in periods.
  fileprivate func remark(
    _ departure: (periods: Double, line: ImportPlace), _ name: String, _ grid: ImportGrid,
    _ rate: SampleRate, isRateGiven: Bool
  ) -> String {
    let cause =
      grid.look.isExact && grid.clock.isExact
      ? "they come at \(Plain.hertz(1e9 / grid.period)) Hz, which an import without --rate finds"
      : (isRateGiven ? "their rate is another one, or changes" : "their rate changes")
        + (holes > 0 ? ", or gaps are not whole periods long" : "")
    return
      "at \(departure.line) the samples of \(name) are \(Int(min(departure.periods, 0x1p60))) periods off the ticks of "
      + "\(Plain.hertz(rate.hertz)) Hz: \(cause)"
  }

  /// Remarks for the user about a table that was placed on a grid.
  fileprivate func remarks(
    _ name: String, _ grid: ImportGrid, timeUnit: Int64, isRateGiven: Bool,
    hasTime: Bool
  ) -> [String] {
    var remarks: [String] = []
    if lost > 0 {
      remarks.append(
        "\(lost) \(lost == 1 ? "tick of \(name) has" : "ticks of \(name) have") no sample, in "
          + Plain.count(holes, "gap"))
    }
    if delays > 0 {
      remarks.append(
        "\(Plain.count(delays, "sample")) of \(name) came later than half a period after "
          + "the tick and count as late, not as lost; the first is in \(firstDelay)")
    }
    if samples == 1, !isRateGiven {
      remarks.append(
        "\(name) has one sample, which gives no rate: 10 Hz is assumed; give it with --rate")
    }
    guard grid.look.slack.isFinite else {
      return [
        (hasTime ? "all times in \(name) are the same" : "\(name) has no times")
          + ": --rate says how far samples are apart"
      ]
    }
    if lost > 0, !isRateGiven, Double(timeUnit) > grid.period / 2 {
      remarks.append(
        "times in \(name) are rounded to about a period, so that lost ticks cannot be distinguished from a lower rate; give "
          + "the rate with --rate")
    }
    if !isRateGiven, holes > samples / 4 {
      remarks.append(
        "\(name) has \(holes) gaps among \(samples) samples, as a coarse clock makes: if that is one, give --rate"
      )
    }
    let least = Int((grid.look.slack + 0.5).rounded(.up))
    if least > 1 {
      remarks.append(
        "times in \(name) are rounded or late by whole periods, so that a hole of fewer than "
          + "\(least) ticks cannot be distinguished from a delay"
          + (isRateGiven ? "" : "; give the rate with --rate"))
    }
    return remarks
  }
}
