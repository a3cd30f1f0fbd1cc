// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import ArgumentParser
import Text

/// `imulog recover`: makes a whole recording from what is left of a damaged one.
struct RecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Make a new recording of what can be read of a damaged one.",
    discussion: """
      Prints the new recording's number. It has every sample, gap, mark and event that can be read; ticks \
      that cannot be read are gaps with the cause "lost". The damaged log is not changed. The exit status \
      is 0 when nothing is missing, and 65 when something is, which stderr reports.

      Example:
        imulog recover 7
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp("A recording of the store, or the path of a log.", valueName: "id|file"),
    completion: .recordingsAndFiles)
  var target: String

  mutating func run() throws {
    let store = try program.storePath(storeOptions)
    let source = LogTarget(target)
    let (number, report) = try Importing(store: store).recover(
      source.path(isEnded: true) { store })
    try Console.data("\(number)")
    let name = source.isPath ? target : "recording \(target)"
    let count = report.sampleCount
    let salvaged = "recording \(number) has \(Plain.count(count, "sample")) of \(name)"
    guard report.isIntact else {
      throw CommandFailure(
        .damagedData, "\(salvaged), which is \(VerifyReport(report).sentence)")
    }
    Console.talk("\(salvaged), and nothing is missing")
  }
}
