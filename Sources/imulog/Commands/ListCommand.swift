import ArgumentParser
import Export
import LogStore

/// `imulog list`: the store's recordings, ten a page, newest first.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List recordings, ten a page, newest first.")

  static let pageLength = 10

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(parsing: .unconditional, help: ArgumentHelp("The page, from 1 on.", valueName: "n"))
  var page = 1

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if page < 1 { throw ValidationError("--page counts from 1") }
  }

  mutating func run() throws {
    let catalogue = try OpenStore.reading(try program.storePath(storeOptions))
    let listing = try catalogue.list()
    let entries = listing.entries
    for stranger in listing.strangers {
      Console.talk("\(stranger) was not made by a store; `imulog import` takes it in")
    }
    let first = (page - 1).multipliedReportingOverflow(by: ListCommand.pageLength)
    let shown = first.overflow ? [] : entries.dropFirst(first.partialValue)
    let rows = shown.prefix(ListCommand.pageLength).map { ListRow($0, in: catalogue) }
    if json {
      try Console.data("[" + rows.map(\.json).joined(separator: ",\n ") + "]")
    } else {
      try printTable(rows)
      printPosition(count: entries.count)
    }
  }

  private func printTable(_ rows: [ListRow]) throws {
    guard !rows.isEmpty else { return }
    let lines = [ListRow.heading] + rows.map(\.columns)
    let widths = ListRow.heading.indices.map { column in
      lines.map { $0[column].count }.max() ?? 0
    }
    for line in lines {
      let cells = zip(line, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return ListRow.isNumeric[column] ? padding + cell.0 : cell.0 + padding
      }
      try Console.data(ListCommand.withoutTrailingSpace(cells.joined(separator: "  ")))
    }
  }

  private func printPosition(count: Int) {
    let pages = (count + ListCommand.pageLength - 1) / ListCommand.pageLength
    if count == 0 {
      Console.talk("no recordings yet")
    } else if page > pages {
      Console.talk(pages == 1 ? "there is only page 1" : "there are only \(pages) pages")
    } else if pages > 1 {
      let more = page < pages ? "; the next is --page \(page + 1)" : ""
      Console.talk("page \(page) of \(pages)\(more)")
    }
  }

  private static func withoutTrailingSpace(_ line: String) -> String {
    var line = line[...]
    while line.hasSuffix(" ") { line = line.dropLast() }
    return String(line)
  }
}
