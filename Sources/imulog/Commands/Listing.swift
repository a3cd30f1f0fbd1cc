import LinuxIO
import LogStore

/// A page of the store's recordings, as a table or as JSON.
struct Listing {
  static let pageLength = 10

  let store: String
  var followsLinks = true
  var page = 1
  var json = false
  var plain = false

  func print() throws {
    let catalogue = try OpenStore.reading(store, followsLinks: followsLinks)
    if !json, !plain, TerminalDevice.isThere(term: Environment.value("TERM")) {
      let signals = try SignalWatch(SignalWatch.atTerminal)
      return try ListScreen(catalogue, page: page, TerminalSession()).run(signals)
    }
    let listing = try catalogue.list()
    let entries = listing.entries
    for stranger in listing.strangers {
      Console.talk("\(stranger) was not made by a store; `imulog import` takes it in")
    }
    let first = (page - 1).multipliedReportingOverflow(by: Listing.pageLength)
    let shown = first.overflow ? [] : entries.dropFirst(first.partialValue)
    let rows = shown.prefix(Listing.pageLength).map { ListRow($0, in: catalogue) }
    if json {
      try Console.json("[" + rows.map(\.json).joined(separator: ",\n ") + "]")
    } else {
      try printTable(rows)
      printPosition(count: entries.count)
    }
  }

  private func printTable(_ rows: [ListRow]) throws {
    guard !rows.isEmpty else { return }
    try Console.data(
      TextTable.text([ListRow.heading] + rows.map(\.columns), isNumeric: ListRow.isNumeric))
  }

  private func printPosition(count: Int) {
    let pages = (count + Listing.pageLength - 1) / Listing.pageLength
    if count == 0 {
      Console.talk("no recordings yet")
    } else if page > pages {
      Console.talk(pages == 1 ? "there is only page 1" : "there are only \(pages) pages")
    } else if pages > 1 {
      let more = page < pages ? "; the next is --page \(page + 1)" : ""
      Console.talk("page \(page) of \(pages)\(more)")
    }
  }
}
