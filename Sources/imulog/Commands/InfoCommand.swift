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

  @Argument(help: ArgumentHelp("A number, `latest`, or the begin of a UUID.", valueName: "id"))
  var id: String

  @Flag(help: "Print JSON.")
  var json = false

  mutating func run() throws {
    let catalogue = try OpenStore.reading(try program.storePath(storeOptions))
    let entry = try catalogue.find(id)
    do throws(LogError) {
      var reader = try catalogue.reader(of: entry)
      let state = try catalogue.summary(of: entry).state
      let full = try reader.fullSummary(isLive: state == .live)
      let report = InfoReport(entry: entry, summary: full)
      if json { return try print(report.json) }
      for (key, value) in report.lines { try print(key + String(repeating: " ", count: 12 - key.count) + value) }
    } catch let error as LogError {
      throw CommandFailure(error)
    }
  }

  private func print(_ line: String) throws { try Console.data(line) }
}
