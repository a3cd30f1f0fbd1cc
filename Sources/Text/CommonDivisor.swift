// SPDX-License-Identifier: Apache-2.0

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The greatest common divisor of two numbers; the other where one of them is 0.
  package func commonDivisor(_ other: Self) -> Self {
    var (a, b) = (self, other)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
