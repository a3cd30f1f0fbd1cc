// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// A sample, or a gap.
struct Item {
  var row: Row
  var sample = RawSample()
}

/// The samples of one table: what its reader returns, with counts and times that a log can have.
struct TableRows<Reader: SampleRows & ~Copyable>: ~Copyable {
  private var reader: Reader
  private let request: ImportRequest
  /// Start and pauses of an experiment, which its times do not count.
  private let events: PhyphoxEvents?
  var started: Int64? { events?.started }
  /// What is stated, and after the first pass what was counted.
  private(set) var understanding: Understanding
  private(set) var values: Values
  private let hasTime: Bool
  private let channels: [Int]
  /// What is subtracted from times: the date of time 0.
  var origin: Int64 = 0
  private var sorted: SortedRows?
  /// Where passes begin, the rows with all values that a pass has, and those it has returned so far.
  private var (begin, count, passed): (RowMark?, UInt64, UInt64) = (nil, 0, 0)

  var name: String { reader.name }
  var facts: OwnFacts { reader.facts }
  var place: Place { reader.place }
  var remarks: [String] { reader.remarks }
  var incomplete: (rows: UInt64, first: Place?) { reader.incomplete }
  /// Whether each row is a sample and its time is all that a pass needs.
  private var areTimesEnough: Bool { values.isExact && sorted == nil }

  init(
    _ reader: consuming Reader, _ request: ImportRequest, _ events: PhyphoxEvents? = nil,
    _ archive: String? = nil
  ) {
    self.events = events
    understanding = reader.understanding
    understanding.archive = archive
    understanding.isSorted = request.isSorted
    if request.isSorted { understanding.isGapsOfFile = false }
    understanding.isEach = request.isEach || request.session != nil
    channels = understanding.channels.indices
    hasTime = understanding.timeColumn != nil
    values = Values(understanding, request)
    self.reader = reader
    self.request = request
  }

  /// The first pass: checks every row, and counts.
  mutating func examine() throws(ImportError) {
    let times = understanding.times
    var census = try takeCensus()
    if reader.understanding.times != times {
      // The order of day and month showed itself: now its times can be told.
      understanding.times = reader.understanding.times
      values = Values(understanding, request)
      try reader.rewind(to: nil)
      census = try takeCensus()
    }
    guard census.rows > 0 else { throw .noRows(name, reader.incomplete) }
    guard !census.hasTooManySessions else { throw .tooManySessions(name) }
    understanding.census = census
    understanding.sessions = census.sessions
    if understanding.times == nil, hasTime, let rate = request.rate {
      understanding.takeUnit(of: rate)
    }
    if listedTicks != nil { understanding.isGapsOfFile = true }
    understanding.rate = understanding.rate ?? request.rate.map { .init($0, .option("--rate")) }
  }

  /// The ticks of a document that lists all of its gaps; `nil` for other files, and where its counts do not add up.
  var listedTicks: StatedTicks? {
    let (facts, samples) = (reader.facts, understanding.census.rows)
    guard understanding.syntax.shape == .document, !request.isSorted, reader.incomplete.rows == 0,
      let gaps = facts.notes.gaps, facts.samples ?? samples == samples,
      facts.ticks == gaps.reduce(samples, { $0.addingSaturated($1.count) })
    else { return nil }
    return StatedTicks(gaps, facts.notes.events)
  }

  private mutating func takeCensus() throws(ImportError) -> Census {
    var census = Census()
    while let row = try reader.next() {
      guard row.gap == nil else { continue }
      census.add(
        row, at: reader.place, reader.mark, isSorted: request.isSorted, isEach: request.isEach,
        hasTime: hasTime)
      census.add(reader.numbers, channels)
      do throws(FieldError) {
        try values.add(reader.numbers)
      } catch {
        throw error.at(name, reader.place)
      }
    }
    return census
  }

