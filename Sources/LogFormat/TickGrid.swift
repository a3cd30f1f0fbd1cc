// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Tick times in units of the recording's resolution: floor(min(floor(tick · 10⁹ · denominator / numerator), 2⁶² − 1) /
/// unit).
///
/// For the tick after the last one it takes two additions instead of a division of 128 by 64 bits.
struct TickGrid {
  private let rate: SampleRate
  private let unit: Int64
  private let divisor: UInt64
  private let quotientStep: UInt64
  private let remainderStep: UInt64
  /// Up to here the next tick does not saturate.
  private let lastIncrementable: UInt64
  private var nextTick: UInt64 = 0
  private var quotient: UInt64
  private var remainder: UInt64 = 0

  /// The grid of a schedule; `unit` in 1...10⁹, else it traps.
  init(rate: SampleRate, unit: Int64) {
    precondition(unit > 0 && unit <= 1_000_000_000, "the time unit is 1 ns to 1 s")
    self.rate = rate
    self.unit = unit
    // Below 2⁶²: neither this product nor a sum of two remainders can overflow.
    divisor = UInt64(rate.numerator) * UInt64(unit)
    let dividend = 1_000_000_000 * UInt64(rate.denominator)
    (quotientStep, remainderStep) = dividend.quotientAndRemainder(dividingBy: divisor)
    let largest = UInt64((RecordingTime.limit - 1) / unit)
    lastIncrementable = largest > quotientStep + 1 ? largest - quotientStep - 1 : 0
    quotient = 0
  }

  /// The time of `tick` in units, rounded down.
  @inline(__always)
  mutating func units(atTick tick: UInt64) -> Int64 {
    guard tick == nextTick, quotient <= lastIncrementable else { return seek(to: tick) }
    let units = Int64(truncatingIfNeeded: quotient)
    advance()
    return units
  }

  @inline(__always)
  private mutating func advance() {
    nextTick &+= 1
    quotient &+= quotientStep
    remainder &+= remainderStep
    if remainder >= divisor {
      remainder &-= divisor
      quotient &+= 1
    }
  }

  private mutating func seek(to tick: UInt64) -> Int64 {
    let nanoseconds = rate.nanoseconds(atTick: tick)
    let units = nanoseconds / unit
    nextTick = tick
    quotient = UInt64(units)
    guard quotient <= lastIncrementable else { return units }
    let product = tick.multipliedFullWidth(by: 1_000_000_000 * UInt64(rate.denominator))
    remainder = divisor.dividingFullWidth(product).remainder
    advance()
    return units
  }
}

/// `dividend` / `divisor` rounded towards minus infinity; `divisor` must be positive.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
  let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}
