import ArgumentParser

/// `imulog list`: the store's recordings, ten a page, newest first.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List recordings, ten a page, newest first.",
    discussion: """
      On a terminal, recordings can be shown, played, exported, removed and restored; the last line names \
      the keys. In a pipe, or with --plain or --trash, one page is printed.

      --partial lists the files that pulls leave in the store: copies that are incomplete (partial), not \
      synced (unsynced) or abandoned because the other machine now has a different recording of that name \
      (aside), and marks of unanswered requests to free an original (freeing). They are deleted 30 days \
      after their last change.

      Examples:
        imulog list
        imulog list --page 2 --json
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

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var terminalOptions: TerminalOptions

  func validate() throws {
    if page < 1 { throw ValidationError("--page counts from 1") }
  }

  mutating func run() throws {
    guard !partial else {
      return try LeftoverListing(store: try program.storePath(storeOptions), json: json).print()
    }
    try Listing(
      store: try program.storePath(storeOptions), followsLinks: !program.beneath, page: page,
      trash: trash, json: json, plain: terminalOptions.plain || program.beneath
    ).print()
  }
}
