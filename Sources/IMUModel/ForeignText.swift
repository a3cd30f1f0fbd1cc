/// Text that the program did not write itself: of logs, notes, names of files, configurations, other programs, chips.
///
/// Where it goes to a person's eyes, nothing in it may be obeyed. Where it is data for a program (a log, an export, a
/// pipe of JSON), it stays as it is; JSON escapes these characters, which changes no value.
public enum ForeignText {
  /// Whether a terminal, a pager, a journal or a script could obey the character instead of showing it.
  ///
  /// These are control characters (C0, DEL, C1), separators of lines and paragraphs (U+2028, U+2029), what the
  /// bidirectional algorithm obeys, with which text shows as another (Unicode Standard Annex 9: U+061C, U+200E, U+200F,
  /// U+202A to U+202E, U+2066 to U+2069), and what is never seen and has no use in a line: deprecated format characters
  /// (U+206A to U+206F), annotations (U+FFF9 to U+FFFB), the byte order mark, tags (U+E0000 to U+E007F).
  public static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF,
      0xFFF9...0xFFFB, 0xE0000...0xE007F:
      return true
    default: return false
    }
  }

  /// `text` with `?` for each such character.
  public static func shown(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isObeyed) else { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { isObeyed($0) ? "?" : $0 }))
  }

  /// The character in JSON: `\u`, four hexadecimal digits, twice above U+FFFF (RFC 8259, section 7).
  public static func escapedForJSON(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.reduce(into: "") { text, unit in
      let digits = String(unit, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}
