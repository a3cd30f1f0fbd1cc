import ArgumentParser
import Export
import IMUModel
import LogStore

/// `imulog info`: everything about one recording but its samples.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show what is known about a recording.")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: ArgumentHelp("A number, `latest`, or the beginning of a UUID.", valueName: "id"))
  var id: String

  @Flag(help: "Print JSON.")
  var json = false

  mutating func run() throws {
    let catalogue = try program.openStore(storeOptions)
    let entry = try catalogue.entry(for: id)
    let isLive = try catalogue.isLive(entry)
    var reader = try catalogue.reader(of: entry)
    let report = InfoReport(entry: entry, summary: try reader.fullSummary(isLive: isLive))
    if json { return try Console.data(report.json) }
    for (key, value) in report.lines {
      try Console.data(key + String(repeating: " ", count: 12 - key.count) + value)
    }
  }
}
