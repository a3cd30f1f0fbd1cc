// SPDX-License-Identifier: Apache-2.0

import Text

/// The header of a text table, which is found among its first lines, and what is stated before it.
///
///     # imulog.units.ax: m/s^2      facts: this program's preamble,
///     "acc_1G","2048"               Blackbox Explorer's and Gyroflow's keys
///     t_ns,ax,ay,az                 the header
///     ns,g,g,g                      its row of units
///     0,0.1,-9.8,0.2                rows
struct Heading {
  /// The most lines before the header.
  private static let limit = 200

  /// The cells of the header as they are shown; `column 1` and so on without one.
  private(set) var cells: [String] = []
  /// Lines before the first row.
  private(set) var lines = 0
  private(set) var separator = UInt8(ascii: ",")
  private(set) var unitRow: [String]?
  private(set) var facts = OwnFacts()
  /// Keys and values of other programs before the header.
  private(set) var keys: [String: String] = [:]
  /// Dates and times of day among them.
  private(set) var stamps: Set<String> = []
  /// Units that lines before the header name, such as `Units,mg` and `# units: m/s^2, rad/s`.
  private(set) var unitWords: [String] = []
  /// Lines of words that are not this program's, and have no date.
  private var words: [Int] = []
  /// Whether lines before the header are not known.
  var hasUnread: Bool { words.contains { $0 < place.line } }
  private(set) var program: Dialect?
  private(set) var hasHeader = true
  /// Where the header is.
  private(set) var place: Place = 1

  private let columns: ColumnsOption?
  private let needsTime: Bool
  private var isGyroflow = false
  /// Of two programs with the same names and other units, the one that writes a line that is above the header.
  private var xsens: Dialect?
  /// A line that looks like a header, and the last one of words: if no line is one for sure.
  private var (likely, last): (Line?, Line?)
  /// The first lines of numbers after it, and the numbers of all such lines.
  private var rows: [Line] = []
  private var rowNumbers: [Int] = []

  private typealias Line = (cells: [String], number: Int, separator: UInt8)

  private init(_ columns: ColumnsOption?, needsTime: Bool) {
    (self.columns, self.needsTime) = (columns, needsTime)
  }

  init(keys: [String], facts: OwnFacts, hasUnread: Bool, needsTime: Bool) {
    (columns, self.needsTime) = (nil, needsTime)
    words = hasUnread ? [0] : []
    (cells, self.facts) = (keys, facts)
    program = Dialect.program(
      keys.map { ColumnName($0) }, isComment: false, needsTime: needsTime)
  }

  /// Reads up to the first row, or to a line after it; `lines` is then at the beginning again.
  static func read(_ lines: Lines, _ columns: ColumnsOption?, needsTime: Bool)
    throws(ImportError) -> Heading
  {
    let name = lines.source.name
    var heading = Heading(columns, needsTime: needsTime)
    try lines.rewind()
    var isFound = false
    while !isFound, lines.number < limit, let line = try lines.next() {
      guard !line.contains(0) else { throw .zeros(name, lines.place) }
      guard !line.contains(UInt8(ascii: "\r")) else {
        throw ImportError(
          name, "has lines that end with CR alone",
          remedy: "save it with LF or CR LF and import that")
      }
      isFound = heading.take(line, lines.number)
      try heading.facts.check(name)
    }
    guard lines.number > 0 else {
      throw ImportError(name, "is empty", remedy: "there is nothing to import")
    }
    if !isFound { heading.settle() }
    if case let before = heading.rowNumbers.count(where: { $0 < heading.place.line }), before > 0 {
      throw ImportError(
        name, at: heading.place,
        "\(Plain.count(before, "row")) of numbers \(before == 1 ? "is" : "are") before the header",
        remedy: "take them out, or import them as a table of their own")
    }
    if heading.hasHeader { try heading.takeUnitRow(lines) }
    try lines.rewind()
    return heading
  }

