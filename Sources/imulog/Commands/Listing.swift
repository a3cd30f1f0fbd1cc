// SPDX-License-Identifier: Apache-2.0

import Files
import Hub
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

/// A page of the recordings of a store, of its trash, or of all hosts of a hub: as a table, where those of a take are one row,
/// or as JSON.
struct Listing {
  static let pageLength = 10

  let store: String
  var followsLinks = true
  var page = 1
  var trash = false
  var filter = ListFilter()
  var json = false
  var plain = false

  private struct Found {
    /// The host of a hub's recording.
    var host: String?
    let store: Catalogue
    let entry: CatalogueEntry
    /// Its place in the trash.
    var trashed: TrashedRecording?
  }

  func print() throws {
    let isHub = HubDirectory.isHub(store)
    guard !isHub || !trash else {
      throw CommandFailure.usage(
        "a hub has a trash for each host; name one with --store \(Plain.text(store))/logs/HOST")
    }
    guard isHub || filter.host == nil else {
      throw CommandFailure.usage(
        "--host needs a hub, and \(Plain.text(store)) is not one; name the hub with --store DIR")
    }
    var problems: [any Error] = []
    let all: [Found]
    if isHub {
      all = try ofHosts(&problems)
    } else {
      let catalogue = try Catalogue(path: store, followsLinks: followsLinks)
      if !json, !plain, !trash, !filter.isGiven,
        TerminalDevice.isThere(term: Environment.value("TERM"))
      {
        return try show(catalogue)
      }
      all =
        trash
        ? try catalogue.trashed().map { Found(store: catalogue, entry: $0.entry, trashed: $0) }
        : try ofStore(catalogue, &problems)
    }
    let takes = pageOf(all)
    let rows = takes.flatMap { $0 }
    if json {
      try Console.document { json in
        json.times.areClaimed = rows.contains(where: \.isImported)
        json.member("recordings", rows, onNewLines: true) { $1.add(to: &$0) }
      }
    } else {
      if !rows.isEmpty { try printTable(takes, isHub: isHub) }
      printPosition(count: all.count, rows)
      if !rows.isEmpty {
        let imports = rows.contains(where: \.isImported) ? ", those of imports claimed" : ""
        Console.talk("starts and rates are claimed, durations estimated\(imports)")
      }
    }
    for problem in problems.dropFirst() { Console.talk("\(problem)") }
    if let first = problems.first { throw first }
  }

  private func show(_ catalogue: Catalogue) throws {
    let signals = try SignalWatch(SignalWatch.atTerminal)
    try ListScreen(catalogue, page: page, TerminalSession(), formats: ListExport.formats) {
      ListRow($0, in: catalogue).details
    } export: {
      try ListExport($0, as: $1, in: catalogue).write()
    }.run(signals)
  }

  private func ofStore(_ catalogue: Catalogue, _ problems: inout [any Error]) throws -> [Found] {
    let listing = try catalogue.list()
    for stranger in listing.strangers {
      Console.talk("\(stranger) was not written by a store; `imulog import` adds it")
    }
    let found = try filter.entries(
      of: catalogue, listing.entries, now: SystemClock().wallTime)
    problems += found.problems
    return found.entries.map { Found(store: catalogue, entry: $0) }
  }

  /// Newest first, by the starts in the files' names.
  private func ofHosts(_ problems: inout [any Error]) throws -> [Found] {
    let now = SystemClock().wallTime
    let hub = try HubDirectory(path: store, create: false)
    let hosts = try hub.hosts()
    if let wanted = filter.host, !hosts.contains(wanted) {
      throw CommandFailure(
        .noInput, "the hub at \(Plain.text(hub.path)) has no host \(Plain.text(wanted))")
    }
    var all: [(host: String, found: Found)] = []
    for host in hosts where filter.host ?? host == host {
      do {
        let store = try Catalogue(path: hub.logs(of: host), followsLinks: false)
        let found = try filter.entries(of: store, try store.list().entries, now: now)
        all += found.entries.map { (host, Found(host: host, store: store, entry: $0)) }
        problems += found.problems
      } catch {
        problems.append(error)
      }
    }
    return all.sorted {
      ($0.found.entry.startSeconds, $1.host, $0.found.entry.number)
        > ($1.found.entry.startSeconds, $0.host, $1.found.entry.number)
    }.map(\.found)
  }

  /// The rows of the page's recordings, those of a take together in a table: all are on the page of the first of them.
  private func pageOf(_ all: [Found]) -> [[ListRow]] {
    let first = (page - 1).multipliedReportingOverflow(by: Listing.pageLength)
    guard !first.overflow, first.partialValue < all.count else { return [] }
    let begin = first.partialValue
    func row(_ found: Found) -> ListRow {
      ListRow(found.entry, found.trashed, in: found.store, host: found.host)
    }
    // A program counts recordings.
    guard !json else { return all.dropFirst(begin).prefix(Listing.pageLength).map { [row($0)] } }
    var takes: [[ListRow]] = begin > 0 ? [[row(all[begin - 1])]] : []
    for (index, found) in all.enumerated().dropFirst(begin) {
      let row = row(found)
      if let last = takes.last?.last, row.isOfTake(last) {
        takes[takes.count - 1].append(row)
      } else if index < begin + Listing.pageLength {
        takes.append([row])
      } else {
        break
      }
    }
    return Array(takes.dropFirst(begin > 0 ? 1 : 0))
  }

