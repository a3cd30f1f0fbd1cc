// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The rows of a table, lines or objects of JSON, checked by all rules about single rows.
struct TableReader<Source: ImportSource & ~Copyable>: SampleRows, ~Copyable {
  let name: String
  private(set) var understanding: Understanding
  private let heading: Heading
  private(set) var facts: OwnFacts
  private var parser: RowParser
  private let isJSON: Bool
  /// One of them; written out, as a default value would forbid `self =` in the initializer of what cannot be copied.
  private var lines: Optional<Lines<TextSource<Source>>>
  private var objects: Optional<JSONRows<TextSource<Source>>>
  /// The sum of the bytes before the first row.
  private var head: UInt64
  /// What is added to times of day: the midnights that passed; the time before.
  private var (midnight, last): (Int64, Int64)
  private let isTimeOfDay: Bool
  private static var day: Int64 { 86_400_000_000_000 }
  private(set) var incomplete: (rows: UInt64, first: Place?)
  /// Whether digits of times below a nanosecond were rounded.
  private var areTimesRounded: Bool
  /// Whether all rows of the last pass were whole, and none was one of a gap.
  private var (isPlain, wasPlain): (Bool, Bool)
  /// Whether blank lines or the header are before the next row, and whether there was a row before it.
  private var (begin, hasRows): (Understanding.Session.Begin?, Bool)
  /// Comments between rows.
  private var comments: Int
  /// While days and months may be in several orders: a parser for each.
  private var orders: [(form: TimeForm, parser: RowParser)]
  private let openForms: [TimeForm]

  var numbers: [Decimal] { parser.numbers }
  var place: Place {
    switch lines {
    case .some(let lines): return lines.place
    case .none: break
    }
    switch objects {
    case .some(let objects): return objects.place
    case .none: return 1
    }
  }
  var mark: RowMark {
    switch lines {
    case .some(let lines): return lines.mark
    case .none: break
    }
    switch objects {
    case .some(let objects): return objects.mark
    case .none: return RowMark(byte: 0, line: 1)
    }
  }

  /// What was found in the rows: sentences.
  var remarks: [String] {
    var remarks: [String] = []
    if areTimesRounded {
      remarks.append("times in \(name) have digits below a nanosecond, and are rounded to one")
    }
    if comments > 0 {
      remarks.append("\(Plain.count(comments, "comment")) between rows of \(name): left out")
    }
    switch lines {
    case .some(let lines) where lines.isCut && !lines.source.hasStatedLength:
      remarks.append(
        "the last line of \(name), \(lines.number), has no line feed: if the file was cut there, its last value may be cut too"
      )
    default: break
    }
    return remarks
  }

  /// Reads the head, and looks at the first rows.
  ///
  /// - Parameter filter: The objects of a list with those of several sensors.
  init(_ source: consuming Source, _ request: ImportRequest, _ filter: JSONFilter? = nil)
    throws(ImportError)
  {
    self = try TableReader.open(TextSource(source), request, filter)
  }

  private static func open(
    _ source: consuming TextSource<Source>, _ request: ImportRequest, _ filter: JSONFilter?
  ) throws(ImportError) -> TableReader {
    var text = source
    let name = text.name
    let encoding = text.encoding
    if try text.isJSON() {
      return try ofObjects(JSONRows(text, filter), name, encoding, request, filter)
    }
    return try ofLines(Lines(text), name, encoding, request)
  }

  private static func ofLines(
    _ source: consuming Lines<TextSource<Source>>, _ name: String, _ encoding: Encoding,
    _ request: ImportRequest
  ) throws(ImportError) -> TableReader {
    var lines = source
    let heading = try Heading.read(&lines, request.columns, needsTime: request.rate == nil)
    for _ in 0..<heading.lines { _ = try lines.next() }
    var rows = FirstRows()
    while rows.rows < FirstRows.limit, let line = try lines.next() {
      guard !line.allSatisfy(FieldText.isBlank), !heading.isRepeated(line) else { continue }
      rows.add(
        Heading.cells(line, heading.separator), separator: heading.separator,
        names: heading.cells.count)
    }
    let table = try TableHead.understanding(heading, rows, name, request, encoding: encoding)
    var reader = TableReader(name, table, heading, heading.facts, rows, lines, nil)
    reader.head = try reader.skipHead()
    return reader
  }