  /// Whether a line is the header again.
  func isRepeated(_ line: UnsafeRawBufferPointer) -> Bool {
    hasHeader && Heading.names(Heading.shown(Heading.withoutSign(line), separator)) == cells
  }

  /// Whether a line with this first byte may be the header.
  func mayBeRepeated(_ byte: UInt8) -> Bool {
    hasHeader && !FieldText.isDigit(byte) && byte != UInt8(ascii: "-")
  }

  /// Whether a line ends the head: it is the header, or the third row without one.
  private mutating func take(_ line: UnsafeRawBufferPointer, _ number: Int) -> Bool {
    let text = Heading.withoutSign(line)
    let isComment = text.count < line.count
    if line.starts(with: "//".utf8) { xsens = .mtManager }
    if line.starts(with: "sep=".utf8) || line.starts(with: "DeviceTag".utf8) {
      xsens = xsens ?? .movella
    }
    let mark = separator(of: text)
    let found: Line = (Heading.shown(text, mark), number, mark)
    if number == 1, ["gyroflow imu log", "camera imu log"].contains(found.cells[0].lowercased()) {
      isGyroflow = true
      return false
    }
    if !isComment, isNumbers(Heading.cells(text, mark)) { rowNumbers.append(number) }
    if !isComment, isRow(Heading.cells(text, mark)) {
      if let first = rows.first, first.cells.count != found.cells.count { rows = [] }
      rows.append(found)
      if rows.count == 3 { settle() }
      return rows.count == 3
    }
    // No table of a sensor has more columns.
    let names = found.cells.prefix(1000).map { ColumnName($0) }
    if isHeader(names, found, isComment, isTight: text.count + 1 == line.count) {
      use(found)
      return true
    }
    // Below a line that may be the header.
    if let last, last.cells.count == found.cells.count, found.cells.contains(where: { $0 != "" }),
      found.cells.allSatisfy({ $0 == "" || Unit(word: $0) != nil || TimeForm(word: $0) != nil })
    {
      unitRow = found.cells
      return false
    }
    if found.cells.count > 1 || last == nil && found.cells != [""] { (last, rows) = (found, []) }
    if likely == nil, Set(names.compactMap { $0.likely ?? $0.axis }).count >= 3 { likely = found }
    takeUnitWords(text)
    let isKnown = text.starts(with: "imulog.".utf8) || text.starts(with: "sep=".utf8)
    if !isKnown, found.cells != [""] { words.append(number) }
    let fact = isComment ? UInt8(ascii: ":") : found.cells.count == 2 ? mark : nil
    guard let fact, let place = text.firstIndex(of: fact) else { return false }
    func word(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
      let field = FieldText.trimmed(UnsafeRawBufferPointer(rebasing: bytes))
      return String(decoding: isComment ? field : FieldText.unquoted(field), as: UTF8.self)
    }
    let (key, value) = (word(text[..<place]), word(text[(place + 1)...]))
    facts.take(key, value, at: Place(line: number))
    if Array(value.utf8).withUnsafeBytes({ WrittenTime($0) != nil }), words.last == number {
      stamps.insert(value)
      words.removeLast()
    }
    // Of two values that differ, neither counts.
    keys[key] = keys[key].map { $0 == value ? $0 : "\($0), \(value)" } ?? value
    return false
  }

  private mutating func takeUnitWords(_ line: UnsafeRawBufferPointer) {
    let words = String(decoding: line.prefix(256), as: UTF8.self).split {
      ",;:=\t\"".contains($0)
    }
    // `Display units` are of another thing.
    var key = ColumnName.pieces(String(words.first ?? "")).map { $0.lowercased() }
    guard ["unit", "units"].contains(key.popLast()), key.allSatisfy(ColumnName.isSensor) else {
      return
    }
    func isUnit(_ word: String) -> Bool { Unit(word: word) != nil || TimeForm(word: word) != nil }
    let all = words.dropFirst().flatMap { word in
      isUnit(String(word)) ? [String(word)] : word.split(separator: " ").map(String.init)
    }
    // A sentence states nothing.
    guard all.allSatisfy({ isUnit($0) || ColumnName.isKnown($0) }) else { return }
    unitWords += all
  }

