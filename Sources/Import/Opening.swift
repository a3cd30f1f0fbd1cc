// SPDX-License-Identifier: Apache-2.0

/// What is done with the rows of a file, whichever reader has them.
protocol RowVisitor: ~Copyable {
  mutating func visit<Reader: SampleRows & ~Copyable>(
    remarks: [String], _ open: (ImportRequest) throws(ImportError) -> JoinedRows<Reader>
  ) throws(ImportError)
}

/// Makes a recording of them.
struct Making: RowVisitor, ~Copyable {
  let request: ImportRequest
  private var made: ImportedRecording?

  init(request: ImportRequest) { self.request = request }

  mutating func visit<Reader: SampleRows & ~Copyable>(
    remarks: [String], _ open: (ImportRequest) throws(ImportError) -> JoinedRows<Reader>
  ) throws(ImportError) {
    made = ImportedRecording(try RowImporter(request, remarks: remarks, open))
  }

  consuming func taken() -> ImportedRecording {
    guard let made else { preconditionFailure("every kind of file is visited") }
    return made
  }
}

/// Tells how they are understood.
struct Explaining: RowVisitor, ~Copyable {
  let request: ImportRequest
  private(set) var understandings: [Understanding] = []

  init(request: ImportRequest) { self.request = request }

  mutating func visit<Reader: SampleRows & ~Copyable>(
    remarks: [String], _ open: (ImportRequest) throws(ImportError) -> JoinedRows<Reader>
  ) throws(ImportError) {
    understandings = try RowImporter.explained(request, open)
  }
}

/// Opens the reader of each kind of file.
enum Opening {
  /// - Parameter paths: The file, or two tables of one recording.
  static func visit<Visitor: RowVisitor & ~Copyable>(
    _ paths: [String], _ kind: FileKind, _ request: ImportRequest,
    _ progress: FileSource.Progress?, _ visitor: inout Visitor
  ) throws(ImportError) {
    let source = try FileSource(path: paths[0], progress: progress)
    guard kind.isText, paths.count > 1 else { return try visit(source, kind, request, &visitor) }
    var other = try FileSource(path: paths[1], progress: progress)
    let second = try FileKind.check(nil, &other)
    guard second.isText else {
      throw .notJoined(
        paths[0], paths[1], "\(paths[1]) is no table, but of the format \(second.rawValue)")
    }
    try text(source, with: other, &visitor)
  }

  static func visit<Source: SeekableSource & ~Copyable, Visitor: RowVisitor & ~Copyable>(
    _ source: borrowing Source, _ kind: FileKind, _ request: ImportRequest, _ visitor: inout Visitor
  ) throws(ImportError) {
    switch kind {
    case .csv, .json, .ndjson: try text(source, &visitor)
    case .parquet:
      try visitor.visit(remarks: []) { request throws(ImportError) in
        JoinedRows(TableRows(try ParquetFile(source.another(), request), request))
      }
    case .mcap:
      try visitor.visit(remarks: []) { request throws(ImportError) in
        JoinedRows(TableRows(try MCAPFile(source.another(), request), request))
      }
    case .zip: try zip(source, request, &visitor)
    case .gyrodata:
      try visitor.visit(remarks: []) { request throws(ImportError) in
        JoinedRows(TableRows(try PhoneDocument(source.another(), request), request))
      }
    case .raw:
      throw ImportError(source.name, "is a log of imulog", remedy: "let the store copy it")
    }
  }

  /// A table, or two that a list of several sensors has.
  static func text<Source: ImportSource & ~Copyable, Visitor: RowVisitor & ~Copyable>(
    _ source: borrowing Source, remarks: [String] = [], events: PhyphoxEvents? = nil,
    archive: String? = nil,
    _ visitor: inout Visitor
  ) throws(ImportError) {
    let sensors = try JSONSensors(source.another())
    try visitor.visit(remarks: remarks + [sensors.remark].compactMap { $0 }) {
      request throws(ImportError) in
      let first = TableRows(
        try TableReader(source.another(), request, sensors.filters.first), request, events, archive)
      guard sensors.filters.count == 2 else { return JoinedRows(first) }
      let second = try TableReader(source.another(), request, sensors.filters[1])
      return try JoinedRows(first, with: TableRows(second, request, events, archive))
    }
  }

  /// Two tables of one recording.
  static func text<Source: ImportSource & ~Copyable, Visitor: RowVisitor & ~Copyable>(
    _ first: borrowing Source, with second: borrowing Source, remarks: [String] = [],
    events: PhyphoxEvents? = nil, archive: String? = nil, _ visitor: inout Visitor
  ) throws(ImportError) {
    let sensors = [try JSONSensors(first.another()), try JSONSensors(second.another())]
    try visitor.visit(remarks: remarks + sensors.compactMap(\.remark)) {
      request throws(ImportError) in
      let one = try TableReader(first.another(), request, sensors[0].filters.first)
      let two = try TableReader(second.another(), request, sensors[1].filters.first)
      return try JoinedRows(
        TableRows(one, request, events, archive), with: TableRows(two, request, events, archive))
    }
  }

  /// The table, or two of one recording, in an archive.
  static func zip<Source: SeekableSource & ~Copyable, Visitor: RowVisitor & ~Copyable>(
    _ source: borrowing Source, _ request: ImportRequest, _ visitor: inout Visitor
  ) throws(ImportError) {
    let archive = try ZipArchive(source.another())
    let tables = try ZipTables(archive, request)
    let first = try archive.source(tables.chosen[0])
    guard tables.chosen.count == 2 else {
      return try text(
        first, remarks: tables.remarks, events: tables.events, archive: archive.name, &visitor)
    }
    let second = try archive.source(tables.chosen[1])
    try text(
      first, with: second, remarks: tables.remarks, events: tables.events, archive: archive.name,
      &visitor)
  }
}
