import IMUModel

/// The rows of a table, with every rule about its lines.
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

  /// Blank lines are the end of the table, or an error.
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
