import ArgumentParser

/// `imulog list`: the store's recordings, ten a page, newest first.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List recordings, ten a page, newest first.")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Option(parsing: .unconditional, help: ArgumentHelp("The page, from 1 on.", valueName: "n"))
  var page = 1

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if page < 1 { throw ValidationError("--page counts from 1") }
  }

  mutating func run() throws {
    try Listing(
      store: try program.storePath(storeOptions), followsLinks: !program.beneath, page: page,
      json: json
    ).print()
  }
}
