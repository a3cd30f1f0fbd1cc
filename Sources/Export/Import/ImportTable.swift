// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The rows of a table, checked by all rules about its lines.
struct ImportTable<Source: ImportSource & ~Copyable>: ~Copyable {
  let columns: ImportColumns
  let name: String
  private let parser: ImportRowParser
  private var lines: ImportLines<Source>
  private var lastTime = Int64.min
  /// The number of the line that was read last.
  var line: Int { lines.number }

  /// Reads the header.
  init(_ source: consuming Source) throws(ImportError) {
    let name = source.name
    var lines = ImportLines(source)
    lines.rewind()
    guard let header = try lines.next() else { throw .empty(name: name) }
    guard !header.contains(0) else { throw .notUTF8(name: name) }
    let columns: ImportColumns
    do {
      columns = try ImportColumns(header)
    } catch {
      throw .line(name: name, line: 1, problem: error.problem)
    }
    self.columns = columns
    parser = ImportRowParser(columns: columns)
    self.lines = lines
    self.name = name
  }

  /// Goes back to the first row; the header must still be the same.
  mutating func rewind() throws(ImportError) {
    lines.rewind()
    lastTime = .min
    guard let header = try lines.next() else { throw .changed(name: name) }
    do {
      guard try ImportColumns(header) == columns else { throw ImportError.changed(name: name) }
    } catch {
      throw .changed(name: name)
    }
  }

  /// The next row; `nil` after the last one.
  mutating func next() throws(ImportError) -> (time: Int64, sample: RawSample)? {
    guard let line = try lines.next() else { return nil }
    if line.isEmpty || ImportRowParser.isBlank(line) { return try passBlankEnd() }
    do throws(ImportFieldError) {
      let row = try parser.parse(line)
      if row.time < lastTime { throw timeGoesBack(line) }
      lastTime = row.time
      return row
    } catch {
      throw .line(name: name, line: lines.number, problem: error.problem)
    }
  }

  /// Blank lines end the table; a row after them is an error.
  private mutating func passBlankEnd() throws(ImportError) -> (time: Int64, sample: RawSample)? {
    let number = lines.number
    while let line = try lines.next() {
      guard ImportRowParser.isBlank(line) else {
        throw .line(name: name, line: number, problem: .blank)
      }
    }
    return nil
  }

  private func timeGoesBack(_ line: UnsafeRawBufferPointer) -> ImportFieldError {
    let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    return ImportFieldError(
      .timeGoesBack(
        column: columns.timeColumn + 1, name: columns.names[columns.timeColumn],
        found: ImportText.shown(fields[columns.timeColumn])))
  }
}

/// The columns of a table, as its header names them.
struct ImportColumns: Equatable {
  /// The kind of a column's values.
  enum Kind: Equatable {
    /// Whole numbers of this many nanoseconds.
    case time(unit: Int64)
    /// Seconds with up to nine decimals.
    case seconds
    /// Counts of a channel, by its position in `ChannelSet`.
    case channel(Int)
  }

  let kinds: [Kind]
  let names: [String]
  let timeColumn: Int
  let channels: ChannelSet

  /// The columns of a header line.
  init(_ line: UnsafeRawBufferPointer) throws(ImportFieldError) {
    var text = UnsafeRawBufferPointer(rebasing: line[...])
    if text.starts(with: ImportFormat.byteOrderMark) {
      text = UnsafeRawBufferPointer(rebasing: text[ImportFormat.byteOrderMark.count...])
    }
    var kinds: [Kind] = []
    var names: [String] = []
    var timeColumn: Int?
    var channels: ChannelSet = []
    let fields = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let words = fields.map { ImportText.shown($0) }
    // A line without a time column is no header, whatever else is in it.
    guard words.contains(where: { ImportColumns.time($0) != nil }) else {
      throw ImportFieldError(.noTimeColumn(found: ImportText.shown(text)))
    }
    for (index, word) in words.enumerated() {
      if let kind = ImportColumns.time(word) {
        guard timeColumn == nil else {
          throw ImportFieldError(.repeatedColumn(column: index + 1, found: word))
        }
        timeColumn = index
        kinds.append(kind)
      } else if let channel = ChannelSet.names.firstIndex(of: word) {
        let bit = ChannelSet(rawValue: 1 << UInt8(channel))
        guard channels.isDisjoint(with: bit) else {
          throw ImportFieldError(.repeatedColumn(column: index + 1, found: word))
        }
        channels.insert(bit)
        kinds.append(.channel(channel))
      } else {
        throw ImportFieldError(.unknownColumn(column: index + 1, found: word))
      }
      names.append(word)
    }
    guard !channels.isEmpty, let timeColumn else { throw ImportFieldError(.noAxis) }
    self.kinds = kinds
    self.names = names
    self.timeColumn = timeColumn
    self.channels = channels
  }

  private static func time(_ word: String) -> Kind? {
    switch word {
    case "t_ns", "t_grid_ns": return .time(unit: 1)
    case "t_us": return .time(unit: 1000)
    case "t_ms": return .time(unit: 1_000_000)
    case "t": return .seconds
    default: return nil
    }
  }
}

/// An error in a line, without the name of the file and the number of the line.
struct ImportFieldError: Error {
  let problem: ImportLineProblem

  init(_ problem: ImportLineProblem) {
    self.problem = problem
  }
}

enum ImportText {
  /// The most characters of a wrong value in an error.
  static let shownLimit = 40