  /// Ends the first pass: from now on rows have counts, and times of the log.
  ///
  /// - Parameter origin: That of the table with which it is joined.
  mutating func settle(_ reading: Reading, origin: Int64? = nil) throws(ImportError) {
    try values.settle(reading)
    reader.take(reading)
    let census = understanding.census
    if let session = request.session, understanding.sessions.indices.contains(session) {
      let chosen = understanding.sessions[session]
      (begin, count) = (chosen.mark, chosen.rows)
      self.origin = chosen.firstTime
    } else {
      count = census.rows
      self.origin = (request.isSorted ? census.span?.lowerBound : census.first) ?? 0
    }
    if !understanding.isDated { self.origin = 0 }
    if understanding.isDated, let started = facts.started { self.origin = started }
    if let origin { self.origin = origin }
    try rewind()
    if request.isSorted, hasTime {
      sorted = try SortedRows(rows: count, name)
      while let item = try read() { sorted?.add(item) }
      sorted?.sort()
    }
  }

  /// Goes to the first row.
  mutating func rewind() throws(ImportError) {
    passed = 0
    if sorted == nil { try reader.rewind(to: begin) } else { sorted?.rewind() }
  }

  /// The next sample or gap; `nil` after the last one.
  mutating func next() throws(ImportError) -> Item? {
    if sorted != nil { return sorted?.next() }
    return try read()
  }

  /// The same with its time and ticks alone.
  mutating func nextTime() throws(ImportError) -> Row? {
    guard areTimesEnough else { return try next()?.row }
    return try readRow { reader throws(ImportError) in try reader.nextTime() }
  }

  private mutating func read() throws(ImportError) -> Item? {
    guard let row = try readRow({ reader throws(ImportError) in try reader.next() }) else {
      return nil
    }
    guard row.gap == nil else { return Item(row: row) }
    do throws(FieldError) {
      return Item(row: row, sample: try values.sample(reader.numbers))
    } catch {
      throw error.at(name, reader.place)
    }
  }

  private mutating func readRow(
    _ pull: (inout Reader) throws(ImportError) -> Row?
  ) throws(ImportError) -> Row? {
    guard var row = try pull(&reader) else {
      guard passed == count else { throw .changed(name) }
      return nil
    }
    guard row.gap == nil else { return row }
    // After the last row of a session the file goes on.
    guard passed < count else {
      guard begin != nil else { throw .changed(name) }
      return nil
    }
    passed += 1
    let written = events?.time(row.time) ?? row.time
    let (time, overflow) = written.subtractingReportingOverflow(origin)
    guard !overflow, RecordingTime.contains(time) else { throw .beyond(name, place) }
    row.time = time
    return row
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

  /// Takes the unit in which times have a rate: of s, ms, µs and ns, which are 1000 apart, the one that makes the middle
  /// step between half of its period and twice as much.
  mutating func takeUnit(of rate: SampleRate) {
    let step = census.intervals.median
    for power in [9, 6, 3, 0] where (0.5...2).contains(step * written(power) / rate.period) {
      times = Stated(.number(power: power), .option("--rate"))
      census.intervals.scale = written(power)
    }
  }

  /// Nanoseconds in one of the units in which the first pass counted times whose unit is not stated.
  func written(_ power: Int) -> Double {
    (0..<syntax.timeDecimals).reduce((0..<power).reduce(1.0) { one, _ in one * 10 }) { one, _ in
      one / 10
    }
  }
}

extension ImportError {
  fileprivate static func noRows(_ file: String, _ incomplete: (rows: UInt64, first: Place?))
    -> ImportError
  {
    guard let first = incomplete.first else {
      return ImportError(file, "has no samples", remedy: "there is nothing to import")
    }
    return ImportError(
      file, at: first,
      incomplete.rows == 1
        ? "the only row has a column without a value"
        : "this row and each of the other \(incomplete.rows - 1) has a column without a value",
      remedy: "if sensors have rows of their own, import those of one with --columns")
  }

  fileprivate static func tooManySessions(_ file: String) -> ImportError {
    ImportError(
      file, "its times begin again more than \(Census.mostSessions) times",
      remedy: "put the rows in order with --sort, or split the file")
  }

  fileprivate static func beyond(_ file: String, _ place: Place) -> ImportError {
    ImportError(
      file, at: place, "the time is 146 years or more from the first one",
      remedy: "correct it or take the row out")
  }
}
