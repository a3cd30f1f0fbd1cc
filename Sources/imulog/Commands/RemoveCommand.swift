// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUModel
import LinuxIO
import LogStore
import Text

struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Move recordings to the trash, which keeps them for 30 days.",
    discussion: """
      `imulog list --trash` shows them; `imulog restore` moves them back. The recordings of a take go together; \
      3/left is one sensor's alone.
      """,
    examples: "imulog rm 3 4")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: .value("id", "Numbers, `latest`, or beginnings of UUIDs."), completion: .recordings)
  var ids: [String] = []

  @Flag(help: "Then delete everything in the trash for ever, to make room.")
  var emptyTrash = false

  func validate() throws {
    if ids.isEmpty, !emptyTrash { throw ValidationError("give the recordings to remove") }
  }

  mutating func run() throws {
    let catalogue = try program.openStore(storeOptions)
    // All are found first: a wrong word in the list removes nothing.
    let takes = try ids.map { try catalogue.take($0, isRemoval: true) }
    let entries = takes.flatMap(\.recordings).withoutRepeats
    let now = SystemClock().wallTime
    for remark in takes.flatMap(\.remarks).withoutRepeats { Console.talk(remark) }
    try entries.forAll { entry in
      let removed = try catalogue.remove(entry, now: now)
      if !emptyTrash {
        let span =
          removed.dueSeconds == nil ? "30 days from when the clock is synchronised" : "30 days"
        let number = entry.number
        Console.talk(
          "recording \(number) is in the trash for \(span); `imulog restore \(number)` brings it back"
        )
      }
    }
    guard emptyTrash else {
      return catalogue.tidy(now: now) { Console.talk($0) }
    }
    let (deleted, failures) = catalogue.emptyTrash(now: now, ofAnyAge: true)
    let sentence = "\(Plain.count(deleted.count, "recording")) deleted"
    guard let failure = failures.first, let status = CommandFailure(failure)?.status else {
      return Console.talk(sentence)
    }
    throw CommandFailure(status, "\(sentence), and \(failures.count) could not be: \(failure)")
  }
}

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Move recordings back from the trash and print their numbers.",
    discussion: """
      `imulog list --trash` shows them. A recording whose number is taken gets the next free one. \
      The recordings of a take come back together; 3/left is one sensor's alone.
      """,
    examples: "imulog restore latest")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: .value("id", "Numbers, `latest` for the one removed last, or beginnings of UUIDs."),
    completion: .removedRecordings)
  var ids: [String]

  mutating func run() throws {
    let catalogue = try program.openStore(storeOptions)
    // All are found first: a wrong word in the list moves nothing.
    let takes = try ids.map { try catalogue.trashedTake($0) }
    for remark in takes.flatMap(\.remarks).withoutRepeats { Console.talk(remark) }
    try takes.flatMap(\.recordings).withoutRepeats.forAll { recording in
      let old = recording.entry.number
      let new = try catalogue.restore(recording).number
      let change = old == new ? "" : " as \(new), because another recording is number \(old) now"
      Console.talk("recording \(old) is back\(change)")
      try Console.data("\(new)")
    }
  }
}

extension Sequence {
  /// Does the work for all, also after a failure. The first one is thrown at the end, and the others are said.
  fileprivate func forAll(_ work: (Element) throws -> Void) throws {
    var first: (any Error)?
    for element in self {
      do {
        try work(element)
      } catch {
        if first != nil { Console.talk("\(error)") }
        first = first ?? error
      }
    }
    if let first { throw first }
  }
}
