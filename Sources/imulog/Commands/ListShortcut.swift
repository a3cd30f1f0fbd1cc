import IMUModel

/// The plain forms of `imulog list`, understood without the argument parser, which costs several times as much
/// processor time as the list itself; on a small board a person feels it.
///
///     imulog [--store DIR] list [--store DIR] [--json]
///
/// Everything else, wrong arguments too, is the parser's.
enum ListShortcut {
  /// What the arguments after the program's name ask for; `nil` when they are not one of the plain forms.
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
