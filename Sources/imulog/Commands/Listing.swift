// SPDX-License-Identifier: Apache-2.0

import Files
import Hub
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

/// A page of the store's recordings, as a table or as JSON.
struct Listing {
  static let pageLength = 10

  let store: String
  var followsLinks = true
  var page = 1
  /// Whether to list the trash.
  var trash = false
  /// The recordings to list.
  var filter = ListFilter()
  var json = false
  var plain = false

  func print() throws {
    if HubDirectory.isHub(store) {
      guard !trash else {
        throw CommandFailure(
          .usage,
          "a hub has a trash for each host; name one with --store \(Plain.text(store))/logs/HOST")
      }
      let hub = try HubDirectory(path: store, create: false)
      return try HubListing(hub: hub, filter: filter, page: page, json: json).print()
    }
    if filter.host != nil {
      throw CommandFailure(
        .usage,
        "--host needs a hub, and \(Plain.text(store)) is not one; name the hub with --store DIR"
      )
    }
    let catalogue = try Catalogue(path: store, followsLinks: followsLinks)
    if !json, !plain, !trash, !filter.isGiven,
      TerminalDevice.isThere(term: Environment.value("TERM"))
    {
      let signals = try SignalWatch(SignalWatch.atTerminal)
      return try ListScreen(
        catalogue, page: page, TerminalSession(),
        formats: ListExport.formats
      ) {
        ListRow($0, in: catalogue).details
      } export: {
        try ListExport($0, as: $1, in: catalogue).write()
      }.run(signals)
    }
    if trash { return try printTrash(of: catalogue) }
    let listing = try catalogue.list()
    for stranger in listing.strangers {
      Console.talk("\(stranger) was not written by a store; `imulog import` adds it")
    }
    let (entries, problems) = try filter.entries(
      of: catalogue, listing.entries, now: SystemClock().wallTime)
    try print(Listing.page(page, of: entries).map { ListRow($0, in: catalogue) })
    if !json { Listing.printPosition(page, count: entries.count, nothing: filter.nothing) }
    try Listing.report(problems)
  }

  /// Throws the first problem, and reports the others.
  static func report(_ problems: [any Error]) throws {
    for problem in problems.dropFirst() { Console.talk("\(problem)") }
    if let first = problems.first { throw first }
  }

  private func printTrash(of catalogue: Catalogue) throws {
    let trashed = try catalogue.trashed()
    try print(Listing.page(page, of: trashed).map { ListRow($0.entry, $0, in: catalogue) })
    guard !json else { return }
    Listing.printPosition(page, count: trashed.count, nothing: "the trash is empty")
    if !trashed.isEmpty { Console.talk("`imulog restore NUMBER` brings one back") }
  }

  static func page<Element>(_ page: Int, of all: [Element]) -> some Sequence<Element> {
    let first = (page - 1).multipliedReportingOverflow(by: Listing.pageLength)
    return (first.overflow ? [] : all.dropFirst(first.partialValue)).prefix(Listing.pageLength)
  }

  private func print(_ rows: [ListRow]) throws {
    if json {
      return try Console.document { json in
        json.member("recordings", rows, onNewLines: true) { $1.add(to: &$0) }
      }
    }
    guard !rows.isEmpty else { return }
    let heading = trash ? ListRow.trashHeading : ListRow.heading
    var table = [heading] + rows.map(\.columns)
    var isNumeric = Array(ListRow.isNumeric.prefix(heading.count))
    // Most stores have no labels, and the terminal is narrow.
    if rows.contains(where: { $0.labels?.isEmpty == false || $0.areLabelsUnreadable }) {
      for (row, cell) in zip(table.indices, ["LABELS"] + rows.map(\.labelCell)) {
        table[row].insert(cell, at: heading.count - 1)
      }
      isNumeric.append(false)
    }
    try Console.data(TextTable.text(table, isNumeric: isNumeric))
  }

  static func printPosition(_ page: Int, count: Int, nothing: String) {
    let pages = (count + pageLength - 1) / pageLength
    if count == 0 {
      Console.talk(nothing)
    } else if page > pages {
      Console.talk(pages == 1 ? "there is only page 1" : "there are only \(pages) pages")
    } else if pages > 1 {
      let more = page < pages ? "; the next is --page \(page + 1)" : ""
      Console.talk("page \(page) of \(pages)\(more)")
    }
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
