// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The rows of a table, lines or objects of JSON, checked by all rules about single rows.
final class TableReader: SampleRows {
  let name: String
  private(set) var understanding: Understanding
  private let heading: Heading
  private(set) var facts: OwnFacts
  private var parser: RowParser
  private let isJSON: Bool
  /// Whether a blank line is between all rows, and begins nothing.
  private var isDoubleSpaced = false
  /// One of them.
  private let lines: Lines?
  private let objects: JSONRows?
  /// The hash of the lines before the first row, which must stay the same.
  private var head = 0
  /// What is added to times of day: the midnights that passed; the time before.
  private var (midnight, last): (Int64, Int64) = (0, .min)
  private var isTimeOfDay = false
  private(set) var incomplete: (rows: UInt64, first: Place?) = (0, nil)
  /// Whether all rows of the last pass were whole, and none stated more than its time and values.
  private var (isPlain, wasPlain) = (true, false)
  /// Whether blank lines or the header are before the next row, and whether there was a row before it.
  private var (begin, hasRows): (Understanding.Session.Begin?, Bool) = (nil, false)

  var numbers: [Decimal] { parser.numbers }
  var place: Place { lines?.place ?? objects?.place ?? 1 }
  var mark: RowMark { lines?.mark ?? objects?.mark ?? RowMark(byte: 0, line: 1) }

  /// What was found in the rows: sentences.
  var remarks: [String] {
    guard let lines, lines.isCut, !lines.source.hasStatedLength else { return [] }
    return [
      "the last line of \(name), \(lines.number), has no line feed: if the file was cut there, its last value may be cut too"
    ]
  }

  /// Reads the head, and looks at the first rows.
  init(_ source: any ImportSource, _ request: ImportRequest) throws(ImportError) {
    let text = try TextSource(source)
    (name, isJSON) = (text.name, try text.isJSON())
    objects = isJSON ? try JSONRows(text, rate: request.rate) : nil
    lines = isJSON ? nil : Lines(text)
    var (request, rows) = (request, FirstRows())
    var sensor: String?
    if let objects {
      request.columns = request.columns ?? objects.columns
      heading = Heading(
        keys: objects.names, facts: objects.facts, hasUnread: objects.hasUnread,
        needsTime: request.rate == nil)
      let keys = objects.names.map { Array($0.utf8) }
      while rows.rows < FirstRows.limit, let object = try objects.next() {
        do throws(FieldError) {
          let cells = try Members.cells(of: object, keys)
          // Which of an app's sensors it is may be in each row.
          if let place = objects.names.firstIndex(of: "sensor") {
            sensor = sensor ?? String(decoding: cells[place], as: UTF8.self)
          }
          rows.add(cells, names: cells.count)
        } catch {
          throw error.at(text.name, objects.place)
        }
      }
    } else {
      let lines = lines ?? Lines(text)
      heading = try Heading.read(lines, request.columns, needsTime: request.rate == nil)
      for _ in 0..<heading.lines { _ = try lines.next() }
      var (blanks, wasBlank) = (0, false)
      while rows.rows < FirstRows.limit, let line = try lines.next() {
        let isBlank = line.allSatisfy(FieldText.isBlank)
        if wasBlank, rows.rows > 0, !isBlank { blanks += 1 }
        wasBlank = isBlank
        guard !isBlank, !heading.isRepeated(line) else { continue }
        rows.add(Heading.cells(line, heading.separator), names: heading.cells.count)
      }
      isDoubleSpaced = rows.rows > 2 && blanks == rows.rows - 1
    }
    understanding = try TableHead.understanding(
      heading, rows, sensor ?? name, request, shape: objects?.shape ?? .lines,
      encoding: text.encoding)
    understanding.name = name
    facts = objects?.facts ?? heading.facts
    parser = RowParser(understanding)
    isTimeOfDay = understanding.times?.value == .timeOfDay
    head = try skipHead()
  }

  func settle(_ understanding: Understanding) { parser = RowParser(understanding) }

  /// Goes to the first row, and returns the hash of the lines before it.
  private func skipHead() throws(ImportError) -> Int {
    var hasher = Hasher()
    try objects?.rewind()
    try lines?.rewind()
    for _ in 0..<(isJSON ? 0 : heading.lines) {
      guard let line = try lines?.next() else { throw .changed(name) }
      hasher.combine(bytes: line)
    }
    return hasher.finalize()
  }

