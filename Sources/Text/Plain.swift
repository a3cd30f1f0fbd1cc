// SPDX-License-Identifier: Apache-2.0

/// Text from outside the program: logs, notes, names of files, configurations, other programs, chips.
///
/// A terminal or pager must not obey it, so ``shown(_:)`` cleans it before a person reads it. Media add what they need:
/// ``Plain`` the locale's alphabet, HTML and SVG their escapes, the lines of a pull their printable ASCII. Data for a
/// program (a log, an export, JSON in a pipe) stays as it is; JSON escapes these characters, which changes no value.
public enum ForeignText {
  /// Whether a terminal, a pager, a journal or a script could obey the character instead of showing it.
  ///
  /// These are control characters (C0, DEL, C1), separators of lines and paragraphs (U+2028, U+2029), controls of the
  /// bidirectional algorithm, which disguise text (Unicode Standard Annex 9: U+061C, U+200E, U+200F, U+202A to U+202E,
  /// U+2066 to U+2069), and invisible characters without use in a line: deprecated format characters (U+206A to U+206F),
  /// annotations (U+FFF9 to U+FFFB), the byte order mark, tags (U+E0000 to U+E007F).
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
    String(scalar).utf16.map { "\\u" + $0.digits(4, radix: 16) }.joined()
  }
}

/// Values as text for a person's terminal.
public enum Plain {
  /// Foreign text as a cell of a table or a part of a line: without anything that a terminal would obey, line feeds
  /// included, and in ASCII where the locale requires it.
  public static func text(_ text: String) -> String {
    let shown = ForeignText.shown(text)
    return Environment.isASCII ? ascii(shown) : shown
  }

  /// The nearest ASCII text: words for the program's signs, `?` for other characters.
  public static func ascii(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.reduce(into: "") { ascii, character in
      if character.unicodeScalars.allSatisfy(\.isASCII) {
        ascii.append(character)
      } else {
        ascii += signs[character] ?? "?"
      }
    }
  }

  private static let signs: [Character: String] = [
    "°": "deg", "µ": "u", "μ": "u", "Ω": "ohm", "±": "+-", "×": "x", "·": "-", "²": "^2",
    "√": "sqrt",
    "−": "-", "–": "-", "—": "-", "…": "...", "→": "->", "←": "<-", "↑": "^", "↓": "v",
    "‘": "'", "’": "'", "“": "\"", "”": "\"", "│": "|", "─": "-",
  ]

  /// A number of things with their noun: `1 gap`, `2 gaps`.
  ///
  /// - Parameter noun: The name of one, whose plural ends in s.
  public static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    count(number, noun, noun + "s")
  }

  /// A number of things with the words for one and for several: `1 tick has`, `2 ticks have`.
  public static func count(_ number: some BinaryInteger, _ one: String, _ several: String) -> String
  {
    "\(number) \(number == 1 ? one : several)"
  }

  /// `value` / `divisor`, a power of ten, as a decimal number without needless zeros.
  public static func number(_ value: Int64, per divisor: Int64) -> String {
    (value < 0 ? "-" : "") + number(magnitude: value.magnitude, per: UInt64(divisor))
  }

  static func number(magnitude: UInt64, per divisor: UInt64) -> String {
    let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: divisor)
    // The added divisor puts a one before the fraction's digits, so that its leading zeros stay.
    var digits = rest == 0 ? "" : String(rest + divisor).dropFirst()[...]
    while digits.hasSuffix("0") { digits = digits.dropLast() }
    return "\(whole)" + (digits.isEmpty ? "" : ".\(digits)")
  }

  /// A decimal number without needless zeros, rounded to a part of `divisor`, a power of ten; in Swift's notation when it is
  /// too large for that, or not a number, as outsiders may claim any value.
  public static func number(_ value: Double, per divisor: Int64) -> String {
    let scaled = (value * Double(divisor)).rounded()
    guard scaled.magnitude < 9e18 else { return "\(value)" }
    return number(Int64(scaled), per: divisor)
  }

  /// Nanoseconds as seconds, to the millisecond.
  public static func seconds(_ nanoseconds: Int64) -> String {
    number(nanoseconds / 1_000_000 * 1_000_000, per: 1_000_000_000) + " s"
  }

  /// Nanoseconds as a clock shows them: `12.5 s`, `1:00`, `2:03:04`.
  public static func length(_ nanoseconds: Int64) -> String {
    let total = nanoseconds / 1_000_000_000
    if total < 60 { return number(nanoseconds / 100_000_000, per: 10) + " s" }
    let (minutes, rest) = (total / 60, total % 60)
    if minutes < 60 { return "\(minutes):\(rest.digits(2))" }
    return "\(minutes / 60):\((minutes % 60).digits(2)):\(rest.digits(2))"
  }

  /// A byte in two hexadecimal digits: `0f`.
  public static func hexadecimal(_ byte: UInt8) -> String { byte.digits(2, radix: 16) }

  /// A number of bytes, to three digits: `512 B`, `12 kB`, `3.4 MB`.
  public static func bytes(_ count: UInt64) -> String {
    if count < 1000 { return "\(count) B" }
    var tenths = Int64(clamping: count / 100)
    for unit in ["kB", "MB", "GB"] {
      if tenths < 100 { return number(tenths, per: 10) + " \(unit)" }
      if tenths < 10_000 { return "\(tenths / 10) \(unit)" }
      tenths /= 1000
    }
    return "\(tenths / 10) TB"
  }

  /// Hertz, to four digits after the point, or below 0.01 Hz to three significant ones, so that no rate above 0 shows as 0.
  public static func hertz(_ hertz: Double) -> String {
    var divisor: Int64 = 10_000
    while hertz > 0, hertz * Double(divisor) < 99.5, divisor < 1_000_000_000_000_000_000 {
      divisor *= 10
    }
    return number(hertz, per: divisor)
  }
}

extension BinaryInteger {
  /// The digits of a number that is not negative, at least `width`, with zeros in front.
  package func digits(_ width: Int, radix: Int = 10) -> String {
    let text = String(self, radix: radix)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
