/// Lengths of time as people write them: a decimal number and a unit, `60s`, `1.5m`, `500ms`, `2h`; seconds when
/// there is no unit.
///
/// One grammar for the command line and the configuration.
public enum SpanText {
  /// The length in nanoseconds, never negative; `nil` when `text` is no length of time.
  ///
  /// Units are `ns`, `us`, `ms`, `s`, `m` or `min`, and `h`. At most 9 digits may follow the point; a length that
  /// is no whole number of nanoseconds, or above 292 years, is none.
  public static func nanoseconds(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit: Int64
    switch text.dropFirst(digits.count) {
    case "ns": unit = 1
    case "us": unit = 1000
    case "ms": unit = 1_000_000
    case "s", "": unit = 1_000_000_000
    case "m", "min": unit = 60_000_000_000
    case "h": unit = 3_600_000_000_000
    default: return nil
    }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = Int64(parts[0]) else { return nil }
    var (total, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    if parts.count == 2 {
      guard (1...9).contains(parts[1].count), let fraction = Int64(parts[1]) else { return nil }
      let scale = (0..<parts[1].count).reduce(Int64(1)) { product, _ in product * 10 }
      let (product, tooBig) = fraction.multipliedReportingOverflow(by: unit)
      guard !tooBig, product % scale == 0 else { return nil }
      (total, overflow) = total.addingReportingOverflow(product / scale)
      guard !overflow else { return nil }
    }
    return total
  }

  /// The length in the largest of seconds, milliseconds, microseconds and nanoseconds of which it has at least
  /// one, without needless zeros: `59s`, `1.5s`, `400ms`, `0s`; ``nanoseconds(_:)`` reads it back.
  ///
  /// Traps when `nanoseconds` is negative.
  public static func text(_ nanoseconds: Int64) -> String {
    precondition(nanoseconds >= 0, "a length of time is not negative")
    let units: [(unit: Int64, name: String)] = [
      (1_000_000_000, "s"), (1_000_000, "ms"), (1000, "us"),
    ]
    guard nanoseconds > 0 else { return "0s" }
    for (unit, name) in units where nanoseconds >= unit {
      let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: unit)
      // The unit's own digits behind a one, so that the leading zeros of the fraction stay.
      var fraction = rest == 0 ? "" : String(rest + unit).dropFirst()[...]
      while fraction.hasSuffix("0") { fraction = fraction.dropLast() }
      return fraction.isEmpty ? "\(whole)\(name)" : "\(whole).\(fraction)\(name)"
    }
    return "\(nanoseconds)ns"
  }
}
