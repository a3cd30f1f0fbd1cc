/// Splits a command line from a stranger into words, without a shell.
///
///     export 3 --format 'csv'   ─►   [export] [3] [--format] [csv]
///
/// Words are separated by spaces. `'…'` keeps what is between as it is; in `"…"` a backslash keeps the quote or
/// backslash after it; elsewhere a backslash keeps any character. Nothing is expanded: what a shell would act on
/// (`$`, a backtick, `;`, `|`, `&`, `<`, `>`, `(`, `)`, `{`, `}`, `[`, `]`, `*`, `?`, `~`, `!`, `#`) is refused
/// wherever it stands, in quotes too, because nothing that may be asked for holds it. Only printable ASCII is let
/// in: no control character can reach a log or a terminal, and no character can look like another.
public enum RequestTokeniser {
  /// Bytes that a request may have.
  public static let longest = 1024
  /// Words that a request may have.
  public static let mostWords = 32

  /// The words of a request.
  ///
  /// - Parameter request: Bytes as they came, of any number.
  /// - Complexity: linear in the bytes, at most ``longest``.
  public static func words(
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
        // Within double quotes a backslash before anything else stands for itself, as in a shell.
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
