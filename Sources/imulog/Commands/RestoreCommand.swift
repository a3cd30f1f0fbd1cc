// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUModel
import LogStore

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Move recordings back from the trash and print their numbers.",
    discussion: """
      `imulog list --trash` shows them. A recording whose number is taken gets the next free one.

      Example:
        imulog restore latest
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: .value("id", "Numbers, `latest` for the one removed last, or beginnings of UUIDs."),
    completion: .removedRecordings)
  var ids: [String]

  mutating func run() throws {
    let catalogue = try program.openStore(storeOptions)
    // All are found first: a wrong word in the list moves nothing.
    for recording in try ids.map({ try catalogue.trashedRecording(for: $0) }).withoutRepeats {
      let old = recording.entry.number
      let new = try catalogue.restore(recording).number
      let change = old == new ? "" : " as \(new), because another recording is number \(old) now"
      Console.talk("recording \(old) is back\(change)")
      try Console.data("\(new)")
    }
  }
}
