// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The samples of one table: what its reader returns, with counts and times that a log can have, in the order of the file
/// or of their times.
final class TableRows {
  private let reader: any SampleRows
  private let request: ImportRequest
  /// What is stated, and after the first pass what was counted.
  private(set) var understanding: Understanding
  private(set) var values: Values
  private let hasTime: Bool
  /// Whether there are rows of gaps.
  private var hasGaps = false
  private let channels: [Int]
  /// The first objection to a session's values with `--each`, or to the ticks of a document.
  private(set) var objection: ImportError?
  /// What is subtracted from times: the date of time 0.
  private(set) var origin: Int64 = 0
  /// All samples by their times, and of one time in the order of the file; `nil` without `--sort`.
  private var sorted: [(time: Int64, number: UInt32, sample: RawSample)]?
  /// Where passes begin, the rows with all values that a pass has, and those it has returned so far.
  private var (begin, count, passed): (RowMark?, Int, Int) = (nil, 0, 0)

  /// The most rows that `--sort` holds in memory, which have 128 MB.
  private static let mostSorted = 4_000_000

  var name: String { reader.name }
  var isAnyway: Bool { request.isAnyway }
  var facts: OwnFacts { reader.facts }
  var place: Place { reader.place }
  /// Nanoseconds since 1970 at time 0.
  var started: Int64? {
    if case .at(let time) = understanding.epoch?.value { return time }
    return understanding.isDated ? origin : facts.started ?? request.started
  }

  init(_ reader: any SampleRows, _ request: ImportRequest) {
    (self.reader, self.request) = (reader, request)
    var understanding = reader.understanding
    understanding.archive = request.archive
    understanding.isSorted = request.isSorted
    if request.isSorted { understanding.isGapsOfFile = false }
    understanding.isEach = request.isEach
    channels = understanding.channels.indices
    hasTime = understanding.timeColumn != nil
    values = Values(understanding, request)
    self.understanding = understanding
  }

  /// The first pass: checks every row, and counts.
  func examine() throws(ImportError) {
    let census = try takeCensus()
    guard census.rows > 0 else {
      let first = reader.incomplete.first
      throw ImportError(
        name, at: first,
        first == nil ? "has no samples" : "this row and all others have a column without a value",
        remedy: first == nil
          ? "there is nothing to import"
          : "if sensors have rows of their own, import those of one with --columns")
    }
    guard reader.incomplete.rows < census.rows || request.isAnyway else {
      throw ImportError(
        name, at: reader.incomplete.first,
        "this row and as many as are whole have a column without a value",
        remedy: "import the columns that are whole with --columns, or the whole rows with --anyway")
    }
    guard !census.hasTooManySessions else {
      throw ImportError(
        name, "its times begin again more than \(Census.mostSessions) times",
        remedy: "put the rows in order with --sort, or split the file")
    }
    understanding.census = census
    // JSON whose rows could have gaps states them only where one has.
    if understanding.syntax.shape != .lines, understanding.syntax.shape != .binary, !hasGaps,
      !understanding.columns.contains(where: { $0.role == .tick })
    {
      understanding.isGapsOfFile = false
    }
    let isListed = listedTicks != nil
    if isListed { understanding.isGapsOfFile = true }
    if !isListed, understanding.syntax.shape == .document, !request.isSorted,
      let ticks = facts.ticksHere, !facts.isPart || ticks != census.rows
    {
      let words = "its rows and gaps do not add up to the \(ticks) ticks that it states"
      objection = ImportError(
        name, facts.isPart ? "it is a part that does not say where its gaps are" : words,
        remedy: "export it again, a part as Parquet, or import it as it is with --anyway")
    }
    understanding.hasLostTicks =
      hasGaps || understanding.syntax.shape == .binary || facts.ticks ?? 0 > census.rows
    understanding.rate = understanding.rate ?? request.rate.map { .init($0, .option("--rate")) }
  }

  /// The ticks of a document that lists all of its gaps; `nil` for other files, and where its counts do not add up.
  var listedTicks: StatedTicks? {
    let samples = understanding.census.rows
    guard understanding.syntax.shape == .document, !request.isSorted, reader.incomplete.rows == 0,
      let gaps = facts.notes.gaps,
      facts.ticks == gaps.reduce(samples, { $0.addingSaturated($1.count) })
    else { return nil }
    return StatedTicks(gaps, facts.notes.events)
  }

  private func takeCensus() throws(ImportError) -> Census {
    var (census, part) = (Census(), Census())
    (hasGaps, objection) = (false, nil)
    while let row = try reader.next() {
      guard row.gap == nil else {
        hasGaps = true
        continue
      }
      let numbers = reader.numbers
      census.add(
        row, at: reader.place, reader.mark, isSorted: request.isSorted, hasTime: hasTime)
      census.add(numbers, channels)
      if request.isEach {
        if census.sessions.count > 1, census.sessions.last?.rows == 1 { judge(&part) }
        part.add(
          Row(time: row.time), at: reader.place, reader.mark, isSorted: true, hasTime: hasTime)
        part.add(numbers, channels)
      }
      do throws(FieldError) {
        try values.add(numbers)
      } catch {
        throw error.at(name, reader.place)
      }
    }
    if request.isEach { judge(&part) }
    return census
  }

