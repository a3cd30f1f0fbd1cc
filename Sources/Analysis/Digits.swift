// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Numbers with a given number of significant digits.
package enum Digits {
  /// `value` rounded to so many significant digits, 1 to 15: in plain digits from 0.0001 to 999,999, else with an exponent;
  /// `-` for what is not finite.
  package static func text(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite else { return "-" }
    guard value != 0 else { return "0" }
    var exponent = Int(floor(log10(value.magnitude)))
    func scaled() -> Double { value.magnitude * pow(10, Double(digits - 1 - exponent)) }
    // Rounding may give one digit more: 9.996 with three.
    if scaled().rounded() >= pow(10, Double(digits)) { exponent += 1 }
    let number = "\(UInt64(min(max(scaled().rounded(), 0), 1e18)))"
    let sign = value < 0 ? "-" : ""
    guard (-4..<6).contains(exponent) else {
      return sign + point(number, after: 1) + "e\(exponent)"
    }
    if exponent >= digits - 1 {
      return sign + number + String(repeating: "0", count: exponent - digits + 1)
    }
    guard exponent < 0 else { return sign + point(number, after: exponent + 1) }
    return sign + "0." + String(repeating: "0", count: -exponent - 1) + number
  }

  /// `value` with at most four significant digits and no needless zeros: 250.6, 10.
  package static func short(_ value: Double) -> String {
    var text = text(value, 4)
    guard text.contains("."), !text.contains("e") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  private static func point(_ number: String, after digits: Int) -> String {
    number.count > digits ? number.prefix(digits) + "." + number.dropFirst(digits) : number
  }
}