  private static func ofObjects(
    _ source: consuming JSONRows<TextSource<Source>>, _ name: String, _ encoding: Encoding,
    _ request: ImportRequest, _ filter: JSONFilter?
  ) throws(ImportError) -> TableReader {
    var objects = source
    let heading = Heading(
      keys: objects.names, facts: objects.facts, needsTime: request.rate == nil)
    var rows = FirstRows()
    // Which of an app's sensors it is may be in each row.
    var sensor = filter?.value
    while rows.rows < FirstRows.limit, let object = try objects.next() {
      do throws(FieldError) {
        let cells = try TableReader.cells(objects.names, of: object)
        if let place = objects.names.firstIndex(of: "sensor") {
          sensor = sensor ?? String(decoding: cells[place], as: UTF8.self)
        }
        rows.add(cells, separator: 0, names: cells.count)
      } catch {
        throw error.at(name, objects.place)
      }
    }
    var table = try TableHead.understanding(
      heading, rows, sensor ?? name, request, shape: objects.shape, encoding: encoding)
    table.names = [name]
    let facts = objects.facts
    var reader = TableReader(name, table, heading, facts, rows, nil, objects)
    reader.head = try reader.skipHead()
    return reader
  }

  private init(
    _ name: String, _ understanding: Understanding, _ heading: Heading, _ facts: OwnFacts,
    _ rows: FirstRows, _ lines: consuming Lines<TextSource<Source>>?,
    _ objects: consuming JSONRows<TextSource<Source>>?
  ) {
    (self.name, self.understanding, self.heading, self.facts) = (
      name, understanding, heading, facts
    )
    self.lines = lines
    self.objects = objects
    (head, midnight, last, incomplete, orders) = (0, 0, .min, (0, nil), [])
    (areTimesRounded, isPlain, wasPlain, hasRows, begin) = (false, true, false, false, nil)
    comments = 0
    let dates = understanding.columns.first { $0.role == .date } ?? understanding.timeColumn
    let forms = dates.flatMap { $0.index < rows.columns.count ? rows.columns[$0.index].forms : nil }
    openForms =
      understanding.orders.isEmpty
      ? [] : (forms ?? []).sorted { $0.order?.rawValue ?? "" < $1.order?.rawValue ?? "" }
    parser = RowParser(understanding.syntax, understanding.columns, [:], nil)
    isJSON = understanding.syntax.shape != .lines
    isTimeOfDay = understanding.times?.value == .timeOfDay
    prepare()
  }

  /// The members of an object under these names, in their order.
  private static func cells(_ names: [String], of object: UnsafeRawBufferPointer)
    throws(FieldError) -> [UnsafeRawBufferPointer]
  {
    var cells = names.map { _ in UnsafeRawBufferPointer(start: nil, count: 0) }
    try Members.each(of: object) { key, value in
      guard let place = names.firstIndex(where: { key.elementsEqual($0.utf8) }) else { return }
      if !Members.isNull(value) { cells[place] = value }
    }
    return cells
  }

  /// Makes the parser of the first pass: what is not stated is read as it is written.
  private mutating func prepare() {
    let table = understanding
    let isWide = table.syntax.fieldCount > table.columns.count
    func parser(_ form: TimeForm?) -> RowParser {
      RowParser(
        table.syntax, table.columns, table.units.mapValues(\.value), form, isLenient: isWide)
    }
    let numbers = TimeForm.number(power: table.syntax.timeDecimals)
    self.parser = parser(table.timeColumn == nil ? nil : table.times?.value ?? numbers)
    orders = openForms.map { ($0, parser($0)) }
  }

  mutating func take(_ reading: Reading) {
    orders = []
    parser = RowParser(reading.syntax, reading.columns, reading.units, reading.times)
  }

