/// An exact ratio, for scales: 1/16384 g, 61/1000000 g, 10/655 °/s a count.
public struct Fraction: Hashable, Sendable, BitwiseCopyable {
  /// Above the line.
  public let numerator: Int64
  /// Below the line; never 0, always positive.
  public let denominator: Int64

  /// `numerator` / `denominator`, kept as given; `nil` unless the denominator is positive.
  public init?(_ numerator: Int64, over denominator: Int64) {
    guard denominator > 0 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  /// A scale known to be right when the program is written.
  ///
  /// Traps unless `denominator` is positive.
  public init(_ numerator: Int64, _ denominator: Int64) {
    precondition(denominator > 0, "a fraction needs a positive denominator")
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The ratio rounded to a `Double`.
  public var value: Double { Double(numerator) / Double(denominator) }
}
