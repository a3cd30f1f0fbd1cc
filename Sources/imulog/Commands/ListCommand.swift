// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import IMUModel
import Text

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List recordings, ten a page, newest first.",
    discussion: """
      On a terminal, recordings can be searched, shown, played, exported, removed and restored; ? lists the \
      keys. In a pipe, or with --plain, --trash or a choice of recordings, one page is printed, in \
      which the recordings of a take are one row. With a hub as the store, the recordings of all its hosts are \
      listed.

      --partial lists what pulls left: incomplete (partial) and unsynced copies, copies whose original was \
      replaced (aside), and marks of unanswered requests to free an original (freeing); also marks of deleted \
      recordings that have labels (deleted). Each goes 30 days after its last change.
      """,
    examples: "imulog list",
    "imulog list --page 2 --json",
    "imulog list --label walking",
    "imulog list --since 7d --until 2026-11-26",
    "imulog --store fleet list --host pump-7 --json",
    "imulog list --trash")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(parsing: .unconditional, help: .value("n", "The page, counted from 1."))
  var page = 1

  @Flag(help: "List what pulls left in the store.")
  var partial = false

  @Flag(help: "List removed recordings, the latest first, and when they will be deleted.")
  var trash = false

  @OptionGroup var filterOptions: ListFilterOptions

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var terminalOptions: TerminalOptions

  func validate() throws {
    if page < 1 { throw ValidationError("--page counts from 1") }
    try OptionRule.refuse(filterOptions.given, with: ["--trash": trash, "--partial": partial])
  }

  mutating func run() throws {
    guard !partial else {
      return try LeftoverListing(store: try program.storePath(storeOptions), json: json).print()
    }
    try Listing(
      store: try program.storeOrHubPath(storeOptions), followsLinks: !program.beneath, page: page,
      trash: trash, filter: filterOptions.filter, json: json,
      plain: terminalOptions.plain || program.beneath
    ).print()
  }
}

/// Parses the plain forms of `imulog list` without the argument parser, which takes several times as long as the list
/// itself: on a small board a user notices the delay.
///
///     imulog [--store DIR] list [--store DIR] [--json]
///
/// The parser handles all other arguments, wrong ones included.
enum ListShortcut {
  /// The list for the arguments after the program's name; `nil` when the parser must handle them.
  static func listing(_ arguments: some Sequence<String>) throws(CommandFailure) -> Listing? {
    var words = arguments.makeIterator()
    var verbSeen = false
    var json = false
    var program: String?
    var verb: String?
    while let word = words.next() {
      switch word {
      case "list" where !verbSeen: verbSeen = true
      case "--json" where verbSeen && !json: json = true
      case "--store" where (verbSeen ? verb : program) == nil:
        guard let path = words.next(), !path.hasPrefix("-") else { return nil }
        if verbSeen { verb = path } else { program = path }
      default: return nil
      }
    }
    guard verbSeen else { return nil }
    return Listing(store: try StoreLocation.path(verb: verb, program: program), json: json)
  }
}
