import ArgumentParser
import IMUModel
import LogStore
import Terminal

/// `imulog verify`: reads a log through and says whether all of it is there.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read a whole recording and report damage.",
    discussion: """
      The exit status is 0 when it is complete, 65 when something is missing or damaged.

      Example:
        imulog verify latest
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp("A recording of the store, or the path of a log.", valueName: "id|file"))
  var target: String

  @Flag(help: "Print JSON.")
  var json = false

  mutating func run() throws {
    let report = try LogTarget(target).isPath ? verifyFile() : verifyRecording()
    try json ? Console.json(VerifyReport(report).json) : VerifyReport(report).print()
    if !report.isIntact {
      throw CommandFailure(.damagedData, VerifyReport(report).sentence)
    }
  }

  private func verifyFile() throws -> Account {
    var reader = try LogReader(try ProgressStorage(reading: target, "verifying \(target)"))
    return try reader.account()
  }

  /// By the catalogue, which follows links only where it is asked to.
  private func verifyRecording() throws -> Account {
    let catalogue = try program.openStore(storeOptions)
    let entry = try catalogue.entry(for: target)
    var reader = try LogReader(
      try ProgressStorage(
        try catalogue.storage(of: entry), "verifying recording \(entry.number)"))
    return try reader.account()
  }
}
