/// Text from outside, made fit for a terminal or a journal.
enum PlainText {
  /// `text` with `?` for each control character (C0, DEL, C1) and each line or paragraph separator.
  static func withoutControls(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "?" : $0 }))
  }

  /// Whether a terminal, journal or script could obey the character.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: return true
    default: return false
    }
  }
}
