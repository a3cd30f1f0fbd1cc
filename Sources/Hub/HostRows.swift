// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat

/// What is derived from each recording of a host, and from what: the line is written once the files are durable.
///
///     making UUID DATE            its files may be there from here on, also those of an earlier line
///     made UUID FILE BYTES MODIFIED SOURCE DATE LENGTH… {…}
///          │    └ the log: name, length, time            └ the row of `recordings`
///          │                          │      │    └ of the file in each table
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
    /// The lengths of the files, in the order of ``HubTable/all``.
    let byteCounts: [UInt64]
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
  var mayLackLines: Bool { journal.lineCount == 0 || journal.damagedLineCount > 0 }
  private var journal: Journal
  /// The last table that was written: what it was made from, and its length.
  private(set) var table: (source: String, byteCount: UInt64)?

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    journal = hub.journal(of: host, .rows)
    try read { _, _, _ in }
  }

  /// Reads the file; `each` receives every line with a row of the table.
  private mutating func read(
    _ each: (_ row: Row, _ json: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Void
  ) throws(StorageError) {
    (live, unfinished, traps, table) = ([:], [:], [:], nil)
    var (journal, rows) = (journal, [RecordingID: Row]())
    try journal.read { text in
      let (end, lengths) = (7 + HubTable.all.count, 7..<7 + HubTable.all.count)
      let parts = text.split(separator: UInt8(ascii: " "), maxSplits: end)
      let words = parts.prefix(end).map { String(decoding: $0, as: UTF8.self) }
      func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
      if word(0) == "table", let byteCount = UInt64(word(2)) { table = (word(1), byteCount) }
      guard let id = RecordingID(word(1)) else { return }
      switch word(0) {
      case "making":
        if let earlier = rows.removeValue(forKey: id) {
          unfinished[id, default: []].insert(earlier.date)
        }
        unfinished[id, default: []].insert(word(2))
      case "made":
        let byteCounts = lengths.compactMap { UInt64(word($0)) }
        guard parts.count > end, byteCounts.count == HubTable.all.count,
          let byteCount = UInt64(word(3)), let modified = Int64(word(4))
        else { return }
        let row = Row(
          id: id, log: LogMark(fileName: word(2), byteCount: byteCount, modified: modified),
          source: word(5), date: word(6), byteCounts: byteCounts,
          rowSum: CheckedLine.sum(of: parts[end]))
        (rows[id], unfinished[id], traps[id]) = (row, nil, nil)
        each(row, parts[end], text)
      case "trapped":
        if let signal = Int32(word(3)) { traps[id] = (word(2), signal) }
      case "gone": (rows[id], unfinished[id], traps[id]) = (nil, nil, nil)
      default: break
      }
    }
    self.journal = journal
    live = Dictionary(rows.values.map { ($0.log.fileName, $0) }) { first, _ in first }
  }

  /// The files of a recording are about to be made, in this folder; durable on return. Ended in between, its earlier row would
  /// be of the files as they were, which may have the same length.
  mutating func begin(_ id: RecordingID, date: String) throws(StorageError) {
    try journal.append(["making \(id) \(date)"])
    unfinished[id, default: []].formUnion(removeRow(of: id) + [date])
  }

  /// Adds what is derived from a recording; durable on return.
  ///
  /// - Parameter json: The table's row, on one line.
  mutating func add(_ row: Row, json: String) throws(StorageError) {
    let log = row.log
    let lengths = row.byteCounts.map { "\($0)" }.joined(separator: " ")
    try journal.append([
      "made \(row.id) \(log.fileName) \(log.byteCount) \(log.modified) \(row.source) \(row.date) \(lengths) \(json)"
    ])
    _ = removeRow(of: row.id)
    (unfinished[row.id], traps[row.id]) = (nil, nil)
    live[log.fileName] = row
    live[log.fileName]?.rowSum = CheckedLine.sum(of: Array(json.utf8)[...])
  }

  /// Keeps what trapped or took too long; durable on return.
  mutating func trap(_ id: RecordingID, _ trial: String, signal: Int32) throws(StorageError) {
    try journal.append(["trapped \(id) \(trial) \(signal)"])
    traps[id] = (trial, signal)
  }

  /// Takes a recording out; durable on return.
  mutating func drop(_ id: RecordingID) throws(StorageError) {
    try journal.append(["gone \(id)"])
    _ = removeRow(of: id)
    (unfinished[id], traps[id]) = (nil, nil)
  }

  /// Removes a recording's row; returns the folder of its files.
  private mutating func removeRow(of id: RecordingID) -> [String] {
    live.filter { $0.value.id == id }.map { name, row in
      live[name] = nil
      return row.date
    }
  }

  /// The table is about to change; durable on return. Ended in between, it would be taken for that of the rows as they were.
  mutating func dropTable() throws(StorageError) {
    guard table != nil else { return }
    try journal.append(["table - 0"])
    table = ("-", 0)
  }

  /// The table of these rows is durable.
  mutating func noteTable(_ byteCount: UInt64) throws(StorageError) {
    let source = tableSource
    try journal.append(["table \(source) \(byteCount)"])
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
    guard journal.isDue(for: live.count + traps.count) else { return }
    var texts: [RecordingID: [UInt8]] = [:]
    try read { row, _, text in texts[row.id] = Array(text) }
    let rows = live.values.sorted { $0.id.description < $1.id.description }
    let others =
      unfinished.flatMap { id, dates in dates.map { "making \(id) \($0)" } }
      + traps.map { "trapped \($0) \($1.trial) \($1.signal)" }
    try journal.replace(
      by: rows.compactMap { texts[$0.id] } + others.sorted().map { Array($0.utf8) })
    table = nil
  }
}
