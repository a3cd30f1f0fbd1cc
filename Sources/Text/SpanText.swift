// SPDX-License-Identifier: Apache-2.0

/// Lengths of time as people write them: decimal numbers with units, `60s`, `1.5m`, `500ms`, `1h30m`; seconds without a
/// unit. One grammar for the command line and the configuration.
public enum SpanText {
  /// The length in nanoseconds, never negative; `nil` when `text` is not a length of time.
  ///
  /// Units are `ns`, `us`, `ms`, `s`, `m` or `min`, `h`, and `d` of 24 hours. Parts go from the largest unit to the
  /// smallest, each unit once. Only the last part may have a point, and each part after the first is less than one unit of
  /// the part before: `1h30m`, `2m0.5s`, but neither `30m1h` nor `5m5m` nor `1h90m`. At most 9 digits may follow the point.
  /// A length that is not a whole number of nanoseconds, or is above 292 years, is refused.
  public static func nanoseconds(_ text: String) -> Int64? {
    magnitude(text[...]).flatMap { Int64(exactly: $0) }
  }

  /// A time before or after an instant, in nanoseconds: a length, after `-` for one before; `nil` for other text.
  public static func time(_ text: String) -> Int64? {
    guard text.hasPrefix("-") else { return nanoseconds(text) }
    return magnitude(text.dropFirst()).flatMap { length in
      length == Int64.min.magnitude ? .min : Int64(exactly: length).map { -$0 }
    }
  }

  private static func magnitude(_ text: Substring) -> UInt64? {
    var rest = text
    var total: UInt64 = 0
    var unitBefore: UInt64?
    repeat {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      rest = rest.dropFirst(digits.count)
      let name = rest.prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(name.count)
      guard let unit = units[name], !name.isEmpty || unitBefore == nil && rest.isEmpty,
        rest.isEmpty || !digits.contains("."), let part = amount(digits, of: unit, decimals: 9)
      else { return nil }
      if let unitBefore, unit >= unitBefore || part >= unitBefore { return nil }
      let (sum, overflow) = total.addingReportingOverflow(part)
      guard !overflow else { return nil }
      (total, unitBefore) = (sum, unit)
    } while !rest.isEmpty
    return total
  }

  private static let units: [Substring: UInt64] = [
    "ns": 1, "us": 1000, "ms": 1_000_000, "s": 1_000_000_000, "": 1_000_000_000,
    "m": 60_000_000_000, "min": 60_000_000_000, "h": 3_600_000_000_000, "d": 86_400_000_000_000,
  ]

  /// A decimal number of a unit; `nil` for other text, and where the product is not a whole number of 64 bits.
  static func amount(_ digits: Substring, of unit: UInt64, decimals: Int) -> UInt64? {
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = UInt64(parts[0]) else { return nil }
    var (total, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    if parts.count == 2 {
      guard (1...decimals).contains(parts[1].count), let fraction = UInt64(parts[1]) else {
        return nil
      }
      let scale = (0..<parts[1].count).reduce(UInt64(1)) { product, _ in product * 10 }
      let (product, tooBig) = fraction.multipliedReportingOverflow(by: unit)
      guard !tooBig, product % scale == 0 else { return nil }
      (total, overflow) = total.addingReportingOverflow(product / scale)
      guard !overflow else { return nil }
    }
    return total
  }

  /// The length in the largest of seconds, milliseconds, microseconds and nanoseconds that it reaches, without needless
  /// zeros: `59s`, `1.5s`, `400ms`, `0s`; ``nanoseconds(_:)`` reads it back. Traps when it is negative.
  public static func text(_ nanoseconds: Int64) -> String {
    precondition(nanoseconds >= 0, "a length of time is not negative")
    return text(time: nanoseconds)
  }

  /// The time as ``time(_:)`` reads it back: `-1.5s`, `400ms`.
  public static func text(time: Int64) -> String {
    let (sign, nanoseconds) = (time < 0 ? "-" : "", time.magnitude)
    let units: [(unit: UInt64, name: String)] = [
      (1_000_000_000, "s"), (1_000_000, "ms"), (1000, "us"),
    ]
    guard nanoseconds > 0 else { return "0s" }
    for (unit, name) in units where nanoseconds >= unit {
      return sign + Plain.number(magnitude: nanoseconds, per: unit) + name
    }
    return "\(sign)\(nanoseconds)ns"
  }
}

/// Amounts of storage: a decimal number and a unit, `200MB`, `1.5GiB`; bytes without a unit. `kB`, `MB`, `GB` and `TB`
/// are powers of 1000, `KiB`, `MiB`, `GiB` and `TiB` of 1024.
public enum ByteText {
  private static let units: [Substring: UInt64] = [
    "": 1, "B": 1, "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
  ]

  /// The number of bytes; `nil` when `text` is not an amount, has a fraction of a byte, or exceeds 2^63 − 1.
  public static func bytes(_ text: String) -> UInt64? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let unit = units[text.dropFirst(digits.count).drop { $0 == " " }],
      let total = SpanText.amount(digits, of: unit, decimals: 6)
    else { return nil }
    return total <= UInt64(Int64.max) ? total : nil
  }
}
