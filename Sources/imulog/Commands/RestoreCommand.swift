// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUModel
import LogStore

/// `imulog restore`: moves recordings back from the trash.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Move recordings back from the trash and print their numbers.",
    discussion: """
      imulog list --trash shows what is in the trash. A recording gets its number back, or the next free \
      one if another recording has that number now, which is reported.

      Example:
        imulog restore latest
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp(
      "Numbers, `latest` for the one removed last, or beginnings of UUIDs.", valueName: "id"),
    completion: .removedRecordings)
  var ids: [String]

  mutating func run() throws {
    let catalogue = try program.openStore(storeOptions)
    // Find all of them first: a wrong word in the list moves nothing.
    var trashed: [TrashedRecording] = []
    for id in ids {
      let recording = try catalogue.trashedRecording(for: id)
      if !trashed.contains(recording) { trashed.append(recording) }
    }
    for recording in trashed {
      let number = recording.entry.number
      let entry = try catalogue.restore(recording)
      if entry.number == number {
        Console.talk("recording \(number) is back")
      } else {
        Console.talk(
          "recording \(number) is back as \(entry.number), because another recording is number \(number) now"
        )
      }
      try Console.data("\(entry.number)")
    }
  }
}
