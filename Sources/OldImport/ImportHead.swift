// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Finds the header of a text table among its first lines, and the facts before it.
///
///     # imulog.units.ax: m/s^2      facts: this program's preamble,
///     "acc_1G","2048"               Blackbox Explorer's and Gyroflow's keys
///     t_ns,ax,ay,az                 the header: the first line that a dialect knows
///     0,0.1,-9.8,0.2                rows
struct ImportHead {
  /// The most lines before the header.
  private static let limit = 200

  private let columns: ImportColumnNames?
  private let file: String
  /// Whether a table without times is refused.
  private let needsTime: Bool
  private var facts = ImportFacts()
  private var lineNumber = 0
  private var isGyroflow = false
  /// Whether a line before the header begins with `//`.
  private var hasSlashes = false
  /// The first line that may be the header of columns with numbers, and the last before the first row.
  private var (firstHeader, lastHeader): (NumberedHeader?, NumberedHeader?)
  private struct NumberedHeader {
    let headings: [ImportHeading]
    let line: Int
    let separator: UInt8
  }
  /// The problem with the first line that is no comment, if no line is a header.
  private var refusal: (line: Int, problem: ImportLineProblem)?

  private init(_ columns: ImportColumnNames?, file: String, needsTime: Bool) {
    (self.columns, self.file, self.needsTime) = (columns, file, needsTime)
  }

  /// Reads up to the header and returns what it says.
  ///
  /// - Parameters:
  ///   - columns: The columns that the user names.
  ///   - needsTime: Whether a table without times is refused.
  static func read<Source: ImportSource & ~Copyable>(
    _ lines: inout ImportLines<Source>, _ columns: ImportColumnNames?, needsTime: Bool = true
  ) throws(ImportError) -> ImportLayout {
    let name = lines.source.name
    var head = ImportHead(columns, file: name, needsTime: needsTime)
    lines.rewind()
    while head.lineNumber < limit, let line = try lines.next() {
      head.lineNumber += 1
      if line.contains(0) {
        throw head.lineNumber == 1 && ImportText.isWide(line)
          ? .notUTF8(name: name)
          : .line(name: name, line: ImportPlace(line: head.lineNumber), problem: .zeros)
      }
      guard !line.contains(UInt8(ascii: "\r")) else {
        throw ImportText.isUTF8(line) ? .carriageReturns(name: name) : .notUTF8(name: name)
      }
      let text = head.lineNumber == 1 ? ImportHead.withoutMark(line) : line
      do throws(ImportFieldError) {
        if let layout = try head.take(text) { return layout }
      } catch {
        throw .line(
          name: name, line: ImportPlace(line: head.lineNumber), problem: error.problem)
      }
      if let schema = head.facts.newerSchema { throw .newerDocument(name: name, schema: schema) }
    }
    guard head.lineNumber > 0 else { throw .empty(name: name) }
    if let columns, let header = head.firstHeader {
      do throws(ImportFieldError) {
        var layout = try columns.layout(header.headings)
        (layout.headLines, layout.separator) = (header.line, header.separator)
        layout.facts = head.facts
        return layout
      } catch {
        throw .line(name: name, line: ImportPlace(line: header.line), problem: error.problem)
      }
    }
    let (line, problem) = head.refusal ?? (1, .noTimeColumn(found: ""))
    throw .line(name: name, line: ImportPlace(line: line), problem: problem)
  }

  private static func withoutMark(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard line.starts(with: ImportFormat.byteOrderMark) else { return line }
    return UnsafeRawBufferPointer(rebasing: line[ImportFormat.byteOrderMark.count...])
  }