  /// Whether a line is the header for sure: a program's, or one whose names have a sensor's axes or an axis beside a time.
  private mutating func isHeader(
    _ names: [ColumnName], _ line: Line, _ isComment: Bool, isTight: Bool
  ) -> Bool {
    if isComment, line.cells[0].contains(": ") { return false }
    if let part = columns?.parts.first(where: { $0.index == nil }) {
      return !part.places(line.cells).isEmpty
    }
    if isGyroflow, columns == nil {
      guard names[0].plain == "t" else { return false }
      program = .gyroflow
      return true
    }
    if columns == nil {
      program = Dialect.program(names, isComment: isTight, needsTime: needsTime)
    }
    if program?.name == Dialect.movella.name { program = xsens }
    if columns == nil, names.map(\.plain).starts(with: ["t", "t_ns", "tick"]) {
      program = .ownColumns
    }
    if program != nil { return true }
    let channels = Set(names.compactMap(\.role.channel))
    return channels.isSuperset(of: [0, 1, 2]) || channels.isSuperset(of: [3, 4, 5])
      || !channels.isEmpty && names.contains { $0.role.isTime }
  }

  private mutating func use(_ header: Line) {
    (cells, lines, separator) = (Heading.names(header.cells), header.number, header.separator)
    (place, unitRow) = (Place(line: header.number), nil)
  }

  /// Takes the best line that may be the header, or none.
  private mutating func settle() {
    if columns?.needsNoHeader != true, let likely { return use(likely) }
    guard let row = rows.first else {
      if let last { use(last) }
      return
    }
    (hasHeader, separator) = (false, row.separator)
    (lines, place) = (row.number - 1, Place(line: row.number))
    cells = row.cells.indices.map { "column \($0 + 1)" }
    if takeProgramWithoutHeader(row) { return }
    // A separator at its end makes no column.
    guard let last, case let names = Heading.names(last.cells),
      names.count == Heading.names(row.cells).count || names.count == row.cells.count
    else { return }
    (hasHeader, place) = (true, Place(line: last.number))
    cells = names
  }

  /// Recognises rows of a program that writes no header.
  private mutating func takeProgramWithoutHeader(_ row: Line) -> Bool {
    guard row.number == 1, row.separator == UInt8(ascii: ",") else { return false }
    func isE4(_ line: Line) -> Bool {
      let parts = line.cells[0].split(separator: ".", omittingEmptySubsequences: false)
      return line.cells.count == 3 && Set(line.cells).count == 1 && parts.count == 2
        && parts[1].count == 6
    }
    if rows.count == 3, isE4(rows[0]), isE4(rows[1]),
      !rows[2].cells.contains(where: { $0.contains(".") })
    {
      (program, cells, lines) = (.empatica, ["ax", "ay", "az"], 2)
      keys = ["start": rows[0].cells[0], "rate": rows[1].cells[0]]
      return true
    }
    return false
  }

  /// Takes the lines of words below the header: units, and kinds of values such as `RAW` or `CAL`.
  private mutating func takeUnitRow(_ lines: Lines) throws(ImportError) {
    try lines.rewind()
    while lines.number < self.lines, try lines.next() != nil {}
    while lines.number < self.lines + 3, let line = try lines.next() {
      let words = Heading.shown(line, separator)
      let kinds: Set = ["raw", "cal", "uncal", "calibrated", ""]
      let areKinds =
        words.contains { !$0.isEmpty } && words.allSatisfy { kinds.contains($0.lowercased()) }
      let areUnits = words.contains { Unit(word: $0) != nil || TimeForm(word: $0) != nil }
      guard words.count > 1, areKinds || areUnits, words != cells,
        !Heading.cells(line, separator).contains(where: Heading.isNumber)
      else { return }
      self.lines = lines.number
      if areUnits, !areKinds { unitRow = words }
    }
  }

