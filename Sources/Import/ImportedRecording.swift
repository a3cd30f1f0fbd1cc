// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Text

/// A file of another kind, as the recording that it becomes.
///
///     1  every row is checked and counted; what is missing then is asked for at once, and what is stated is checked for sense
///     2  ticks are found by the times, unless the file states them
///     3  records are returned, one at a time
///
/// The first two passes are made with this value, so that no partial import has to be undone.
///
///     let file = try ImportedRecording([path], kind, request)
///     // begin a log with file.description, append file.clockPairs
///     while let record = try file.next() { /* append it */ }
///     // finish the log with file.end
public struct ImportedRecording: ~Copyable {
  /// How the file is understood, or both of a recording.
  public let understandings: [Understanding]
  /// The header of the new log.
  public let description: RecordingDescription
  /// The file's dates; empty when it has none.
  public let clockPairs: [ClockPair]
  /// Marks of the new log.
  public let marks: [Mark]
  /// Labels of the new recording.
  public let labels: [RecordingLabel]
  /// The end of the new log.
  public let end: RecordingEnd
  /// What was left out or changed: sentences for the user.
  public let remarks: [String]
  /// What the import makes, in a line.
  public let summary: String

  private let request: ImportRequest
  /// Remarks of the first pass.
  private let before: [String]
  private let rows: JoinedRows
  private let account: TickAccount
  private var ticks: StatedTicks
  /// The records after the one that was returned last, the next one last.
  private var waiting: [TickRecord] = []
  private var isOver = false

  /// The kind of a file.
  ///
  /// - Parameter given: What the user says; `nil` to detect it.
  /// - Throws: ``ImportError`` also for a binary of another kind than the given one.
  public static func kind(of path: String, given: FileKind?) throws(ImportError) -> FileKind {
    try FileKind.check(given, try FileSource(path: path))
  }

  /// Reads the whole file and checks it.
  ///
  /// - Parameters:
  ///   - paths: The file, or two tables of one recording.
  ///   - kind: What ``kind(of:given:)`` returned of the first, but for a log, which the store copies.
  ///   - progress: See ``FileSource/init(path:progress:)``.
  public init(
    _ paths: [String], _ kind: FileKind, _ request: ImportRequest,
    progress: FileSource.Progress? = nil
  ) throws(ImportError) {
    try self.init(try Opening(paths, kind, request, progress), request)
  }

  /// Reads a file of the kind that its first bytes tell, or two tables of one recording.
  public init(
    _ source: any SeekableSource, with second: (any ImportSource)? = nil, _ request: ImportRequest
  ) throws(ImportError) {
    let kind: FileKind = second == nil ? try .check(nil, source) : .csv
    try self.init(try Opening(source, kind, with: second, request), request)
  }

  /// How the files are understood, whatever is missing.
  public static func explained(
    _ paths: [String], _ kind: FileKind, _ request: ImportRequest,
    progress: FileSource.Progress? = nil
  ) throws(ImportError) -> [Understanding] {
    try Opening(paths, kind, request, progress).examined(request).understandings
  }

  init(_ opening: Opening, _ request: ImportRequest) throws(ImportError) {
    let checked = try ImportedRecording.checked(opening, request)
    self.init(
      try ImportedRecording.settled(checked, request, session: request.isEach ? 0 : nil))
  }

  /// The rows after the first pass, and its remarks.
  private static func checked(_ opening: Opening, _ request: ImportRequest) throws(ImportError)
    -> (rows: JoinedRows, remarks: [String])
  {
    let rows = try opening.examined(request)
    let all = rows.understandings
    let refusal = Refusal.of(all, request) { request in
      do throws(ImportError) {
        return try opening.examined(request).understandings
      } catch {
        return nil
      }
    }
    if let refusal { throw refusal }
    var remarks = opening.remarks
    let fastest = all.map(\.census.intervals.median).min() ?? 0
    for (understanding, table) in zip(all, rows.tables) {
      let isSlower = understanding.census.intervals.median > fastest
      guard
        let objection = SenseCheck.objection(understanding, isSlower: isSlower) ?? table.objection
      else { continue }
      guard request.isAnyway else { throw objection }
      remarks.append("\(objection.file): \(objection.problem); it is imported anyway")
    }
    return (rows, remarks)
  }

  /// Another session of the file, whose first pass is not made again. Of two of them, only one can be read at a time.
  ///
  /// - Parameter session: From 0, as in ``Understanding/sessions``.
  public func another(session: Int, id: RecordingID) throws(ImportError) -> ImportedRecording {
    var request = request
    request.id = id
    return ImportedRecording(
      try ImportedRecording.settled((rows, before), request, session: session))
  }

  private typealias Parts = (
    rows: JoinedRows, account: TickAccount, request: ImportRequest, before: [String],
    remarks: [String]
  )

  /// What the second pass finds of a session, or of the only one.
  private static func settled(
    _ checked: (rows: JoinedRows, remarks: [String]), _ request: ImportRequest, session: Int?
  ) throws(ImportError) -> Parts {
    let rows = checked.rows
    try rows.settle(session: session)
    let account = try TickAccount(rows, request)
    let remarks = checked.remarks + rows.remarks + account.remarks
    try rows.rewind()
    return (rows, account, request, checked.remarks, remarks)
  }