  /// The layout, if the line is the header or the first row of a table without one.
  private mutating func take(_ line: UnsafeRawBufferPointer) throws(ImportFieldError)
    -> ImportLayout?
  {
    let isComment = line.first == UInt8(ascii: "#")
    let text = isComment ? UnsafeRawBufferPointer(rebasing: line[1...]) : line
    if line.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) { hasSlashes = true }
    let separator = separator(of: text, isComment: isComment)
    let cells = ImportHead.cells(text, separator)
    let headings = cells.map { ImportHeading($0) }
    if lineNumber == 1, let word = headings.first?.name,
      ["gyroflow imu log", "camera imu log"].contains(word)
    {
      isGyroflow = true
      return nil
    }
    let found =
      if let columns, columns.needNoHeader {
        try numbered(columns, headings, cells, separator, isComment: isComment)
      } else {
        try layout(headings, cells, isComment: isComment)
      }
    if var layout = found {
      for column in layout.columns {
        guard let channel = column.channel, let word = column.unit else { continue }
        let group = ImportGroup(channel: channel)
        if let unit = layout.units[group], let stated = facts.units[group], unit != stated {
          throw ImportFieldError(
            .mixedStatedUnits(
              column: column.name, found: ImportText.shown(Array(word.utf8)), other: "the preamble",
              unit: stated.sign))
        }
      }
      layout.separator = separator
      layout.facts = facts
      return layout
    }
    if isComment {
      takeFact(text, UInt8(ascii: ":"))
    } else {
      if cells.count == 2 { takeFact(text, separator) }
      if refusal == nil, !isGyroflow { refusal = (lineNumber, problem(headings, text)) }
    }
    facts.place(ImportPlace(line: lineNumber))
    if let problem = facts.unitProblem { throw ImportFieldError(problem) }
    return nil
  }

  /// The separator of a line: of a row of columns with numbers that of the header, if it has as many columns, or one that no
  /// decimal comma is taken for.
  private func separator(of text: UnsafeRawBufferPointer, isComment: Bool) -> UInt8 {
    if let columns, columns.needNoHeader {
      let marks = [lastHeader?.separator, UInt8(ascii: ";"), UInt8(ascii: "\t")].compactMap { $0 }
      let mark = marks.first { ImportHead.cells(text, $0).count >= max(2, columns.width) }
      if let mark { return mark }
    }
    return ImportHead.separator(of: text, takesBlanks: !isComment)
  }

  /// The layout of columns with numbers, at the first row: a line that has a time, or without times a value, where it should be.
  /// The line before it that has as many columns is the header; it may be a comment.
  private mutating func numbered(
    _ columns: ImportColumnNames, _ headings: [ImportHeading], _ cells: [UnsafeRawBufferPointer],
    _ separator: UInt8, isComment: Bool
  ) throws(ImportFieldError) -> ImportLayout? {
    guard cells.count >= columns.width else { return nil }
    let header = NumberedHeader(headings: headings, line: lineNumber, separator: separator)
    let cell = cells[columns.firstIndex]
    // A row may lack its time, beside an axis that is a number.
    let isRow =
      ImportHead.isTime(cell)
      || ImportText.trimmed(cell).isEmpty
        && columns.indices.contains { ImportHead.isTime(cells[$0]) }
    guard isRow, !isComment else {
      if !isComment { firstHeader = firstHeader ?? header }
      lastHeader = header
      return nil
    }
    if let last = lastHeader?.headings, last.count != cells.count,
      last.count != cells.count + 1 || last.last?.name != ""
    {
      lastHeader = nil
    }
    let headLines = lineNumber - 1
    // Where an error is.
    lineNumber = lastHeader?.line ?? lineNumber
    var layout = try columns.layout((lastHeader ?? header).headings)
    // A separator at the end of a header makes no column.
    (layout.headLines, layout.fieldCount) = (headLines, cells.count)
    return layout
  }

  private func layout(
    _ headings: [ImportHeading], _ cells: [UnsafeRawBufferPointer], isComment: Bool
  ) throws(ImportFieldError) -> ImportLayout? {
    if let columns {
      guard columns.isHeader(headings) else { return nil }
      var layout = try columns.layout(headings)
      layout.headLines = lineNumber
      return layout
    }
    if isGyroflow {
      guard headings.first?.name == "t" else { return nil }
      var layout = try ImportLayout(headings, .gyroflow, file: file)
      layout.headLines = lineNumber
      try layout.takeGyroflow(facts)
      return layout
    }
    // This program's tables have no columns but its own.
    let areOwn = headings.allSatisfy {
      $0.name.isEmpty || ImportDialect.own.axes[$0.name] != nil
        || ImportDialect.own.times[$0.name] != nil
    }
    let known =
      ImportHead.dialect(headings)
      ?? (needsTime
        ? nil
        : ImportHead.dialect(
          headings, among: [.openLog] + (areOwn ? [.own] : []) + [.hobby], needTime: false))
    if var known {
      if known.name == ImportDialect.movella.name, hasSlashes { known = .mtManager }
      var layout = try ImportLayout(headings, known, file: file, needsTime: needsTime)
      layout.headLines = lineNumber
      return layout
    }
    guard !isComment, lineNumber == 1, let layout = ImportHead.axivityWithoutHeader(cells) else {
      return nil
    }
    return layout
  }

  /// The layout of rows of JSON with these keys; `nil` if no dialect knows them.
  ///
  /// - Parameter ignoring: Keys that need no mention.
  static func layout(
    _ keys: [ImportHeading], _ columns: ImportColumnNames?, file: String, ignoring: Set<String>
  ) throws(ImportFieldError) -> ImportLayout? {
    if let columns { return try columns.layout(keys) }
    guard let known = dialect(keys) else { return nil }
    return try ImportLayout(keys, known, file: file, ignoring: ignoring)
  }

  /// The dialect that knows most of the axes; at least three of them, or one of this program's own.
  private static func dialect(
    _ headings: [ImportHeading], among dialects: [ImportDialect] = ImportDialect.all,
    needTime: Bool = true
  ) -> ImportDialect? {
    var best: (dialect: ImportDialect, count: Int)?
    for dialect in dialects {
      let count = dialect.matches(headings, needTime: needTime)
      if count >= (dialect.isOwn ? 1 : 3), count > best?.count ?? 0 { best = (dialect, count) }
    }
    return best?.dialect
  }

  /// Rows of cwa-convert, which writes no header: a date, accelerations in g, and rates in °/s if there are six values.
  private static func axivityWithoutHeader(_ cells: [UnsafeRawBufferPointer]) -> ImportLayout? {
    // The columns of light, temperature and battery, which an AX3 may have in place of rates, are whole numbers.
    guard [4, 7].contains(cells.count), let first = cells.first,
      cells.dropFirst(4).allSatisfy({ $0.contains(UInt8(ascii: ".")) }),
      ImportTimeParser.date(first) != nil,
      cells.dropFirst().allSatisfy({ if case .number = ImportNumber($0) { true } else { false } })
    else { return nil }
    var layout = ImportLayout()
    layout.program = "Axivity"
    layout.isStrict = false
    layout.headLines = 0
    layout.fieldCount = cells.count
    layout.columns = (0..<cells.count).map {
      ImportLayout.Column(
        index: $0, name: $0 == 0 ? "time" : ChannelSet.names[$0 - 1],
        channel: $0 == 0 ? nil : $0 - 1)
    }
    layout.timeForm = .date
    layout.units.accelerometer = .g
    layout.units.gyroscope = .degreePerSecond
    layout.remarks = [
      "there is no header: the columns are taken as cwa-convert's, a time, g"
        + (cells.count == 7 ? ", deg/s" : "")
    ]
    return layout
  }

  /// Why the line is no header.
  private func problem(_ headings: [ImportHeading], _ line: UnsafeRawBufferPointer)
    -> ImportLineProblem
  {
    if let columns {
      return .noColumn(columns.needNoHeader ? "\(columns.width)" : columns.sought)
    }
    if ImportHead.dialect(headings, among: [.own, .hobby], needTime: false) != nil,
      !headings.contains(where: { ImportDialect.hobby.times[$0.name] != nil })
    {
      return .noTime
    }
    if let problem = ImportLayout.problem(ofUnknown: headings) { return problem }
    let hasTime = headings.contains { ImportDialect.own.times[$0.name] != nil }
    if hasTime {
      let strange = headings.enumerated().first { ImportDialect.own.times[$0.element.name] == nil }
      guard let strange else { return .noAxis }
      return .unknownColumn(column: strange.offset + 1, found: strange.element.shown)
    }
    return .noTimeColumn(found: ImportText.shown(line))
  }

  private mutating func takeFact(_ text: UnsafeRawBufferPointer, _ separator: UInt8) {
    guard let place = text.firstIndex(of: separator) else { return }
    // Those of a preamble are no fields.
    let isField = separator != UInt8(ascii: ":")
    func word(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
      let field = ImportText.trimmed(UnsafeRawBufferPointer(rebasing: bytes))
      return String(decoding: field, as: UTF8.self).filter { !isField || $0 != "\"" }
    }
    facts.take(word(text[..<place]), word(text[(place + 1)...]))
  }

  private static func isTime(_ cell: UnsafeRawBufferPointer) -> Bool {
    for mark in [UInt8(ascii: "."), UInt8(ascii: ",")] {
      if case .number = ImportNumber(cell, mark: mark) { return true }
    }
    return ImportTimeParser.date(cell) != nil
  }

  /// The most frequent of comma, semicolon and tab; single blanks where none of them separates and there are three or more.
  static func separator(of line: UnsafeRawBufferPointer, takesBlanks: Bool = false) -> UInt8 {
    let marks = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    var best = (mark: marks[0], count: 0)
    for mark in marks {
      let count = cells(line, mark).count
      if count > best.count { best = (mark, count) }
    }
    let blank = UInt8(ascii: " ")
    return best.count == 1 && takesBlanks && cells(line, blank).count > 3 ? blank : best.mark
  }

  /// The fields of a line; a separator within quotes is part of its field.
  static func cells(_ line: UnsafeRawBufferPointer, _ separator: UInt8) -> [UnsafeRawBufferPointer]
  {
    var cells: [UnsafeRawBufferPointer] = []
    var (begin, isQuoted) = (0, false)
    for place in 0..<line.count {
      if line[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard line[place] == separator, !isQuoted else { continue }
      cells.append(UnsafeRawBufferPointer(rebasing: line[begin..<place]))
      begin = place + 1
    }
    cells.append(UnsafeRawBufferPointer(rebasing: line[begin...]))
    return cells
  }
}

extension ImportLayout {
  /// Takes what a gcsv's keys say about its columns.
  mutating func takeGyroflow(_ facts: ImportFacts) throws(ImportFieldError) {
    if let scale = facts.timeScale {
      timeForm = .number(power: 9 + scale.exponent, factor: scale.digits)
    }
    let orientation = facts.orientation ?? "XYZ"
    let letters = Array(orientation.lowercased())
    guard letters.count == 3, Set(letters) == ["x", "y", "z"] else {
      throw ImportFieldError(.unknownOrientation(found: ImportText.shown(orientation.utf8)))
    }
    if facts.orientation == nil {
      remarks.append("no orientation is given: axes are imported as they are named")
    }
    for place in columns.indices {
      guard let channel = columns[place].channel else { continue }
      let letter = Character(["x", "y", "z"][channel % 3])
      guard let axis = letters.firstIndex(of: letter) else { continue }
      columns[place].channel = channel / 3 * 3 + axis
      columns[place].isReversed = Array(orientation)[axis].isLowercase
    }
  }
}
