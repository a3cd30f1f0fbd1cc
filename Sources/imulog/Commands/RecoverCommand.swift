// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import ArgumentParser
import LogStore
import Text

struct RecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Make a new recording of what can be read of a damaged one.",
    discussion: """
      Prints the new recording's number. It has all that can be read; the rest is gaps with the cause "lost". \
      The damaged log stays as it is. Exit status: 0 nothing is missing, 65 something is.
      """,
    examples: "imulog recover 7")

  @ParentCommand var program: Imulog
  @OptionGroup var log: LogOptions

  mutating func run() throws {
    let store = try program.storePath(log.storeOptions)
    let (number, report) = try Importing(store: store).recover(try path(in: store))
    try Console.data("\(number)")
    let name = log.isPath ? log.target : "recording \(log.target)"
    let salvaged = "recording \(number) has \(Plain.count(report.sampleCount, "sample")) of \(name)"
    guard report.isIntact else {
      throw CommandFailure(.damagedData, "\(salvaged), which is \(VerifyReport(report).sentence)")
    }
    Console.talk("\(salvaged), and nothing is missing")
  }
  /// The log's path; a recording that is being written is refused.
  private func path(in store: String) throws -> String {
    guard !log.isPath else { return log.target }
    let catalogue = try Catalogue(path: store)
    let entry = try catalogue.entry(for: log.target)
    guard try !catalogue.isLive(entry) else { throw CatalogueError.isLive(file: entry.path) }
    return entry.path
  }
}
