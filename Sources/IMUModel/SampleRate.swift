// SPDX-License-Identifier: Apache-2.0

public import Text

/// A sample rate as an exact fraction of hertz, and the grid of ticks that it spans.
///
///     tick      0        1        2        3
///     time      0        P        2P       3P      P = denominator / numerator seconds
///
/// A tick's time is computed from its number, so a rate whose period has a fraction of a nanosecond (30 Hz) does not drift.
public struct SampleRate: Hashable, Sendable, BitwiseCopyable {
  /// Ticks in `denominator` seconds. Never 0.
  public let numerator: UInt32
  /// Seconds in which `numerator` ticks fall. Never 0.
  public let denominator: UInt32

  /// The rate of `numerator` / `denominator` hertz in lowest terms; `nil` when either is 0.
  public init?(_ numerator: UInt32, per denominator: UInt32 = 1) {
    guard numerator > 0, denominator > 0 else { return nil }
    let divisor = numerator.commonDivisor(denominator)
    (self.numerator, self.denominator) = (numerator / divisor, denominator / divisor)
  }

  /// The exact rate of decimal hertz, such as `10`, `12.5` or `119.047619`, with at most 9 digits before the point and 12
  /// after it; `nil` for everything else, 0 included, and for a fraction whose lowest terms need more than 32 bits.
  public init?(decimal text: some StringProtocol) {
    guard let (value, scale) = Fraction.terms(ofDecimal: text, digits: 9, decimals: 12), value > 0
    else { return nil }
    let divisor = value.commonDivisor(scale)
    guard let top = UInt32(exactly: value / divisor),
      let bottom = UInt32(exactly: scale / divisor)
    else { return nil }
    self.init(top, per: bottom)
  }

  /// Why a text is not a rate, as a clause with the remedy.
  public static func refusal(of text: some StringProtocol) -> String {
    let isDecimal =
      Fraction.terms(ofDecimal: text, digits: 9, decimals: 12).map { $0.value > 0 } ?? false
    return isDecimal
      ? "a recording keeps a rate as a fraction, and this one has too many digits: give fewer of them after the point"
      : "give hertz as a decimal number above 0, such as 10 or 12.5, with at most 9 digits before the point and 12 after it"
  }

  /// The rate in hertz, rounded to a `Double`.
  public var hertz: Double { Double(numerator) / Double(denominator) }

  /// The period in nanoseconds, rounded down; 1 at least. At 1 kHz: 1 000 000.
  public var periodNanoseconds: Int64 { max(1, nanoseconds(atTick: 1)) }

  /// Nanoseconds from tick 0 to tick `tick`, rounded down; saturates below ``RecordingTime/limit``. One 64×64
  /// multiplication and one 128/64 division.
  @inlinable
  public func nanoseconds(atTick tick: UInt64) -> Int64 {
    let unit = 1_000_000_000 * UInt64(denominator)
    let product = tick.multipliedFullWidth(by: unit)
    guard product.high < UInt64(numerator) else { return RecordingTime.limit - 1 }
    let quotient = UInt64(numerator).dividingFullWidth(product).quotient
    return min(Int64(clamping: quotient), RecordingTime.limit - 1)
  }

  /// The number of the last tick at or before `nanoseconds`; 0 for negative times.
  @inlinable
  public func tick(atNanoseconds nanoseconds: Int64) -> UInt64 {
    guard nanoseconds > 0 else { return 0 }
    let unit = 1_000_000_000 * UInt64(denominator)
    let product = UInt64(nanoseconds).multipliedFullWidth(by: UInt64(numerator))
    guard product.high < unit else { return .max }
    let tick = unit.dividingFullWidth(product).quotient
    // The grid is rounded down, so the next tick may fall on this very nanosecond.
    let next = tick < .max ? tick + 1 : tick
    return self.nanoseconds(atTick: next) <= nanoseconds ? next : tick
  }
}

extension Plain {
  /// Hertz, to four digits after the point, or to more of them where the rate is below 0.01 Hz.
  public static func hertz(_ rate: SampleRate) -> String {
    guard rate.hertz >= 0.01 else { return hertz(rate.hertz) }
    let tenThousandths =
      (UInt64(rate.numerator) * 10_000 + UInt64(rate.denominator) / 2)
      / UInt64(rate.denominator)
    return number(Int64(tenThousandths), per: 10_000)
  }
}

extension Double {
  /// Rounded down; traps beyond `Int64`. By conversions alone: on x86-64 without SSE4.1 `rounded(.down)` is a slower call.
  @inlinable @inline(__always) package var floored: Int64 {
    let truncated = Int64(self)
    return Double(truncated) > self ? truncated - 1 : truncated
  }
}