  /// A value for an error: trimmed, shortened, and without characters that a terminal could obey.
  static func shown(_ bytes: some Collection<UInt8>) -> String {
    var words = String(decoding: bytes.prefix(4 * shownLimit), as: UTF8.self)[...]
    while let first = words.first, first == " " || first == "\t" { words.removeFirst() }
    while let last = words.last, last == " " || last == "\t" { words.removeLast() }
    let shown = ForeignText.shown(String(words))
    return shown.count > shownLimit ? shown.prefix(shownLimit) + "…" : shown
  }
}

/// Parses the lines of a table after its header.
struct ImportRowParser {
  let columns: ImportColumns

  /// The time and counts of a line.
  ///
  /// - Complexity: one pass over the line, without allocation unless something is wrong.
  func parse(_ line: UnsafeRawBufferPointer) throws(ImportFieldError) -> (
    time: Int64, sample: RawSample
  ) {
    var sample = RawSample()
    var time: Int64 = 0
    var begin = 0
    let count = columns.kinds.count
    for index in 0..<count {
      var end = begin
      while end < line.count, line[end] != UInt8(ascii: ",") { end += 1 }
      let isLastField = end == line.count
      guard isLastField == (index == count - 1) else { throw fieldCount(line) }
      let field = UnsafeRawBufferPointer(rebasing: line[begin..<end])
      switch columns.kinds[index] {
      case .channel(let channel): sample[channel] = try self.count(field, index)
      case .time(let unit): time = try self.time(field, unit, index)
      case .seconds: time = try seconds(field, index)
      }
      begin = end + 1
    }
    return (time, sample)
  }

  static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    line.allSatisfy(isBlank)
  }

  private func fieldCount(_ line: UnsafeRawBufferPointer) -> ImportFieldError {
    let commas = line.reduce(0) { $0 + ($1 == UInt8(ascii: ",") ? 1 : 0) }
    return ImportFieldError(.fieldCount(found: commas + 1, expected: columns.kinds.count))
  }

  private func count(_ field: UnsafeRawBufferPointer, _ index: Int) throws(ImportFieldError)
    -> Int16
  {
    switch ImportRowParser.integer(field) {
    case .value(let value):
      if let count = Int16(exactly: value) { return count }
      throw outOfRange(field, index)
    case .tooLarge: throw outOfRange(field, index)
    case .none: throw notAnInteger(field, index)
    }
  }

  private func time(_ field: UnsafeRawBufferPointer, _ unit: Int64, _ index: Int)
    throws(ImportFieldError) -> Int64
  {
    switch ImportRowParser.integer(field) {
    case .value(let value):
      let (time, overflow) = value.multipliedReportingOverflow(by: unit)
      if !overflow { return time }
      throw outOfRange(field, index)
    case .tooLarge: throw outOfRange(field, index)
    case .none: throw notAnInteger(field, index)
    }
  }

  /// Reads decimal seconds: pads the decimals to nine digits and reads all digits as nanoseconds.
  private func seconds(_ field: UnsafeRawBufferPointer, _ index: Int) throws(ImportFieldError)
    -> Int64
  {
    let text = ImportRowParser.trimmed(field)
    let parts = text.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? Array(parts[1]) : []
    guard let whole = parts.first, whole.last.map(ImportRowParser.isDigit) == true,
      parts.count == 1 || (1...9).contains(fraction.count)
    else { throw notSeconds(field, index) }
    let zeros = repeatElement(UInt8(ascii: "0"), count: 9 - fraction.count)
    let digits = Array(whole) + fraction + zeros
    switch digits.withUnsafeBytes({ ImportRowParser.integer($0) }) {
    case .value(let value): return value
    case .tooLarge: throw outOfRange(field, index)
    case .none: throw notSeconds(field, index)
    }
  }

  private enum Number {
    case value(Int64)
    case tooLarge
    case none
  }

  /// A whole number with an optional minus sign, blanks around it allowed.
  private static func integer(_ field: UnsafeRawBufferPointer) -> Number {
    let text = trimmed(field)
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = isNegative ? UnsafeRawBufferPointer(rebasing: text[1...]) : text
    guard !digits.isEmpty else { return .none }
    // Counted downwards, since there is one more negative number than positive ones.
    var value: Int64 = 0
    var isTooLarge = false
    for byte in digits {
      guard isDigit(byte) else { return .none }
      let (shifted, first) = value.multipliedReportingOverflow(by: 10)
      let (next, second) = shifted.subtractingReportingOverflow(Int64(byte &- UInt8(ascii: "0")))
      isTooLarge = isTooLarge || first || second
      value = next
    }
    guard !isTooLarge, isNegative || value != .min else { return .tooLarge }
    return .value(isNegative ? value : -value)
  }

  private static func trimmed(_ field: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var (begin, end) = (0, field.count)
    while begin < end, isBlank(field[begin]) { begin += 1 }
    while end > begin, isBlank(field[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: field[begin..<end])
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private func notAnInteger(_ field: UnsafeRawBufferPointer, _ index: Int) -> ImportFieldError {
    ImportFieldError(
      .notAnInteger(column: index + 1, name: columns.names[index], found: ImportText.shown(field)))
  }

  private func notSeconds(_ field: UnsafeRawBufferPointer, _ index: Int) -> ImportFieldError {
    ImportFieldError(
      .notSeconds(column: index + 1, name: columns.names[index], found: ImportText.shown(field)))
  }

  private func outOfRange(_ field: UnsafeRawBufferPointer, _ index: Int) -> ImportFieldError {
    ImportFieldError(
      .outOfRange(column: index + 1, name: columns.names[index], found: ImportText.shown(field)))
  }
}
