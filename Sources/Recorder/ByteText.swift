/// Amounts of storage as people write them: a decimal number and a unit, `200MB`, `1.5GiB`; bytes when there is
/// no unit. `kB`, `MB`, `GB` and `TB` are powers of 1000, `KiB`, `MiB`, `GiB` and `TiB` of 1024.
public enum ByteText {
  /// The number of bytes; `nil` when `text` is no amount, has a part of a byte, or is above 2^63 − 1.
  public static func bytes(_ text: String) -> UInt64? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let unit = unit(text.dropFirst(digits.count).drop { $0 == " " }) else { return nil }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = UInt64(parts[0]) else { return nil }
    var (total, overflow) = whole.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    if parts.count == 2 {
      guard (1...6).contains(parts[1].count), let fraction = UInt64(parts[1]) else { return nil }
      let scale = (0..<parts[1].count).reduce(UInt64(1)) { product, _ in product * 10 }
      // Below 10^6 × 2^40.
      guard fraction * unit % scale == 0 else { return nil }
      (total, overflow) = total.addingReportingOverflow(fraction * unit / scale)
      guard !overflow else { return nil }
    }
    return total <= UInt64(Int64.max) ? total : nil
  }

  private static func unit(_ name: Substring) -> UInt64? {
    switch name {
    case "", "B": return 1
    case "kB": return 1000
    case "MB": return 1_000_000
    case "GB": return 1_000_000_000
    case "TB": return 1_000_000_000_000
    case "KiB": return 1 << 10
    case "MiB": return 1 << 20
    case "GiB": return 1 << 30
    case "TiB": return 1 << 40
    default: return nil
    }
  }

  /// The amount in the largest power of 1000 that it reaches, to a tenth rounded down: `1.2 GB`, `950 B`.
  static func text(_ bytes: UInt64) -> String {
    let units: [(unit: UInt64, name: String)] = [
      (1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB"),
    ]
    for (unit, name) in units where bytes >= unit {
      return "\(bytes / unit).\(bytes % unit * 10 / unit) \(name)"
    }
    return "\(bytes) B"
  }
}
