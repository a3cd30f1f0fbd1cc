/// Why a request is not carried out.
public enum RequestRefusal: Error, Equatable, Sendable {
  /// More bytes than ``RequestTokeniser/longest``.
  case tooLong(bytes: Int)
  /// More words than ``RequestTokeniser/mostWords``.
  case tooManyWords
  /// A byte that is no printable ASCII.
  case notPlain(UInt8)
  /// A character that only a shell has a use for.
  case shellCharacter(UInt8)
  /// A quote that is not closed, or a backslash with nothing after it.
  case openQuote
  /// A word that is a verb of the program's, but not of this key's.
  case forbiddenVerb(String)
  /// A word that is no verb.
  case unknownVerb(String)
  /// An option that the verb has on the machine itself, but not from afar.
  case forbiddenOption(String, verb: String)
  /// An option that the verb does not have.
  case unknownOption(String, verb: String)
  /// An option that came twice.
  case repeatedOption(String)
  /// An option without its value.
  case missingValue(String)
  /// A value that the option does not take.
  case value(String, option: String)
  /// A path where only a recording's ID is taken.
  case path(String)
  /// A word that is no ID.
  case identity(String)
  /// A verb that needs an ID came without one.
  case missingIdentity(verb: String)
  /// A word too many.
  case extraWord(String)

  /// Whether what was asked is understood and not allowed, rather than not understood.
  public var isForbidden: Bool {
    switch self {
    case .forbiddenVerb, .forbiddenOption, .path: return true
    default: return false
    }
  }
}

extension RequestRefusal: CustomStringConvertible {
  /// One sentence of printable ASCII.
  public var description: String {
    switch self {
    case .tooLong(let bytes):
      return "the request has \(bytes) bytes, and \(RequestTokeniser.longest) are taken; shorten it"
    case .tooManyWords:
      return "the request has more than \(RequestTokeniser.mostWords) words; shorten it"
    case .notPlain(let byte):
      return "the request has a byte of value \(byte); only printable ASCII is taken"
    case .shellCharacter(let byte):
      return
        "the request has the character \(Character(Unicode.Scalar(byte))), and there is no shell here"
    case .openQuote:
      return "the request has a quote without its end, or ends in a backslash"
    case .forbiddenVerb(let verb):
      return "\(verb) is not allowed with this key; \(RequestRefusal.allowed)"
    case .unknownVerb(let word):
      return "\(RequestRefusal.shown(word)) is no verb; \(RequestRefusal.allowed)"
    case .forbiddenOption(let option, let verb):
      return "\(option) of \(verb) is not allowed with this key"
    case .unknownOption(let option, let verb):
      return "\(verb) has no option \(RequestRefusal.shown(option))"
    case .repeatedOption(let option): return "\(option) came twice; give it once"
    case .missingValue(let option): return "\(option) needs a value"
    case .value(let value, let option):
      return "\(RequestRefusal.shown(value)) is no value for \(option)"
    case .path(let word):
      return "\(RequestRefusal.shown(word)) is a path and no recording; "
        + "give a number, latest, or the beginning of a UUID"
    case .identity(let word):
      return "\(RequestRefusal.shown(word)) is no recording; "
        + "give a number, latest, or the beginning of a UUID"
    case .missingIdentity(let verb):
      return "\(verb) needs a recording: a number, latest, or the beginning of a UUID"
    case .extraWord(let word): return "\(RequestRefusal.shown(word)) is a word too many"
    }
  }

  private static let allowed = "there are list, info, export, verify, status and pull-server"

  /// The first 40 characters; words are printable ASCII by now.
  private static func shown(_ word: String) -> String {
    word.utf8.count <= 40 ? word : String(word.prefix(40)) + "..."
  }
}
