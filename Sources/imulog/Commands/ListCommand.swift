import ArgumentParser

/// `imulog list`: the store's recordings, ten a page, newest first.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List recordings, ten a page, newest first.",
    discussion: """
      On a terminal recordings can be shown, played, exported, deleted and restored; the last line names the keys. \
      In a pipe, or with --plain or --trash, a page is printed.

      Copies that a pull has begun (partial), could not sync (unsynced) or does not continue because the other machine \
      has another recording of that name now (aside), and marks of recordings that it had no answer about when it asked \
      to free the original (freeing), go 30 days after their last change.
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(parsing: .unconditional, help: ArgumentHelp("The page, from 1.", valueName: "n"))
  var page = 1

  @Flag(help: "List copies from elsewhere that became no recordings.")
  var partial = false

  @Flag(help: "List what was removed, the last first, and when it is deleted for good.")
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
