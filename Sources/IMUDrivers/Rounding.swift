/// Rounding without `rounded()`, which calls the C library's mathematics: not every program that
/// uses the drivers links it.
extension Double {
  /// The least whole number that is not smaller. For numbers that an `Int` can hold.
  var roundedUp: Int {
    let whole = Int(self)
    return Double(whole) < self ? whole + 1 : whole
  }
}
