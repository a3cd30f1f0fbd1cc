// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// Splits an untrusted command line into words, without a shell.
///
///     export 3 --format 'csv'   ─►   [export] [3] [--format] [csv]
///
/// Spaces separate words. `'…'` quotes its contents literally; in `"…"` a backslash escapes a quote or a backslash;
/// elsewhere a backslash escapes any character. Nothing is expanded: characters with a meaning for a shell (`$`, a
/// backtick, `;`, `|`, `&`, `<`, `>`, `(`, `)`, `{`, `}`, `[`, `]`, `*`, `?`, `~`, `!`, `#`) are refused everywhere, in quotes
/// too. Only printable ASCII is allowed: no control character reaches a log or a terminal, and none looks like another.
package enum RequestTokeniser {
  package static let longest = 1024
  package static let mostWords = 32

  /// The words of a request of any bytes.
  ///
  /// - Complexity: linear in the bytes, at most ``longest``.
  package static func words(
    _ request: some Collection<UInt8>
  ) throws(RequestRefusal) -> [String] {
    guard request.count <= longest else { throw .tooLong(bytes: request.count) }
    var words: [String] = []
    var word: [UInt8]?
    var quote: UInt8?
    var isEscaped = false
    for byte in request {
      guard (0x20...0x7E).contains(byte) else { throw .notPlain(byte) }
      guard !expanded.contains(byte) else { throw .shellCharacter(byte) }
      if isEscaped {
        // In double quotes a backslash before any other character is itself, as in a shell.
        if quote != nil, byte != doubleQuote, byte != backslash { word?.append(backslash) }
        word = (word ?? []) + [byte]
        isEscaped = false
      } else if byte == backslash, quote != singleQuote {
        isEscaped = true
        word = word ?? []
      } else if byte == quote {
        quote = nil
      } else if quote == nil, byte == singleQuote || byte == doubleQuote {
        quote = byte
        word = word ?? []
      } else if quote == nil, byte == space {
        try end(&word, &words)
      } else {
        word = (word ?? []) + [byte]
      }
    }
    guard quote == nil, !isEscaped else { throw .openQuote }
    try end(&word, &words)
    return words
  }

  private static func end(_ word: inout [UInt8]?, _ words: inout [String]) throws(RequestRefusal) {
    guard let bytes = word else { return }
    guard words.count < mostWords else { throw .tooManyWords }
    words.append(String(decoding: bytes, as: UTF8.self))
    word = nil
  }

  private static let expanded = Set("$`;|&<>(){}[]*?~!#".utf8)
  private static let backslash = UInt8(ascii: "\\")
  private static let singleQuote = UInt8(ascii: "'")
  private static let doubleQuote = UInt8(ascii: "\"")
  private static let space = UInt8(ascii: " ")
}

extension RecordingReference {
  /// A recording as a request names it: 1 to 36 letters, digits and dashes, neither an option nor a path.
  ///
  /// - Throws: ``RequestRefusal/path(_:)`` or ``RequestRefusal/identity(_:)``.
  package init(request word: String) throws(RequestRefusal) {
    if word.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ".") }) {
      throw .path(word)
    }
    self.init(word)
    guard isPossible else { throw .identity(word) }
  }
}

/// A request of a restricted key that is not carried out.
package struct RequestRefusal: StatusError, Equatable {
  /// `noPermission` for valid requests that this key may not make, else `usage`.
  package let exitStatus: ExitStatus
  /// One sentence of printable ASCII.
  package let description: String

  private init(_ description: String, _ exitStatus: ExitStatus = .usage) {
    (self.exitStatus, self.description) = (exitStatus, description)
  }

  static func tooLong(bytes: Int) -> Self {
    Self("the request has \(bytes) bytes, more than \(RequestTokeniser.longest); shorten it")
  }

  static let tooManyWords = Self(
    "the request has more than \(RequestTokeniser.mostWords) words; shorten it")

  static func notPlain(_ byte: UInt8) -> Self {
    Self("the request has a byte of value \(byte); only printable ASCII is allowed")
  }

  static func shellCharacter(_ byte: UInt8) -> Self {
    Self("the request has a \(Character(Unicode.Scalar(byte))), and there is no shell here")
  }

  static let openQuote = Self("the request has an unclosed quote, or ends in a backslash")

  /// A verb of the program that this key may not use.
  package static func forbiddenVerb(_ verb: String, allowed: [String]) -> Self {
    Self("\(verb) is not allowed with this key; there are \(list(allowed))", .noPermission)
  }

  package static func unknownVerb(_ word: String, allowed: [String]) -> Self {
    Self("\(shown(word)) is not a verb; there are \(list(allowed))")
  }

  /// An option that this key may not give, or that the verb does not have.
  package static func option(_ option: String, verb: String, allowed: [String]) -> Self {
    let rest = allowed.isEmpty ? "it has no options" : "there are \(list(allowed))"
    return Self("\(shown(option)) of \(verb) is not allowed with this key; \(rest)", .noPermission)
  }

  package static func repeatedOption(_ option: String) -> Self {
    Self("\(option) came twice; give it once")
  }

  package static let output = Self("-o takes only - with this key", .noPermission)

  static func path(_ word: String) -> Self {
    Self("\(shown(word)) is a path, not a recording; \(ids)", .noPermission)
  }

  static func identity(_ word: String) -> Self {
    Self("\(shown(word)) is not a recording; \(ids)")
  }

  private static let ids = "give a number, latest, or the beginning of a UUID"

  private static func list(_ words: [String]) -> String {
    words.count < 2
      ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words[words.count - 1]
  }

  /// The first 40 characters; words are printable ASCII by now.
  private static func shown(_ word: String) -> String {
    word.utf8.count <= 40 ? word : String(word.prefix(40)) + "..."
  }
}
