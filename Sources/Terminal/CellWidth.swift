/// How many cells a character takes on a terminal.
///
/// A short form of the C library's `wcwidth`, which follows the locale and not the terminal; it covers the scripts that
/// notes are written in. (Unicode Standard Annex 11, East Asian Width.)
public enum CellWidth {
  /// 0 for combining and invisible characters, 2 for East Asian wide characters and emoji, else 1.
  public static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    for range in wide where range.contains(value) { return 2 }
    return 1
  }

  /// The sum over a text.
  public static func of(_ text: some StringProtocol) -> Int {
    text.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  /// The text cut to at most `width` cells; a cut text ends in `…`, or in `~` with ASCII only.
  static func fit(_ text: String, _ width: Int, isASCII: Bool = false) -> String {
    guard of(text) > width else { return text }
    guard width > 0 else { return "" }
    var kept = String.UnicodeScalarView()
    var taken = 0
    for scalar in text.unicodeScalars {
      let wanted = of(scalar)
      guard taken + wanted <= width - 1 else { break }
      kept.append(scalar)
      taken += wanted
    }
    return String(kept) + (isASCII ? "~" : "…")
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}
