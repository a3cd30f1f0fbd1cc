// SPDX-License-Identifier: Apache-2.0

/// The scales that turn counts into units, and the chip that measured them.
///
///     acceleration [g]   = count × accelerometerScale
///     rate         [°/s] = count × gyroscopeScale
///     temperature  [°C]  = count × temperatureScale + temperatureOffset
public struct SensorDescription: Equatable, Sendable {
  /// The ``model`` of samples that were imported from a table or document.
  public static let importedModel = "imported"

  /// The chip's name as its maker writes it, such as `MPU-6050`; ``importedModel`` when there was none.
  public var model: String
  /// The contents of the identity register; `nil` when no chip was read.
  public var identity: UInt8?
  /// The chip's 7-bit bus address; `nil` when no chip was read.
  public var address: UInt8?
  /// Nominal full scale in g; 0 when not known.
  public var accelerometerRange: Int
  /// Nominal full scale in °/s; 0 when not known.
  public var gyroscopeRange: Int
  /// g a count.
  public var accelerometerScale: Fraction
  /// °/s a count.
  public var gyroscopeScale: Fraction
  /// °C a count.
  public var temperatureScale: Fraction
  /// °C at count 0.
  public var temperatureOffset: Fraction
  /// The chip's own nominal output data rate in hertz; 0 when not known.
  public var outputDataRate: Double
  /// The chosen filter, in the data sheet's words; empty when not known.
  public var filter: String
  /// The magnetometer whose values are beside the samples; `nil` without one.
  public var field: FieldDescription?

  /// A description of a chip as it was set up.
  public init(
    model: String, identity: UInt8?, address: UInt8?, accelerometerRange: Int, gyroscopeRange: Int,
    accelerometerScale: Fraction, gyroscopeScale: Fraction, temperatureScale: Fraction,
    temperatureOffset: Fraction, outputDataRate: Double, filter: String
  ) {
    (self.model, self.identity, self.address) = (model, identity, address)
    (self.accelerometerRange, self.gyroscopeRange) = (accelerometerRange, gyroscopeRange)
    (self.accelerometerScale, self.gyroscopeScale) = (accelerometerScale, gyroscopeScale)
    (self.temperatureScale, self.temperatureOffset) = (temperatureScale, temperatureOffset)
    (self.outputDataRate, self.filter) = (outputDataRate, filter)
  }
}

/// An exact ratio, for scales: 1/16384 g, 61/1000000 g, 10/655 °/s a count.
public struct Fraction: Hashable, Sendable, BitwiseCopyable {
  /// Any integer.
  public let numerator: Int64
  /// Always positive.
  public let denominator: Int64

  /// `numerator` / `denominator`, kept as given; `nil` unless the denominator is positive.
  public init?(_ numerator: Int64, over denominator: Int64) {
    guard denominator > 0 else { return nil }
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// A scale known at compile time; traps unless `denominator` is positive.
  public init(_ numerator: Int64, _ denominator: Int64) {
    precondition(denominator > 0, "a fraction needs a positive denominator")
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// The ratio rounded to a `Double`.
  public var value: Double { Double(numerator) / Double(denominator) }

  /// A number without a sign, such as `12.5`, as the ratio of `value` and a power of ten; `nil` for other text, and for more
  /// digits before the point or after it. The sum of both limits must be below 39.
  package static func terms(ofDecimal text: some StringProtocol, digits: Int, decimals: Int)
    -> (value: UInt128, scale: UInt128)?
  {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...digits).contains(parts[0].count),
      parts.count == 1 || (1...decimals).contains(parts[1].count)
    else { return nil }
    var value: UInt128 = 0
    var scale: UInt128 = 1
    for (index, part) in parts.enumerated() {
      for digit in part {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
        value = value * 10 + UInt128(digit - UInt8(ascii: "0"))
        if index == 1 { scale *= 10 }
      }
    }
    return (value, scale)
  }

  package static let one = Fraction(1, 1)
  package static let zero = Fraction(0, 1)
  /// m/s² in one g: the standard acceleration of free fall (CGPM 1901).
  package static let standardGravity = Fraction(980_665, 100_000)
  /// Radians in one degree: π/180, π to 18 digits.
  package static let radiansPerDegree = Fraction(78_539_816_339_744_831, 4_500_000_000_000_000_000)
}
