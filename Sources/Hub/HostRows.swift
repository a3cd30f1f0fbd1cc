// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat

/// What is derived from each recording of a host, and from what: the line is written once the files are durable.
///
///     making UUID DATE            its files may be there from here on, also those of an earlier line
///     made UUID FILE BYTES MODIFIED SOURCE DATE SAMPLES FEATURES {…}
///          │    └ the log: name, length, time                     └ the table's row
///          │                          │      │    └ lengths of the files
///          │                          │      └ the folder
///          │                          └ what the files were derived from
///     trapped UUID DAY-SOURCE SIGNAL   what derives ended with SIGNAL, 0 where it took too long: not to be repeated that day
///     gone UUID                   its recording is gone, and so are its files
///     table SOURCE BYTES          the table of these rows is durable
///     table - 0                   it is about to change
///
/// The last line of a recording counts. All of it can be made again from the logs.
struct HostRows {
  /// A recording of which everything is derived.
  struct Row: Equatable {
    let id: RecordingID
    /// The log's file name, length, and time of modification in nanoseconds since 1970.
    var log: LogMark
    /// What the files were derived from.
    let source: String
    let date: String
    /// The length of the samples file.
    let samplesByteCount: UInt64
    /// The length of the features file.
    let featuresByteCount: UInt64
    /// The check of the table's row.
    var rowSum: UInt32
  }

  /// What a log file is known by without being read.
  struct LogMark: Hashable {
    let fileName: String
    let byteCount: UInt64
    let modified: Int64
  }

