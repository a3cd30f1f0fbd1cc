// SPDX-License-Identifier: Apache-2.0

/// Numbers as text beside a graph.
enum Figures {
  /// A rounded number with a minus sign or a blank before it.
  static func signed(_ value: Double, _ decimals: Int, _ glyphs: GlyphSet) -> String {
    let text = plain(abs(value), decimals)
    let isZero = text.allSatisfy { $0 == "0" || $0 == "." }
    return (value < 0 && !isZero ? glyphs.minus : " ") + text
  }

  /// A rounded number that is not negative.
  static func plain(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, value < 1e15 else { return "?" }
    var factor = 1.0
    for _ in 0..<decimals { factor *= 10 }
    let scaled = Int64((value * factor).rounded())
    guard decimals > 0 else { return "\(scaled)" }
    let digits = "\(scaled)"
    let all = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return all.dropLast(decimals) + "." + all.suffix(decimals)
  }

  /// A time in a recording: `12.345 s`, `2:03.4`, `1:02:03`.
  static func time(_ nanoseconds: Int64, decimals: Int = 1) -> String {
    let sign = nanoseconds < 0 ? "-" : ""
    let magnitude = nanoseconds.magnitude
    let seconds = magnitude / 1_000_000_000
    let fraction = String(magnitude % 1_000_000_000 + 1_000_000_000).dropFirst().prefix(decimals)
    let digits = decimals > 0 ? "." + fraction : ""
    if seconds < 60 { return "\(sign)\(seconds)\(digits) s" }
    let rest = seconds % 60
    let padded = (rest < 10 ? "0" : "") + "\(rest)\(digits)"
    if seconds < 3600 { return "\(sign)\(seconds / 60):\(padded)" }
    let minutes = seconds / 60 % 60
    return "\(sign)\(seconds / 3600):" + (minutes < 10 ? "0" : "") + "\(minutes):\(padded)"
  }

  /// A time in a recording as `export --from` reads it: `12.345 s`, `2m03.400s`, `1h02m03.400s`.
  static func position(_ nanoseconds: Int64, decimals: Int) -> String {
    let parts = time(nanoseconds, decimals: decimals).split(separator: ":")
    switch parts.count {
    case 2: return "\(parts[0])m\(parts[1])s"
    case 3: return "\(parts[0])h\(parts[1])m\(parts[2])s"
    default: return parts.joined()
    }
  }

  /// A time of an imported file: `1790000005.000 s`.
  static func fileTime(_ nanoseconds: Int64) -> String {
    let magnitude = nanoseconds.magnitude
    let thousandths = String(magnitude / 1_000_000 % 1000 + 1000).dropFirst()
    return (nanoseconds < 0 ? "-" : "") + "\(magnitude / 1_000_000_000).\(thousandths) s"
  }

  /// Nanoseconds of lateness: `12 µs`, `1.5 ms`, `2.0 s`.
  static func lateness(_ nanoseconds: Int64, _ glyphs: GlyphSet) -> String {
    let value = Double(max(0, nanoseconds))
    if value < 1e6 { return plain(value / 1e3, 0) + (glyphs.isASCII ? " us" : " µs") }
    if value < 1e9 { return plain(value / 1e6, 1) + " ms" }
    return plain(value / 1e9, 1) + " s"
  }
}
