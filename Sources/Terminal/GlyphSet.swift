/// The glyphs that a terminal can show.
struct GlyphSet: Equatable, Sendable {
  /// Whether only ASCII is available.
  var isASCII: Bool

  /// Unicode or ASCII glyphs.
  init(isASCII: Bool = false) {
    self.isASCII = isASCII
  }

  var vertical: Unicode.Scalar { isASCII ? "|" : "│" }
  var tick: Unicode.Scalar { isASCII ? "+" : "┤" }
  var horizontal: Unicode.Scalar { isASCII ? "-" : "─" }
  var timeTick: Unicode.Scalar { isASCII ? "+" : "┬" }
  var corner: Unicode.Scalar { isASCII ? "+" : "└" }
  var gap: Unicode.Scalar { isASCII ? "#" : "░" }
  var mark: Unicode.Scalar { isASCII ? "^" : "▲" }
  var markLine: Unicode.Scalar { isASCII ? ":" : "┊" }
  var zero: Unicode.Scalar { isASCII ? "." : "·" }
  var dot: String { isASCII ? "*" : "●" }
  var separator: String { isASCII ? " - " : " · " }
  var minus: String { isASCII ? "-" : "−" }
  var degreesPerSecond: String { isASCII ? "deg/s" : "°/s" }
  var degreesCelsius: String { isASCII ? "C" : "°C" }
  var pointer: String { isASCII ? ">" : "▶" }
  var paused: String { isASCII ? "||" : "⏸" }

  /// The names of arrow keys in a line of hints.
  var leftRight: String { isASCII ? "left/right" : "←→" }
  var upDown: String { isASCII ? "up/down" : "↑↓" }

  /// How an axis' line looks in the legend.
  func sample(ofAxis axis: Int) -> String {
    if isASCII { return ["xxx", "yyy", "zzz"][axis] }
    return ["━━━", "━╸━", "┅┅┅"][axis]
  }
}
