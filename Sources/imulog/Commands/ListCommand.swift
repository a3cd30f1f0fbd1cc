import ArgumentParser

/// `imulog list`: the store's recordings, ten a page, newest first.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List recordings, ten a page, newest first.",
    discussion: """
      On a terminal a recording can be chosen there, to be shown, played, written out or deleted, and back; the \
      last line names the keys. In a pipe, or with --plain, a page is printed.
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(parsing: .unconditional, help: ArgumentHelp("The page, from 1 on.", valueName: "n"))
  var page = 1

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var terminalOptions: TerminalOptions

  func validate() throws {
    if page < 1 { throw ValidationError("--page counts from 1") }
  }

  mutating func run() throws {
    try Listing(
      store: try program.storePath(storeOptions), followsLinks: !program.beneath, page: page,
      json: json, plain: terminalOptions.plain || program.beneath
    ).print()
  }
}