  /// The recordings, by the name of the log.
  private(set) var live: [String: Row] = [:]
  /// The folders in which a recording without a row may have files: a program was ended while it made them.
  private(set) var unfinished: [RecordingID: Set<String>] = [:]
  /// What trapped or took too long, without a newer row; an earlier row and its files stay.
  private(set) var traps: [RecordingID: (trial: String, signal: Int32)] = [:]
  /// Whether lines may be missing: any recording may have files.
  var mayLackLines: Bool { lineCount == 0 || damagedLineCount > 0 }
  private var file: CheckedFile
  private let hub: HubDirectory
  private let host: String
  /// The last table that was written: what it was made from, and its length.
  private(set) var table: (source: String, byteCount: UInt64)?
  private var lineCount = 0
  private var damagedLineCount = 0

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    (self.host, self.hub) = (host, hub)
    file = CheckedFile(hub.rows(of: host), hub.files)
    try read { _, _, _ in }
  }

  /// Reads the file; `each` receives every line with the row of the table.
  private mutating func read(
    _ each: (_ row: Row, _ json: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Void
  ) throws(StorageError) {
    var (rows, table, count): ([RecordingID: Row], (String, UInt64)?, Int) = ([:], nil, 0)
    var unfinished: [RecordingID: Set<String>] = [:]
    traps = [:]
    var file = self.file
    defer { self.file = file }
    damagedLineCount = try file.read { text in
      count += 1
      let words = text.split(separator: UInt8(ascii: " "), maxSplits: 9)
      func word(_ index: Int) -> String {
        index < words.count ? String(decoding: words[index], as: UTF8.self) : ""
      }
      switch word(0) {
      case "making":
        if let id = RecordingID(word(1)) {
          if let earlier = rows.removeValue(forKey: id) {
            unfinished[id, default: []].insert(earlier.date)
          }
          unfinished[id, default: []].insert(word(2))
        }
      case "made":
        guard words.count == 10, let id = RecordingID(word(1)), let byteCount = UInt64(word(3)),
          let modified = Int64(word(4)), let samples = UInt64(word(7)),
          let features = UInt64(word(8))
        else { return }
        let row = Row(
          id: id, log: LogMark(fileName: word(2), byteCount: byteCount, modified: modified),
          source: word(5), date: word(6), samplesByteCount: samples,
          featuresByteCount: features, rowSum: CheckedLine.sum(of: words[9]))
        (rows[id], unfinished[id], traps[id]) = (row, nil, nil)
        each(row, words[9], text)
      case "trapped":
        if let id = RecordingID(word(1)), let signal = Int32(word(3)) {
          traps[id] = (word(2), signal)
        }
      case "gone":
        if let id = RecordingID(word(1)) { (rows[id], unfinished[id], traps[id]) = (nil, nil, nil) }
      case "table":
        if let byteCount = UInt64(word(2)) { table = (word(1), byteCount) }
      default: break
      }
    }
    live = Dictionary(rows.values.map { ($0.log.fileName, $0) }) { first, _ in first }
    (self.unfinished, self.table, lineCount) = (unfinished, table, count)
  }

  /// The files of a recording are about to be made, in this folder; durable on return. Ended in between, its earlier row would
  /// be of the files as they were, which may have the same length.
  mutating func begin(_ id: RecordingID, date: String) throws(StorageError) {
    var folders = unfinished[id] ?? []
    for (name, row) in live where row.id == id {
      folders.insert(row.date)
      live[name] = nil
    }
    folders.insert(date)
    try file.append([Array("making \(id) \(date)".utf8)])
    lineCount += 1
    unfinished[id] = folders
  }

  /// Adds what is derived from a recording; durable on return.
  ///
  /// - Parameter json: The table's row, on one line.
  mutating func add(_ row: Row, json: String) throws(StorageError) {
    let (log, bytes) = (row.log, Array(json.utf8))
    let text =
      "made \(row.id) \(log.fileName) \(log.byteCount) \(log.modified) \(row.source) \(row.date) \(row.samplesByteCount) \(row.featuresByteCount) "
    try file.append([Array(text.utf8) + bytes])
    lineCount += 1
    for (name, other) in live where other.id == row.id { live[name] = nil }
    (unfinished[row.id], traps[row.id]) = (nil, nil)
    var row = row
    row.rowSum = CheckedLine.sum(of: bytes[...])
    live[log.fileName] = row
  }

  /// Keeps what trapped or took too long; durable on return.
  mutating func trap(_ id: RecordingID, _ trial: String, signal: Int32) throws(StorageError) {
    try file.append([Array("trapped \(id) \(trial) \(signal)".utf8)])
    lineCount += 1
    traps[id] = (trial, signal)
  }

  /// Takes a recording out; durable on return.
  mutating func drop(_ id: RecordingID) throws(StorageError) {
    try file.append([Array("gone \(id)".utf8)])
    lineCount += 1
    for (name, row) in live where row.id == id { live[name] = nil }
    (unfinished[id], traps[id]) = (nil, nil)
  }

  /// The table is about to change; durable on return. Ended in between, it would be taken for that of the rows as they were.
  mutating func dropTable() throws(StorageError) {
    guard table != nil else { return }
    try file.append([Array("table - 0".utf8)])
    lineCount += 1
    table = ("-", 0)
  }

  /// The table of these rows is durable.
  mutating func noteTable(_ byteCount: UInt64) throws(StorageError) {
    let source = tableSource
    try file.append([Array("table \(source) \(byteCount)".utf8)])
    lineCount += 1
    table = (source, byteCount)
  }

  /// What the table of these rows is made from: the same for the same rows, in whatever order they came.
  var tableSource: String {
    var sum = SHA256()
    for row in live.values.sorted(by: { $0.id.description < $1.id.description }) {
      let text = "\(row.id) \(row.rowSum)\n"
      Array(text.utf8).withUnsafeBytes { sum.add($0) }
    }
    return String(sum.digest.description.prefix(16))
  }

  /// The rows of the table, by identity.
  mutating func json() throws(StorageError) -> [RecordingID: [UInt8]] {
    var rows: [RecordingID: [UInt8]] = [:]
    try read { row, json, _ in rows[row.id] = Array(json) }
    let ids = Set(live.values.map(\.id))
    return rows.filter { ids.contains($0.key) }
  }

  /// Drops lines that do not count any more from the file where they are most of it.
  mutating func compact() throws(StorageError) {
    guard lineCount > 2 * (live.count + traps.count) + 32 || damagedLineCount > 0 else { return }
    var texts: [RecordingID: [UInt8]] = [:]
    try read { row, _, text in texts[row.id] = Array(text) }
    let rows = live.values.sorted { $0.id.description < $1.id.description }
    var lines = rows.compactMap { texts[$0.id] }
    let others =
      unfinished.flatMap { id, dates in dates.map { "making \(id) \($0)" } }
      + traps.map { "trapped \($0) \($1.trial) \($1.signal)" }
    lines += others.sorted().map { Array($0.utf8) }
    try file.replace(by: lines, temporary: "\(hub.workPath)/\(host).rows")
    (lineCount, damagedLineCount, table) = (lines.count, 0, nil)
  }
}
