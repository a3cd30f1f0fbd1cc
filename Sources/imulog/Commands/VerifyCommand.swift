import ArgumentParser
import IMUModel
import LogStore

/// `imulog verify`: reads a log through and says whether all of it is there.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Read a recording through and say whether all of it is there.",
    discussion: "Exit status 0 when it is whole, 65 when something is missing or damaged.")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp("A recording of the store, or the path of a log.", valueName: "id|file"))
  var target: String

  @Flag(help: "Print JSON.")
  var json = false

  mutating func run() throws {
    let path = try LogTarget(target).path { try program.storePath(storeOptions) }
    var reader = try LogReader(try FileStorage(reading: path))
    let report = try reader.verify()
    try json ? Console.data(VerifyReport(report).json) : VerifyReport(report).print()
    if !report.isIntact {
      throw CommandFailure(.damagedData, VerifyReport(report).sentence)
    }
  }
}
