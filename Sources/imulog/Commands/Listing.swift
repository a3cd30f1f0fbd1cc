import Export
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Terminal

/// A page of the store's recordings, as a table or as JSON.
struct Listing {
  static let pageLength = 10

  let store: String
  var followsLinks = true
  var page = 1
  /// Whether to list the trash.
  var trash = false
  var json = false
  var plain = false

  func print() throws {
    let catalogue = try OpenStore.reading(store, followsLinks: followsLinks)
    if !json, !plain, !trash, TerminalDevice.isThere(term: Environment.value("TERM")) {
      let signals = try SignalWatch(SignalWatch.atTerminal)
      return try ListScreen(catalogue, page: page, TerminalSession()) {
        ListRow($0, in: catalogue).details
      } export: {
        try Listing.export($0)
      }.run(signals)
    }
    if trash { return try printTrash(of: catalogue) }
    let listing = try catalogue.list()
    for stranger in listing.strangers {
      Console.talk("\(stranger) was not made by a store; `imulog import` takes it in")
    }
    try print(page(of: listing.entries).map { ListRow($0, in: catalogue) })
    if !json { printPosition(count: listing.entries.count, nothing: "no recordings yet") }
  }

  /// Writes JSON to the working directory, under a name that is not in use.
  private static func export(_ entry: CatalogueEntry) throws -> (sentence: String, isAlert: Bool) {
    let name = "recording-\(entry.number).json"
    guard access(name, F_OK) != 0 else {
      return ("\(name) is there already, and stays as it is", true)
    }
    var options = ExportOptions(format: .json)
    options.number = entry.number
    let file = try PendingFile(name)
    var sink = FileDescriptorSink(file.descriptor, name: name)
    let report = try Exporter(options).write(try FileStorage(reading: entry.path), to: &sink)
    try file.publish()
    let damage = report.damages > 0 ? "; parts of the recording are damaged and missing in it" : ""
    return ("written to \(name)\(damage)", report.damages > 0)
  }

  private func printTrash(of catalogue: Catalogue) throws {
    let trashed = try catalogue.trashed()
    try print(page(of: trashed).map { ListRow($0, in: catalogue) })
    guard !json else { return }
    printPosition(count: trashed.count, nothing: "the trash is empty")
    if !trashed.isEmpty { Console.talk("`imulog restore NUMBER` brings one back") }
  }

  private func page<Element>(of all: [Element]) -> some Sequence<Element> {
    let first = (page - 1).multipliedReportingOverflow(by: Listing.pageLength)
    return (first.overflow ? [] : all.dropFirst(first.partialValue)).prefix(Listing.pageLength)
  }

  private func print(_ rows: [ListRow]) throws {
    if json {
      try Console.json(
        JSONWriter.document { json in
          json.member("recordings", rows, onNewLines: true) { $1.add(to: &$0) }
        })
    } else {
      try printTable(rows)
    }
  }

  private func printTable(_ rows: [ListRow]) throws {
    guard !rows.isEmpty else { return }
    let heading = trash ? ListRow.trashHeading : ListRow.heading
    try Console.data(
      TextTable.text(
        [heading] + rows.map(\.columns),
        isNumeric: Array(ListRow.isNumeric.prefix(heading.count))))
  }

  private func printPosition(count: Int, nothing: String) {
    let pages = (count + Listing.pageLength - 1) / Listing.pageLength
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
