/// The words after a verb, by kind: flags, options with a value, and others.
struct RequestWords {
  private let verb: String
  private var words: ArraySlice<String>
  private var flags: Set<String> = []
  private var values: [String: String] = [:]
  private var others: [String] = []

  init(verb: String, words: ArraySlice<String>) {
    self.verb = verb
    self.words = words
  }

  /// Options of the program that name a file, a directory or a socket.
  private static let paths: Set = ["--store", "--socket", "--config", "--log", "-o", "--output"]

  /// Tells the words apart by the options that are allowed.
  ///
  /// - Parameters:
  ///   - valued: Options that take the next word, or what is after `=`.
  ///   - output: Options that take `-`, for stdout, and nothing else.
  mutating func sort(
    flags known: Set<String> = [], valued: Set<String> = [], output: Set<String> = []
  ) throws(RequestRefusal) {
    while let word = words.popFirst() {
      guard word.hasPrefix("-") else {
        others.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = String(parts[0])
      if known.contains(word) {
        guard flags.insert(word).inserted else { throw .repeatedOption(word) }
      } else if valued.contains(option) || output.contains(option) {
        let value = parts.count > 1 ? String(parts[1]) : words.popFirst()
        guard let value, !value.isEmpty else { throw .missingValue(option) }
        if output.contains(option) {
          guard value == "-" else { throw .forbiddenOption(option, verb: verb) }
        } else {
          guard values.updateValue(value, forKey: option) == nil else {
            throw .repeatedOption(option)
          }
        }
      } else if RequestWords.paths.contains(option) || word.hasPrefix("-o") {
        throw .forbiddenOption(word.hasPrefix("-o") ? "-o" : option, verb: verb)
      } else {
        throw .unknownOption(word, verb: verb)
      }
    }
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// An option's value; `nil` when it was not given.
  func value<Value>(
    _ option: String, _ read: (String) -> Value?
  ) throws(RequestRefusal) -> Value? {
    guard let text = values[option] else { return nil }
    guard let value = read(text) else { throw .value(text, option: option) }
    return value
  }

  /// The one word that is no option.
  mutating func identity() throws(RequestRefusal) -> ServeIdentity {
    guard let word = others.first else { throw .missingIdentity(verb: verb) }
    others.removeFirst()
    try noMoreWords()
    return try ServeIdentity(word)
  }

  func noMoreWords() throws(RequestRefusal) {
    if let word = others.first { throw .extraWord(word) }
  }
}