  /// Whether the cells make a row: more numbers than words, or numbers in the user's columns.
  private func isRow(_ cells: [UnsafeRawBufferPointer]) -> Bool {
    if let columns, columns.needsNoHeader {
      return cells.count >= columns.width
        && columns.indices.contains { Heading.isNumber(cells[$0]) }
    }
    return isNumbers(cells)
  }

  private func isNumbers(_ cells: [UnsafeRawBufferPointer]) -> Bool {
    let numbers = cells.count(where: Heading.isNumber)
    let words = cells.count { !FieldText.trimmed($0).isEmpty } - numbers
    return numbers > 1 && numbers > words
  }

  private static func isNumber(_ cell: UnsafeRawBufferPointer) -> Bool {
    !TimeParser.forms(of: FieldText.unquoted(FieldText.trimmed(cell))).isEmpty
  }

  /// The separator of a line. Of rows under numbers of columns that of the line before them, if it makes enough cells, or
  /// one that no decimal comma is taken for.
  private func separator(of text: UnsafeRawBufferPointer) -> UInt8 {
    let (semicolon, tab, blank) = (UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: " "))
    let least = max(3, columns?.needsNoHeader == true ? columns?.width ?? 0 : 0)
    let marks = [last?.separator, semicolon, tab].compactMap { $0 == blank ? nil : $0 }
    if let mark = marks.first(where: { Heading.cells(text, $0).count >= least }) { return mark }
    let counts = [UInt8(ascii: ","), semicolon, tab].map {
      (mark: $0, count: Heading.cells(text, $0).count)
    }
    let best = counts.reduce(counts[0]) { $1.count > $0.count ? $1 : $0 }
    let parts = Heading.cells(text, blank)
    let areBlanks =
      best.count == 1
      && (parts.count > 3 || parts.count == 3 && parts.allSatisfy(Heading.isNumber))
    return areBlanks ? blank : best.mark
  }

  private static func withoutSign(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    // Files that were joined have a mark before each header.
    if line.starts(with: "\u{FEFF}".utf8) {
      return withoutSign(UnsafeRawBufferPointer(rebasing: line[3...]))
    }
    guard line.first == UInt8(ascii: "#") else { return line }
    return UnsafeRawBufferPointer(rebasing: line[1...].drop { $0 == UInt8(ascii: " ") })
  }

  /// The cells of a header: separators at its end make no columns.
  private static func names(_ cells: [String]) -> [String] {
    Array(cells[...(cells.lastIndex { !$0.isEmpty } ?? cells.startIndex)])
  }

  /// The fields of a line as they are shown.
  static func shown(_ line: UnsafeRawBufferPointer, _ separator: UInt8) -> [String] {
    cells(line, separator).map { cell in
      let text = FieldText.trimmed(FieldText.unquoted(FieldText.trimmed(cell)))
      let bytes = text.prefix(256).filter { $0 != UInt8(ascii: "\"") }
      return ForeignText.shown(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The fields of a line; a separator within quotes is part of its field, and blanks in a row are one separator.
  static func cells(_ line: UnsafeRawBufferPointer, _ separator: UInt8) -> [UnsafeRawBufferPointer]
  {
    var cells: [UnsafeRawBufferPointer] = []
    var (begin, isQuoted) = (0, false)
    for place in 0..<line.count {
      if line[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard line[place] == separator, !isQuoted else { continue }
      if separator == UInt8(ascii: " "), place == begin {
        begin = place + 1
        continue
      }
      cells.append(UnsafeRawBufferPointer(rebasing: line[begin..<place]))
      begin = place + 1
    }
    if separator != UInt8(ascii: " ") || begin < line.count || cells.isEmpty {
      cells.append(UnsafeRawBufferPointer(rebasing: line[begin...]))
    }
    return cells
  }
}
