// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The rows of a table, checked by all rules about its lines.
///
/// In the first pass the values only tell their scales; ``settle(_:)`` then chooses those, and every later pass makes
/// counts of the values.
struct ImportTable<Source: ImportSource & ~Copyable>: ~Copyable {
  private(set) var layout: ImportLayout
  let name: String
  private var parser: ImportRowParser
  private var lines: ImportLines<Source>
  private let head: UInt64
  private var lastTime = Int64.min
  /// What is added to times of day: the midnights that passed.
  private var midnight: Int64 = 0
  /// Whether times are such of a day, which begin again at midnight.
  private let isTimeOfDay: Bool
  private static var day: Int64 { 86_400_000_000_000 }
  /// What is subtracted from each time: the date of time 0.
  private(set) var origin: Int64?
  private(set) var values: ImportValues
  /// Rows without a value in some column, and the first line of them.
  private(set) var missing: (rows: UInt64, line: ImportPlace) = (0, 0)
  /// Rows of ticks without a sample that are left out; the others are in the notes of the layout's facts.
  private(set) var gapRows: UInt64 = 0
  /// Whether the first pass is over.
  private var isSettled = false
  /// Whether digits of times below a nanosecond were rounded.
  private(set) var areTimesRounded = false
  /// Where the row is that was read last.
  var place: ImportPlace {
    layout.shape == .lines ? ImportPlace(line: lines.number) : lines.valuePlace
  }

  /// Whether the first pass found no row without a value.
  private var areAllWhole = false
  /// Whether the first pass found rows of gaps.
  private var hasGaps = false
  /// Samples so far in the first pass.
  private var samples: UInt64 = 0
  /// Those that the times do not count.
  private let pauses: ImportPauses

  /// The number of the last line, if it has no line feed and no length of the file is stated elsewhere.
  var cutLine: Int? {
    layout.shape == .lines && lines.isCut && !lines.source.hasStatedLength ? lines.number : nil
  }

  /// The error of a note in the file that a log has no room for.
  var noteProblem: ImportError? { layout.facts.noteProblem(name) }

  /// All gaps in the order of ticks; `nil` when the file does not state them.
  var statedGaps: StatedGaps? {
    let (facts, isDocument) = (layout.facts, layout.shape == .document)
    guard isDocument || (layout.gapIndex != nil && gapRows == 0),
      let gaps = facts.notes.statedGaps(isTable: !isDocument)
    else { return nil }
    guard isDocument, !facts.isIncomplete else { return StatedGaps(gaps) }
    return StatedGaps(gaps, samples: facts.statedSamples, ticks: facts.statedTicks)
  }

  /// Whether no object of JSON was read yet.
  private var isFirst = true