  func rewind(to mark: RowMark?) throws(ImportError) {
    (wasPlain, isPlain) = (isPlain && hasRows && mark == nil, true)
    (incomplete, midnight, last) = ((0, nil), 0, .min)
    (begin, hasRows) = (nil, false)
    parser.restart(isFirst: true)
    guard let mark else {
      guard try skipHead() == head else { throw .changed(name) }
      return
    }
    try lines?.rewind(to: mark)
    try objects?.rewind(to: mark)
  }

  func next() throws(ImportError) -> Row? { try next(isTimeEnough: false) }

  func nextTime() throws(ImportError) -> Row? { try next(isTimeEnough: wasPlain) }

  private func next(isTimeEnough: Bool) throws(ImportError) -> Row? {
    while let line = try nextLine() {
      if begin != nil { parser.restart(isFirst: false) }
      do throws(FieldError) {
        let time =
          isJSON
          ? try parser.parse(object: line, isTimeEnough: isTimeEnough)
          : try parser.parse(line, isTimeEnough: isTimeEnough)
        if let row = try row(time) { return row }
      } catch {
        throw refusal(line, error)
      }
    }
    return nil
  }

  /// The next line or object with a row; blank lines and the header again are noted.
  private func nextLine() throws(ImportError) -> UnsafeRawBufferPointer? {
    guard !isJSON else { return try objects?.next() }
    let separator = understanding.syntax.separator
    var (comment, blanks): (Place?, Int) = (nil, 0)
    while let line = try lines?.next() {
      if let first = line.first, !FieldText.isBlank(first), first != separator {
        if heading.mayBeRepeated(first) {
          let isHeader = heading.isRepeated(line)
          if isHeader {
            if hasRows { begin = .header }
          } else if first == UInt8(ascii: "#") {
            comment = comment ?? place
          }
          let isUnits = begin == .header && heading.unitRow == Heading.shown(line, separator)
          if isHeader || isUnits || first == UInt8(ascii: "#") { continue }
        }
      } else if line.allSatisfy({ FieldText.isBlank($0) || $0 == separator }) {
        // A sheet writes the separators of a blank line.
        blanks += 1
        if hasRows, blanks > (isDoubleSpaced ? 1 : 0) { begin = begin ?? .blankLine }
        continue
      }
      guard let comment, hasRows else { return line }
      throw ImportError(
        name, at: comment, "a comment between the rows may change what those after it mean",
        remedy: "take it out, or import the rows before and after it as tables of their own")
    }
    return nil
  }

  /// The row of the line that was parsed; `nil` if a value is missing.
  private func row(_ found: Int64?) throws(FieldError) -> Row? {
    if parser.gap != nil || parser.mark != nil || parser.tick != nil { isPlain = false }
    // Rows of gaps have a time, too, but need none.
    if parser.gap != nil { return Row(time: found ?? last, tick: parser.tick, gap: parser.gap) }
    guard var time = found else {
      guard understanding.timeColumn != nil else {
        throw FieldError(
          problem: "a value is missing, and the rows after it would be placed a tick too early",
          remedy: "fill it in; rows without times follow each other")
      }
      isPlain = false
      if incomplete.rows == 0 { incomplete.first = place }
      incomplete.rows += 1
      return nil
    }
    if isTimeOfDay {
      let day: Int64 = 86_400_000_000_000
      // The nearer way round the clock: a row that turns back over midnight is found as one that is out of order.
      if last > .min, abs(last - midnight - time) > day / 2 {
        midnight += last - midnight > time ? day : -day
      }
      // Times of day and the days before them must fit.
      guard midnight < .max - 2 * day else {
        throw FieldError(
          problem: "more midnights are before this row than a log can count",
          remedy: "import the parts of the table separately")
      }
      time += midnight
    }
    (last, hasRows) = (time, true)
    defer { begin = nil }
    return Row(time: time, tick: parser.tick, mark: parser.mark, begin: begin)
  }

  /// The error of a row: bytes of 0 and a quote without its other half are worse than what they do to a value.
  private func refusal(_ line: UnsafeRawBufferPointer, _ error: FieldError) -> ImportError {
    if line.contains(0) { return .zeros(name, place) }
    guard !isJSON, !line.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) else {
      return error.at(name, place)
    }
    return ImportError(
      name, at: place, "a quote here has no other half",
      remedy: "correct it; a value is never on several lines")
  }
}