  /// Compares a whole session with what is stated, and begins the next one.
  private func judge(_ part: inout Census) {
    var session = understanding
    session.census = part
    session.rate = session.rate ?? request.rate.map { .init($0, .option("--rate")) }
    objection = objection ?? SenseCheck.objection(session)
    part = Census()
  }

  /// Ends the first pass: from now on rows have counts, and times of the log.
  func settle(session: Int?, origin: Int64? = nil) throws(ImportError) {
    try values.settle(understanding)
    reader.settle(understanding)
    let census = understanding.census
    var first = (request.isSorted ? census.span?.lowerBound : census.first) ?? 0
    (count, sorted) = (Int(census.rows), nil)
    if let session, understanding.sessions.indices.contains(session) {
      let chosen = understanding.sessions[session]
      (begin, count, first) = (chosen.mark, Int(chosen.rows), chosen.firstTime)
    }
    self.origin = origin ?? (understanding.isDated ? facts.started ?? first : 0)
    guard request.isSorted, hasTime else { return }
    guard count <= TableRows.mostSorted else {
      throw ImportError(
        name, "has \(count) rows, and --sort holds \(TableRows.mostSorted) in memory",
        remedy: "put them in order before, as by sort -t, -g -k1,1")
    }
    try rewind()
    var items: [(time: Int64, number: UInt32, sample: RawSample)] = []
    items.reserveCapacity(count)
    // Gaps of the file are left out, since what they stand between changes.
    while let item = try next() {
      if item.row.gap == nil { items.append((item.row.time, UInt32(items.count), item.sample)) }
    }
    items.sort { ($0.time, $0.number) < ($1.time, $1.number) }
    // Late rows and packets fit into holes; rows among others from afar, one by one, are another recording's.
    let isFar = zip(items, items.dropFirst()).map { abs(Int($0.number) - Int($1.number)) > 8 }
    let mixed = zip(isFar, isFar.dropFirst()).count { $0 && $1 }
    // Rows that share times are near others of theirs.
    let areMixed = mixed > 2 || census.sharing > 0 && census.restarts > 0
    guard !areMixed || request.isAnyway else {
      throw ImportError(
        name, "its times begin again, and --sort would mix the rows of several recordings",
        remedy: "keep them apart with --each, or mix them with --anyway")
    }
    sorted = items
  }

  /// Goes to the first row, once before each pass: the reader notes how the pass before was.
  func rewind() throws(ImportError) {
    passed = 0
    if sorted == nil { try reader.rewind(to: begin) }
  }

  /// The next sample or gap; `nil` after the last one.
  func next() throws(ImportError) -> Item? {
    if let sorted {
      guard passed < count else { return nil }
      passed += 1
      return Item(row: Row(time: sorted[passed - 1].time), sample: sorted[passed - 1].sample)
    }
    guard let row = try checked(try reader.next()) else { return nil }
    guard row.gap == nil else { return Item(row: row) }
    do throws(FieldError) {
      return Item(row: row, sample: try values.sample(reader.numbers))
    } catch {
      throw error.at(name, place)
    }
  }

  /// The same without its sample, for which inexact values are rounded all the same: remarks have the largest error.
  func nextTime() throws(ImportError) -> Row? {
    guard values.isExact, sorted == nil else { return try next()?.row }
    return try checked(try reader.nextTime())
  }

  /// A row with the time of the log; `nil` after the last one of the session, after which the file goes on.
  private func checked(_ row: Row?) throws(ImportError) -> Row? {
    guard var row else {
      guard passed == count else { throw .changed(name) }
      return nil
    }
    guard row.gap == nil else { return row }
    guard passed < count else {
      guard begin != nil else { throw .changed(name) }
      return nil
    }
    passed += 1
    let (time, overflow) = row.time.subtractingReportingOverflow(origin)
    guard !overflow, RecordingTime.contains(time) else {
      throw ImportError(
        name, at: place, "the time is 146 years or more from the first one",
        remedy: "correct it or take the row out")
    }
    row.time = time
    return row
  }

  /// What the user should know about the table, after a whole pass: sentences.
  var remarks: [String] {
    var remarks = (understanding.remarks + facts.notes.leftOut).map { "\(name): \($0)" }
    if let first = reader.incomplete.first {
      remarks.append(
        "\(Plain.count(reader.incomplete.rows, "row")) of \(name) without a value in some column: left out, the first is \(first)"
      )
    }
    return remarks + reader.remarks + values.remarks
  }
}

extension Understanding {
  /// Whether times count from 1970.
  var isDated: Bool {
    switch times?.value {
    case .date, .dayAndTime: true
    case .number: epoch?.value == .unix
    case .timeOfDay, nil: false
    }
  }

  /// Nanoseconds in one of the last digit of times as they are written.
  var writtenUnit: Double {
    if case .number(let power, _)? = times?.value { written(power) } else { written(9) }
  }

  /// Nanoseconds in one of the units in which the first pass counted times whose unit is not stated.
  func written(_ power: Int) -> Double {
    Decimal(digits: 1, exponent: power - syntax.timeDecimals).value
  }
}