  private func printTable(_ takes: [[ListRow]], isHub: Bool) throws {
    let rows = takes.map { ListRow.columns(of: $0, areAll: !filter.isGiven) }
    var table = [trash ? ListRow.trashHeading : ListRow.heading] + rows
    var isNumeric = Array(ListRow.isNumeric.prefix(table[0].count))
    func insert(_ heading: String, at column: Int, _ cell: ([ListRow]) -> String) {
      for (row, cell) in zip(table.indices, [heading] + takes.map(cell)) {
        table[row].insert(cell, at: column)
      }
      isNumeric.insert(false, at: column)
    }
    // Most stores have no labels, and the terminal is narrow.
    if isHub || takes.joined().contains(where: \.hasLabelCell) {
      insert("LABELS", at: table[0].count - 1, ListRow.labelCell)
    }
    if isHub { insert("HOST", at: 0) { $0[0].host ?? "" } }
    try Console.data(TextTable.text(table, isNumeric: isNumeric))
  }

  private func printPosition(count: Int, _ rows: [ListRow]) {
    let length = Listing.pageLength
    // The rest of the next page may be here, with the take that begins on this one.
    let isLast = page <= count / length && (page - 1) * length + rows.count >= count
    let pages = isLast ? page : (count + length - 1) / length
    if count == 0 {
      Console.talk(trash ? "the trash is empty" : filter.nothing)
    } else if page > pages {
      Console.talk(pages == 1 ? "there is only page 1" : "there are only \(pages) pages")
    } else if rows.isEmpty {
      Console.talk("the recordings of page \(page) are of a take on page \(page - 1)")
    } else if pages > 1 {
      let more = page < pages ? "; the next is --page \(page + 1)" : ""
      Console.talk("page \(page) of \(pages)\(more)")
    }
    if trash, count > 0 { Console.talk("`imulog restore NUMBER` brings one back") }
  }
}

/// What pulls left in the store, as a table or as JSON.
struct LeftoverListing {
  let store: String
  var json = false

  private static let heading = ["STATE", "SIZE", "CHANGED", "GOES", "FILE"]
  private static let isNumeric = [false, true, false, false, false]

  func print() throws {
    let catalogue = try Catalogue(path: store)
    let leftovers = try catalogue.leftovers()
    if json {
      return try Console.document { json in
        json.member("copies", leftovers, onNewLines: true) { json, leftover in
          json.object { json in
            json.member("file", leftover.fileName)
            json.member("id", "\(leftover.id)")
            json.member("state", leftover.state.rawValue)
            json.member("size_bytes", leftover.byteCount)
            json.member("changed", RFC3339.text(second: leftover.changed) + "Z")
            json.member("expires", RFC3339.text(second: leftover.expires) + "Z")
          }
        }
      }
    }
    guard !leftovers.isEmpty else { return Console.talk("pulls left nothing behind") }
    let rows = leftovers.map { leftover in
      [
        leftover.state.rawValue, Plain.bytes(leftover.byteCount),
        LocalTime.text(seconds: leftover.changed), LocalTime.text(seconds: leftover.expires),
        leftover.fileName,
      ]
    }
    try Console.data(
      TextTable.text([LeftoverListing.heading] + rows, isNumeric: LeftoverListing.isNumeric))
  }
}

extension Console {
  /// Writes a document to stdout.
  static func document(_ fill: (inout JSONWriter) -> Void) throws(CommandFailure) {
    try json(JSONWriter.document(fill))
  }
}

/// Formats rows of cells as lines with aligned columns.
enum TextTable {
  /// A key, and its value from column `width` on; a key is shorter than that.
  static func line(_ row: (key: String, value: String), width: Int = 12) -> String {
    row.key + String(repeating: " ", count: width - row.key.count) + row.value
  }

  /// - Parameters:
  ///   - rows: The heading and the rows, a cell for each column.
  ///   - isNumeric: Which columns are right-aligned; the others are left-aligned.
  static func text(_ rows: [[String]], isNumeric: [Bool]) -> String {
    let widths = isNumeric.indices.map { column in
      rows.map { CellWidth.of($0[column]) }.max() ?? 0
    }
    return rows.map { line($0, widths, isNumeric) }.joined(separator: "\n")
  }

  /// A line without trailing spaces.
  private static func line(_ cells: [String], _ widths: [Int], _ isNumeric: [Bool]) -> String {
    var line = ""
    var owed = 0
    for (column, cell) in cells.enumerated() {
      let padding = widths[column] - CellWidth.of(cell)
      if isNumeric[column] { owed += padding }
      if !cell.isEmpty {
        line += String(repeating: " ", count: owed) + cell
        owed = 0
      }
      if !isNumeric[column] { owed += padding }
      owed += 2
    }
    return line
  }
}