  /// Does not throw: Swift 6.0 cannot compile a throwing initialiser of a noncopyable type.
  private init(_ parts: Parts) {
    let (rows, account, request) = (parts.rows, parts.account, parts.request)
    let all = rows.understandings
    (self.request, before, remarks) = (request, parts.before, parts.remarks)
    (self.rows, self.account, understandings, ticks) = (rows, account, all, account.ticks)
    var description = RecordingDescription(
      id: request.id, number: 0, rate: account.rate,
      channels: all.reduce(into: ChannelSet()) { $0.formUnion($1.channels) },
      plannedTicks: account.tally.scheduled, timeUnit: account.timeUnit, sensor: rows.sensor,
      board: "", host: request.host, software: request.software,
      note: request.note.isEmpty ? rows.tables[0].facts.note ?? "" : request.note,
      syncInterval: 0, realTime: "")
    (description.take, description.sensorName) = (request.take, request.sensorName)
    self.description = description
    end = RecordingEnd(reason: .imported, tally: account.tally, lateness: LatenessSummary())
    clockPairs =
      rows.tables[0].started.map {
        [ClockPair(time: 0, wall: $0, isSynchronised: false, reason: .start)]
      } ?? []
    (marks, labels) = (account.notes.marks, account.notes.labels)
    let (tally, lost) = (account.tally, account.tally.scheduled - account.tally.sampled)
    summary =
      "\(Plain.count(tally.sampled, "sample")) at \(Plain.hertz(account.rate)) Hz for \(Plain.seconds(account.length)), "
      + (lost == 0
        ? "no gaps" : "\(Plain.count(account.gapCount, "gap")) of \(Plain.count(lost, "tick"))")
      + (account.areStated || account.isPlaced ? "" : " by its times")
  }

  /// The next sample or gap; `nil` after the last one.
  ///
  /// - Throws: ``ImportError`` when the file was changed or became unreadable since it was checked.
  public mutating func next() throws(ImportError) -> TickRecord? {
    while waiting.isEmpty, !isOver {
      let next: Item?
      do throws(ImportError) { next = try rows.next() } catch {
        // All rows were correct in the first pass.
        if case .unreadable = error.kind { throw error }
        throw .changed(rows.name)
      }
      guard let item = next else {
        guard ticks.tally.sampled == end.tally.sampled else { throw .changed(rows.name) }
        isOver = true
        waiting = ticks.rest(of: account.stated).reversed()
        break
      }
      let tick = account.areStated ? item.row.tick : nil
      if let gap = item.row.gap {
        guard account.areStated else { continue }
        guard let records = ticks.records(of: gap, at: tick) else { throw .changed(rows.name) }
        waiting = records.reversed()
        continue
      }
      guard ticks.tally.sampled < end.tally.sampled,
        let before = ticks.records(before: tick),
        case let time = account.isPlaced
          ? description.rate.nanoseconds(atTick: ticks.next) : item.row.time,
        time % description.timeUnit == 0
      else { throw .changed(rows.name) }
      let record = TickRecord(tick: ticks.next, time: time, sample: item.sample)
      ticks.pass()
      if before.isEmpty { return record }
      waiting = [record] + before.reversed()
    }
    return waiting.popLast()
  }
}

/// The rows of a file, or of two tables of one recording, which can be opened again with other columns.
struct Opening {
  /// Remarks that come first.
  private(set) var remarks: [String] = []
  private let tables: (ImportRequest) throws(ImportError) -> [TableRows]

  init(
    _ paths: [String], _ kind: FileKind, _ request: ImportRequest,
    _ progress: FileSource.Progress?
  ) throws(ImportError) {
    let source = try FileSource(path: paths[0], progress: progress)
    var other: FileSource?
    if kind.isText, paths.count > 1 {
      let second = try FileSource(path: paths[1], progress: progress)
      let format = try FileKind.check(nil, second)
      guard format.isText else {
        throw ImportError(
          paths[1], "is of the format \(format.rawValue), and only tables are joined",
          remedy: "import the files separately")
      }
      other = second
    }
    try self.init(source, kind, with: other, request)
  }

  init(
    _ source: any SeekableSource, _ kind: FileKind, with second: (any ImportSource)? = nil,
    _ request: ImportRequest
  ) throws(ImportError) {
    switch kind {
    case .csv, .json, .ndjson, .gyrodata:
      try self.init(text: [source] + (second.map { [$0] } ?? []))
    case .zip: self = try ZipTables(try ZipArchive(source), request).opening()
    case .parquet:
      self.init { request throws(ImportError) in
        [TableRows(try ParquetFile(try source.another(), request), request)]
      }
    case .mcap:
      self.init { request throws(ImportError) in
        [TableRows(try MCAPFile(try source.another(), request), request)]
      }
    case .raw:
      throw ImportError(source.name, "is a log of imulog", remedy: "let the store copy it")
    }
  }

  init(tables: @escaping (ImportRequest) throws(ImportError) -> [TableRows]) {
    self.tables = tables
  }

  /// Text: a table, or two of one recording.
  init(
    text sources: [any ImportSource], remarks: [String] = [], archive: String? = nil,
    started: Int64? = nil
  ) throws(ImportError) {
    self.remarks = remarks
    tables = { given throws(ImportError) in
      var request = given
      (request.archive, request.started) = (archive, started ?? given.started)
      request.isJoined = sources.count == 2
      var rows: [TableRows] = []
      for source in sources {
        rows.append(TableRows(try TableReader(try source.another(), request), request))
      }
      return rows
    }
  }

  func examined(_ request: ImportRequest) throws(ImportError) -> JoinedRows {
    let rows = try JoinedRows(try tables(request))
    for table in rows.tables { try table.examine() }
    guard !rows.isJoined || rows.understandings.allSatisfy({ $0.sessions.count < 2 }) else {
      throw rows.notJoined("one holds several recordings")
    }
    return rows
  }
}
