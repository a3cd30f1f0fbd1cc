/// Whole numbers with a point in them, as axes are labelled.
enum DecimalLabel {
  /// `number` / 10^`decimals` with exactly that many decimals: -5 with 2 is `-0.05`.
  static func text(_ number: Int64, decimals: Int) -> String {
    guard decimals > 0 else { return "\(number)" }
    let digits = "\(number.magnitude)"
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return (number < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
  }
}
