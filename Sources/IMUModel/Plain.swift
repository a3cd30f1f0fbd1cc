/// Values as text for a person's terminal.
public enum Plain {
  /// Foreign text as a cell of a table or a part of a line: without anything that a terminal would obey, line feeds
  /// among it, and in ASCII where the locale knows no other characters.
  public static func text(_ text: String) -> String {
    let shown = ForeignText.shown(text)
    return Console.isASCII ? ascii(shown) : shown
  }

  /// The nearest that ASCII has: words for the signs that the program uses, `?` for all other characters.
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

  /// `value` / `divisor`, a power of ten, as a decimal number without needless zeros.
  public static func number(_ value: Int64, per divisor: Int64) -> String {
    let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: UInt64(divisor))
    var digits = rest == 0 ? "" : String(rest + UInt64(divisor)).dropFirst()[...]
    while digits.hasSuffix("0") { digits = digits.dropLast() }
    return (value < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : ".\(digits)")
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
    let padded = (rest < 10 ? "0" : "") + "\(rest)"
    if minutes < 60 { return "\(minutes):\(padded)" }
    return "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60):\(padded)"
  }

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

  /// Hertz, to four digits after the point.
  public static func hertz(_ rate: SampleRate) -> String {
    let tenThousandths =
      (UInt64(rate.numerator) * 10_000 + UInt64(rate.denominator) / 2)
      / UInt64(rate.denominator)
    return number(Int64(tenThousandths), per: 10_000)
  }
}
