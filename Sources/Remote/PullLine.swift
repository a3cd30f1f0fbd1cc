/// What requests and replies of a pull have in common: words of printable ASCII, a space between each two.
public enum PullLine {
  /// Version of the protocol that this program speaks.
  public static let version = 1
  /// Bytes that a line may have.
  public static let longest = 1024
  /// Bytes that may follow a line.
  public static let largestChunk: UInt64 = 1 << 20

  static func words<Line: StringProtocol>(_ line: Line) -> [Line.SubSequence] {
    guard line.utf8.count <= longest else { return [] }
    return line.split(separator: " ", omittingEmptySubsequences: false)
  }

  /// A decimal number without sign or needless zeros.
  static func number(_ word: some StringProtocol) -> UInt64? {
    let digits = Array(word.utf8)
    guard (1...20).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
      digits.count == 1 || digits[0] != 48
    else { return nil }
    return UInt64(word)
  }

  static func signed(_ word: some StringProtocol) -> Int64? {
    guard word.utf8.first == UInt8(ascii: "-") else {
      return number(word).flatMap { Int64(exactly: $0) }
    }
    return number(word.dropFirst()).flatMap { Int64(exactly: $0) }.map { -$0 }
  }

  /// Whether two lines are the same bytes: equal strings may be written differently.
  static func isSame(_ line: String, _ other: some StringProtocol) -> Bool {
    line.utf8.elementsEqual(other.utf8)
  }

  /// `text` with `?` for all that is no printable ASCII, cut to what a line holds with room for the rest.
  static func plain(_ text: String) -> String {
    let bytes = text.utf8.prefix(longest - 64).map { (0x20...0x7E).contains($0) ? $0 : 63 }
    return String(decoding: bytes, as: UTF8.self)
  }
}
