/// Rounding without `rounded()`, which calls the C library's mathematics: not every program that
/// uses the drivers links it.
extension Double {
  /// The least whole number that is not smaller. For numbers that an `Int` can hold.
  var roundedUp: Int {
    let whole = Int(self)
    return Double(whole) < self ? whole + 1 : whole
  }

  /// This number, not negative and below 10^15, with two decimals or as many as it needs: `23.11`,
  /// `62.4`, `50`.
  var briefly: String {
    let hundredths = Int(self * 100 + 0.5)
    let (whole, rest) = (hundredths / 100, hundredths % 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest / 10)\(rest % 10)"
  }
}