  /// Goes to the first row, and returns the sum of the bytes before it, which must stay the same.
  private mutating func skipHead() throws(ImportError) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    try objects?.rewind()
    try lines?.rewind()
    for _ in 0..<(isJSON ? 0 : heading.lines) {
      guard let line = try lines?.next() else { throw .changed(name) }
      // Fowler, Noll and Vo's hash, 1a.
      for byte in line {
        sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    return sum
  }

  mutating func rewind(to mark: RowMark?) throws(ImportError) {
    (wasPlain, isPlain) = (isPlain && hasRows && mark == nil, true)
    (incomplete, midnight, last) = ((0, nil), 0, .min)
    (begin, hasRows, areTimesRounded, comments) = (nil, false, false, 0)
    guard let mark else {
      guard try skipHead() == head else { throw .changed(name) }
      return
    }
    try lines?.rewind(to: mark)
    try objects?.rewind(to: mark)
  }

  mutating func next() throws(ImportError) -> Row? {
    while let line = try nextLine() {
      do throws(FieldError) {
        if let row = try row(line) { return row }
      } catch {
        throw refusal(line, error)
      }
    }
    return nil
  }

  mutating func nextTime() throws(ImportError) -> Row? {
    guard wasPlain else { return try next() }
    guard let line = try nextLine() else { return nil }
    do throws(FieldError) {
      let time = isJSON ? try parser.plainTime(object: line) : parser.plainTime(line)
      if let time { return try take(time) }
      if let row = try row(line) { return row }
    } catch {
      throw refusal(line, error)
    }
    return try nextTime()
  }

  /// The next line or object with a row; blank lines and the header again are noted.
  private mutating func nextLine() throws(ImportError) -> UnsafeRawBufferPointer? {
    guard !isJSON else { return try objects?.next() ?? nil }
    let separator = understanding.syntax.separator
    while let line = try lines?.next() ?? nil {
      if let first = line.first, !FieldText.isBlank(first), first != separator {
        guard heading.mayBeRepeated(first) else { return line }
        if heading.isRepeated(line) {
          if hasRows { begin = .header }
        } else if first == UInt8(ascii: "#") {
          comments += 1
        } else if !hasUnits(line) {
          return line
        }
        continue
      }
      // A sheet writes the separators of a blank line.
      guard line.allSatisfy({ FieldText.isBlank($0) || $0 == separator }) else { return line }
      if hasRows { begin = begin ?? .blankLine }
    }
    return nil
  }

  /// Whether a line is the row of units again, below the header.
  private func hasUnits(_ line: UnsafeRawBufferPointer) -> Bool {
    begin == .header && heading.unitRow == Heading.shown(line, understanding.syntax.separator)
  }

  /// The row in a line or an object; `nil` if a value is missing.
  private mutating func row(_ line: UnsafeRawBufferPointer) throws(FieldError) -> Row? {
    if !orders.isEmpty { try dropOrders(line) }
    let time = isJSON ? try parser.parse(object: line) : try parser.parse(line)
    areTimesRounded = areTimesRounded || parser.isTimeRounded
    guard let time else {
      isPlain = false
      // Rows of gaps have a time, too, but need none.
      if parser.gap != nil { return Row(time: last, tick: parser.tick, gap: parser.gap) }
      if incomplete.rows == 0 { incomplete.first = place }
      incomplete.rows += 1
      return nil
    }
    if parser.gap != nil || parser.mark != nil || parser.tick != nil { isPlain = false }
    guard parser.gap == nil else { return Row(time: time, tick: parser.tick, gap: parser.gap) }
    var row = try take(time)
    (row.tick, row.mark) = (parser.tick, parser.mark)
    return row
  }

  private mutating func take(_ found: Int64) throws(FieldError) -> Row {
    var time = found
    if isTimeOfDay {
      let isNext = last > .min && last - midnight - time > TableReader.day / 2
      // Times of day and the days before them must fit.
      guard midnight < .max - 3 * TableReader.day else {
        throw FieldError(
          problem: "more midnights are before this row than a log can count",
          remedy: "import the parts of the table separately")
      }
      if isNext { midnight += TableReader.day }
      time += midnight
    }
    (last, hasRows) = (time, true)
    defer { begin = nil }
    return Row(time: time, begin: begin)
  }

  /// Leaves out the orders of day and month in which a row's date is none; the last one is then stated by it.
  private mutating func dropOrders(_ line: UnsafeRawBufferPointer) throws(FieldError) {
    var left: [(form: TimeForm, parser: RowParser)] = []
    var failure: FieldError?
    for (form, parser) in orders {
      var parser = parser
      do throws(FieldError) {
        _ = isJSON ? try parser.parse(object: line) : try parser.parse(line)
        left.append((form, parser))
      } catch {
        failure = error
      }
    }
    guard let first = left.first else {
      if let failure { throw failure }
      return
    }
    orders = left.count > 1 ? left : []
    understanding.orders = Set(orders.compactMap(\.form.order))
    parser = first.parser
    guard left.count == 1 else { return }
    understanding.times = .init(first.form, .file("a date whose day is above 12"))
  }

  /// The error of a row: bytes of 0 and a quote without its other half are worse than what they do to a value.
  private func refusal(_ line: UnsafeRawBufferPointer, _ error: FieldError) -> ImportError {
    if line.contains(0) { return .zeros(name, place) }
    var error = error
    // A gcsv says what its counts are, and other numbers are values.
    if understanding.program == Dialect.gyroflow.name, error.remedy.hasPrefix("counts have 16 bits")
    {
      error.remedy =
        "values before it are counts: write values with a decimal point, as 70000.0, for another scale than the file's"
    }
    guard !isJSON, !line.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) else {
      return error.at(name, place)
    }
    return ImportError(
      name, at: place, "a quote here has no other half",
      remedy: "correct it; a value is never on several lines")
  }
}
