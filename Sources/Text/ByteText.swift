// SPDX-License-Identifier: Apache-2.0

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
