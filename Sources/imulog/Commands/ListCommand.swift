// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import IMUModel
import Text

/// `imulog list`: lists the store's recordings, ten a page, newest first.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List recordings, ten a page, newest first.",
    discussion: """
      On a terminal, the list fills the screen, and recordings can be shown, played, exported, removed and \
      restored; ? shows the keys. / searches number, start, sensor, state and note for a phrase, and only \
      recordings with it are shown, until Escape. From 130x16 on the selected recording's graph is beside \
      the list. --page 3 begins at the 21st recording.

      In a pipe, or with --plain, --trash, or an option that chooses recordings, one page is printed.

      With the directory of a hub as the store, the recordings of all its hosts are listed, by the \
      starts in their files' names.

      --partial lists the files that pulls leave in the store: copies that are incomplete (partial), not \
      synced (unsynced) or abandoned because the other machine now has a different recording of that name \
      (aside), and marks of unanswered requests to free an original (freeing). It also lists marks of \
      recordings that made room and have labels left (deleted). They are deleted 30 days after their last \
      change, labels with the mark.

      Examples:
        imulog list
        imulog list --page 2 --json
        imulog list --label walking
        imulog list --since 7d --until 2026-11-26
        imulog --store fleet list --host pump-7 --json
        imulog list --trash
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(parsing: .unconditional, help: ArgumentHelp("The page, counted from 1.", valueName: "n"))
  var page = 1

  @Flag(help: "List what pulls left in the store.")
  var partial = false

  @Flag(help: "List removed recordings, the latest first, with the time of their deletion.")
  var trash = false

  @OptionGroup var filterOptions: ListFilterOptions

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var terminalOptions: TerminalOptions

  func validate() throws {
    if page < 1 { throw ValidationError("--page counts from 1") }
    if filterOptions.filter.isGiven, trash || partial {
      throw ValidationError(
        "--label, --since, --until and --host list recordings of the store; leave out --trash and --partial"
      )
    }
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

/// Parses the plain forms of `imulog list` without the argument parser, which takes several times the processor time of
/// the list itself: on a small board a user notices the delay.
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
    let store = try StoreLocation.path(
      verb: verb, program: program, environment: Environment.value)
    return Listing(store: store, json: json)
  }
}
