import ArgumentParser

/// A length of time on the command line: a decimal number and a unit, `60s`, `1.5m`, `500ms`, `2h`;
/// seconds when there is no unit.
struct Span: ExpressibleByArgument, Equatable {
  /// Nanoseconds, never negative.
  let nanoseconds: Int64

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit: Int64
    switch argument.dropFirst(digits.count) {
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
    nanoseconds = total
  }

  var defaultValueDescription: String {
    nanoseconds % 1_000_000_000 == 0 ? "\(nanoseconds / 1_000_000_000)s" : "\(nanoseconds)ns"
  }
}