  /// Reads the head and looks at the first rows.
  ///
  /// - Parameter filter: The rows of a list with those of several sensors.
  init(_ source: consuming Source, _ options: ImportOptions, _ filter: ImportFilter? = nil)
    throws(ImportError)
  {
    let name = source.name
    var lines = ImportLines(source)
    try lines.skipMark()
    let isJSON = try [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(lines.peek())
    var layout =
      isJSON
      ? try ImportLayout.read(json: &lines, options, filter)
      : try ImportHead.read(&lines, options.columns, needsTime: options.rate == nil)
    let head = try ImportTable.skipHead(&lines, layout)
    var sniff = ImportSniff()
    // Where the columns are named.
    var names = ImportPlace(line: max(1, layout.headLines))
    var isFirst = true
    while sniff.rows < ImportSniff.limit {
      if isJSON {
        guard let object = try lines.nextObject(layout.shape, isFirst: isFirst) else { break }
        if isFirst { names = lines.valuePlace }
        isFirst = false
        if let filter, !layout.matches(filter, object) { continue }
        do throws(ImportFieldError) {
          sniff.add(try layout.cells(of: object), layout)
        } catch {
          throw .line(name: name, line: lines.valuePlace, problem: error.problem)
        }
      } else {
        guard let line = try lines.next() else { break }
        sniff.add(ImportHead.cells(line, layout.separator), layout)
      }
    }
    do throws(ImportFieldError) {
      try sniff.complete(&layout, options.units)
    } catch {
      throw .line(name: name, line: names, problem: error.problem)
    }
    guard layout.hasTime || options.rate != nil else { throw .noTimes(name: name) }
    let values = try ImportValues(layout, options, name: name)
    guard try ImportTable.skipHead(&lines, layout) == head else { throw .changed(name: name) }
    self.head = head
    isTimeOfDay = layout.timeForm == .timeOfDay
    self.layout = layout
    parser = ImportRowParser(layout)
    self.values = values
    pauses = options.pauses
    self.lines = lines
    self.name = name
  }

  /// Goes back to the first row.
  mutating func rewind() throws(ImportError) {
    (lastTime, midnight) = (.min, 0)
    (missing, gapRows) = ((0, 0), 0)
    isFirst = true
    guard try ImportTable.skipHead(&lines, layout) == head else { throw .changed(name: name) }
  }

  /// Goes to the first row, and returns the sum of the bytes before it: the head must stay the same.
  private static func skipHead(_ lines: inout ImportLines<Source>, _ layout: ImportLayout)
    throws(ImportError) -> UInt64
  {
    lines.rewind()
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    if layout.shape != .lines { try lines.skipMark() }
    switch layout.shape {
    case .lines, .sequence: break
    case .list: try lines.require("[")
    case .document: try lines.enterSamples()
    }
    for _ in 0..<layout.headLines {
      guard let line = try lines.next() else { throw .changed(name: lines.source.name) }
      // Fowler, Noll and Vo's hash, 1a.
      for byte in line { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return sum
  }

  /// The time of the next row with all its values; `nil` after the last one.
  ///
  /// After a first pass that found every row whole, no more than the times are looked at.
  mutating func nextTime() throws(ImportError) -> Int64? {
    guard areAllWhole else { return try next()?.time }
    guard let row = try nextRow() else { return nil }
    do throws(ImportFieldError) {
      guard let time = parser.plainTime(row) else { return try sample(row)?.time }
      guard time >= lastTime else { throw ImportFieldError(.changed) }
      lastTime = time
      return try sinceOrigin(time)
    } catch {
      throw refusal(of: row, error)
    }
  }

  /// The error of a row: bytes of 0 and a quote without its other half are worse than what they do to a value.
  private func refusal(of row: UnsafeRawBufferPointer, _ error: ImportFieldError) -> ImportError {
    let problem: ImportLineProblem =
      row.contains(0)
      ? .zeros
      : layout.shape == .lines && row.count { $0 == UInt8(ascii: "\"") } % 2 == 1
        ? .openQuote : layout.cause(of: error.problem)
    let refusal = ImportError.line(name: name, line: place, problem: problem)
    return layout.guess(before: problem).map { .guessed(refusal, guess: $0) } ?? refusal
  }

  private mutating func nextRow() throws(ImportError) -> UnsafeRawBufferPointer? {
    guard layout.shape == .lines else {
      defer { isFirst = false }
      return try lines.nextObject(layout.shape, isFirst: isFirst)
    }
    guard let row = try lines.next() else { return nil }
    guard !row.isEmpty, !ImportRowParser.isBlank(row) else {
      try passBlankEnd()
      return nil
    }
    return row
  }

  /// The next row with all its values; `nil` after the last one.
  mutating func next() throws(ImportError) -> (time: Int64, sample: RawSample)? {
    while true {
      if layout.shape == .sequence, let line = try lines.objectLine(), let time = parser.plain(line)
      {
        lines.pass(line)
        do throws(ImportFieldError) {
          return try sample(at: time, line)
        } catch {
          throw refusal(of: line, error)
        }
      }
      guard let row = try nextRow() else { return nil }
      do throws(ImportFieldError) {
        if let sample = try sample(row) { return sample }
      } catch {
        throw refusal(of: row, error)
      }
    }
  }

  /// The sample in a row; `nil` if a value is missing, or if the row is another sensor's.
  private mutating func sample(_ row: UnsafeRawBufferPointer) throws(ImportFieldError) -> (
    time: Int64, sample: RawSample
  )? {
    let time: Int64?
    if layout.shape == .lines {
      time = try parser.parse(row)
    } else {
      guard let found = try parser.parse(object: row) else { return nil }
      time = found.time
    }
    if parser.isGap {
      try takeGap(at: time)
      return nil
    }
    guard let time else {
      if missing.rows == 0 { missing.line = place }
      missing.rows += 1
      return nil
    }
    return try sample(at: time, row)
  }

  /// The sample of a row whose values were parsed last.
  private mutating func sample(at found: Int64, _ row: UnsafeRawBufferPointer)
    throws(ImportFieldError) -> (time: Int64, sample: RawSample)
  {
    var time = found
    areTimesRounded = areTimesRounded || parser.isTimeRounded
    if isTimeOfDay {
      var (later, overflow) = time.addingReportingOverflow(midnight)
      if !overflow, lastTime > .min, lastTime - later > ImportTable.day / 2 {
        midnight += ImportTable.day
        (later, overflow) = later.addingReportingOverflow(ImportTable.day)
      }
      guard !overflow, midnight < .max - 2 * ImportTable.day else { throw outOfRange(later) }
      time = later
    }
    if time < lastTime { throw try timeGoesBack(row) }
    lastTime = time
    if !isSettled { samples += 1 }
    return (try sinceOrigin(time), try values.sample(parser.numbers))
  }

  /// Notes the gap in a row: it is after the last sample so far, whatever its time.
  ///
  /// A document has a list of its gaps besides.
  private mutating func takeGap(at time: Int64?) throws(ImportFieldError) {
    guard let gap = parser.gap, let time, layout.hasTime, layout.shape != .document else {
      gapRows += 1
      return
    }
    guard !isSettled else { return }
    hasGaps = true
    layout.facts.notes.take(
      gap, in: ImportCauses.StatedGap.Row(place: place, time: try sinceOrigin(time)),
      after: lastTime == .min ? .min : try sinceOrigin(lastTime), samples: samples)
  }

  /// A time as the log has it: dates count from the one that the file names, or from the first.
  private mutating func sinceOrigin(_ time: Int64) throws(ImportFieldError) -> Int64 {
    guard layout.isDated else {
      if pauses.isEmpty { return time }
      guard let later = pauses.time(time) else { throw outOfRange(time) }
      return later
    }
    let origin = self.origin ?? layout.facts.started ?? time
    self.origin = origin
    let (difference, overflow) = time.subtractingReportingOverflow(origin)
    guard !overflow else { throw outOfRange(time) }
    return difference
  }

  private func outOfRange(_ time: Int64) -> ImportFieldError {
    ImportFieldError(
      .timeOutOfRange(
        column: layout.timeColumn.index + 1, name: layout.timeColumn.name, found: "\(time)"))
  }

  /// Counts dates from the same instant as another table.
  mutating func alignOrigin(with other: Int64?) { origin = other }

  /// Ends the first pass: from now on rows have counts.
  mutating func settle(_ options: ImportOptions) throws(ImportError) {
    try values.settle(options, layout, name: name)
    isSettled = true
    areAllWhole = layout.shape == .lines && missing.rows == 0 && gapRows == 0 && !hasGaps
  }

  /// Blank lines end the table; a row after them is an error.
  private mutating func passBlankEnd() throws(ImportError) {
    let number = lines.number
    while let line = try lines.next() {
      guard ImportRowParser.isBlank(line) else {
        throw .line(name: name, line: ImportPlace(line: number), problem: .blank)
      }
    }
  }

  private mutating func timeGoesBack(_ row: UnsafeRawBufferPointer) throws(ImportFieldError)
    -> ImportFieldError
  {
    if layout.shape == .lines {
      _ = try parser.parseAny(row)
    } else {
      _ = try parser.parseAny(object: row)
    }
    return ImportFieldError(
      .timeGoesBack(
        column: layout.timeColumn.index + 1, name: layout.timeColumn.name, found: parser.timeText))
  }
}

extension ImportLayout {
  /// What makes a value wrong, if its row tells more than the value alone.
  fileprivate func cause(of problem: ImportLineProblem) -> ImportLineProblem {
    switch problem {
    case .notATime(let column, let name, let found), .notANumber(let column, let name, let found),
      .notAnInteger(let column, let name, let found):
      let comma = UInt8(ascii: ",")
      let mark = decimalMark == comma ? UInt8(ascii: ".") : comma
      let number = found.utf8.filter { $0 != UInt8(ascii: "\"") }.withUnsafeBytes {
        ImportNumber($0, mark: mark)
      }
      guard shape == .lines, found.utf8.contains(mark), case .number = number else {
        return problem
      }
      return separator == comma
        ? .quotedComma(column: column, name: name, found: found)
        : .otherMark(column: column, name: name, found: found)
    case .outOfRange(let column, let name, let found) where program == "Gyroflow":
      return .beyondScaledCounts(column: column, name: name, found: found)
    default: return problem
    }
  }

  /// The guess that may have caused a problem with a count, a clause; `nil` if nothing was guessed.
  fileprivate func guess(before problem: ImportLineProblem) -> String? {
    switch problem {
    case .notAnInteger(let column, _, _), .outOfRange(let column, _, _):
      let channel = columns.first { $0.index == column - 1 }?.channel
      guard let group = channel.map(ImportGroup.init(channel:)), guessedCounts.contains(group)
      else { return nil }
      return
        "the unit of its \(group.name) is not named, and those of the first row are whole numbers, so that all are "
        + "taken as counts; name the unit with --units: \(group.choices)"
    default: return nil
    }
  }

  /// Whether times count from 1970.
  var isDated: Bool {
    switch timeForm {
    case .date: true
    case .number(_, _, let isDated): isDated
    case .timeOfDay, .unknown: false
    }
  }
}
