import IMUModel

/// Parses the plain forms of `imulog list` without the argument parser, which takes several times the processor time of
/// the list itself: a delay that a person notices on a small board.
///
///     imulog [--store DIR] list [--store DIR] [--json]
///
/// The parser handles all other arguments, wrong ones included.
enum ListShortcut {
  /// The list for the arguments after the program's name; `nil` when they have no plain form.
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
