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
    let report = try isPath ? verifyFile() : verifyRecording()
    try json ? Console.data(VerifyReport(report).json) : VerifyReport(report).print()
    if !report.isIntact {
      throw CommandFailure(.damagedData, VerifyReport(report).sentence)
    }
  }

  /// No ID has a slash or a dot; of other words a file's name is one only when it has no number's or UUID's
  /// digits alone.
  private var isPath: Bool {
    if target.contains("/") || target.contains(".") { return true }
    let isID = target == "latest" || target.allSatisfy { $0.isHexDigit || $0 == "-" }
    return !isID && FileIdentity(path: target) != nil
  }

  private func verifyFile() throws -> LogVerification {
    var reader = try LogReader(try FileStorage(reading: target))
    return try reader.verify()
  }

  private func verifyRecording() throws -> LogVerification {
    let catalogue = try program.openStore(storeOptions)
    var reader = try catalogue.reader(of: try catalogue.entry(for: target))
    return try reader.verify()
  }
}
