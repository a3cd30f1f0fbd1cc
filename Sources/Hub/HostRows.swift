// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat

/// What is derived from each recording of a host, and from what. The last line of a recording counts; all of it can be
/// derived again.
///
///     making UUID DATE            its files may be there, also those of an earlier line
///     made UUID FILE BYTES MODIFIED SOURCE DATE LENGTH… {…}
///          │    └ the log: name, length, time            └ the row of `recordings`
///          │                          │      │    └ of the file in each table
///          │                          │      └ the folder
///          │                          └ what the files were derived from; they are durable
///     trapped UUID DAY-SOURCE SIGNAL   the derivation ended with SIGNAL, 0 if it took too long: not to be repeated that day
///     gone UUID                   the recording and its files are gone
///     table SOURCE BYTES          the table of these rows is durable
///     table - 0                   the table is about to change
struct HostRows {
  struct Row: Equatable {
    let id: RecordingID
    var log: LogMark
    let source: String
    let date: String
    /// The lengths of the files, in the order of ``HubTable/all``.
    let byteCounts: [UInt64]
    /// The check of the table's row.
    var rowSum: UInt32
  }

  /// What identifies a log file without reading it.
  struct LogMark: Hashable {
    let fileName: String
    let byteCount: UInt64
    /// In nanoseconds since 1970.
    let modified: Int64
  }

  /// By the log's file name.
  private(set) var live: [String: Row] = [:]
  /// Date folders in which a recording may have files without a row, left by a killed round.
  private(set) var unfinished: [RecordingID: Set<String>] = [:]
  /// Derivations that trapped or took too long, without a newer row; an earlier row and its files stay.
  private(set) var traps: [RecordingID: (trial: String, signal: Int32)] = [:]
  /// Whether lines may be missing, so that any recording may have files.
  var mayLackLines: Bool { journal.lineCount == 0 || journal.damagedLineCount > 0 }
  private var journal: Journal
  private(set) var table: (source: String, byteCount: UInt64)?

  init(of host: String, in hub: HubDirectory) throws(StorageError) {
    journal = hub.journal(of: host, .rows)
    try read { _, _, _ in }
  }

  /// Reads the file; `each` receives every `made` line.
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

  /// Notes that a recording's files are about to change, durable on return: new files may have the lengths of an earlier row.
  mutating func begin(_ id: RecordingID, date: String) throws(StorageError) {
    try journal.append(["making \(id) \(date)"])
    unfinished[id, default: []].formUnion(removeRow(of: id) + [date])
  }

  /// Adds a recording whose files are durable, with the table's row on one line; durable on return.
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

  /// Notes a derivation that trapped or took too long; durable on return.
  mutating func trap(_ id: RecordingID, _ trial: String, signal: Int32) throws(StorageError) {
    try journal.append(["trapped \(id) \(trial) \(signal)"])
    traps[id] = (trial, signal)
  }

  /// Removes a recording; durable on return.
  mutating func drop(_ id: RecordingID) throws(StorageError) {
    try journal.append(["gone \(id)"])
    _ = removeRow(of: id)
    (unfinished[id], traps[id]) = (nil, nil)
  }

  /// Removes a recording's row; returns the date folder of its files.
  private mutating func removeRow(of id: RecordingID) -> [String] {
    live.filter { $0.value.id == id }.map { name, row in
      live[name] = nil
      return row.date
    }
  }

  /// Notes that the table is about to change; durable on return.
  mutating func dropTable() throws(StorageError) {
    guard table != nil else { return }
    try journal.append(["table - 0"])
    table = ("-", 0)
  }

  /// Notes that the table of these rows is durable.
  mutating func noteTable(_ byteCount: UInt64) throws(StorageError) {
    let source = tableSource
    try journal.append(["table \(source) \(byteCount)"])
    table = (source, byteCount)
  }

  /// A digest of the rows, independent of the order in which they came.
  var tableSource: String {
    var sum = SHA256()
    for row in live.values.sorted(by: { $0.id.description < $1.id.description }) {
      let text = "\(row.id) \(row.rowSum)\n"
      Array(text.utf8).withUnsafeBytes { sum.add($0) }
    }
    return String(sum.digest.description.prefix(16))
  }

  mutating func json() throws(StorageError) -> [RecordingID: [UInt8]] {
    var rows: [RecordingID: [UInt8]] = [:]
    try read { row, json, _ in rows[row.id] = Array(json) }
    let ids = Set(live.values.map(\.id))
    return rows.filter { ids.contains($0.key) }
  }

  /// Rewrites the file without outdated lines where these are most of it.
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
