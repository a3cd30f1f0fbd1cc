// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What the keys before a gcsv's header say: scales, a date, and which column is which axis.
///
///     tscale,0.001         a time's one is 1 ms
///     gscale,0.0010641     a rate's one in rad/s
///     ascale,0.00048828    an acceleration's one in g
///     orientation,Yxz      the first column is Y, the second -X, the third -Z
struct Gyroflow {
  /// The form of times; `nil` where the keys have none.
  let times: TimeForm?
  /// Nanoseconds since 1970 at time 0.
  let started: Int64?
  private let scales: [Group: Decimal]
  /// By the channel that a column is named for: the one that it is, and whether it points the other way.
  private let axes: [(axis: Int, isReversed: Bool)]

  init(_ keys: [String: String]) throws(FieldError) {
    func scale(_ key: String) throws(FieldError) -> Decimal? {
      guard let text = keys[key] else { return nil }
      guard case .number(let number) = Array(text.utf8).withUnsafeBytes({ DecimalField($0) }),
        number.digits > 0
      else {
        throw FieldError(
          column: "\"\(key)\"",
          problem: "\"\(FieldText.shown(text.utf8))\" is not a number above 0",
          remedy: "correct it")
      }
      return number
    }
    times = try scale("tscale").map { .number(power: 9 + $0.exponent, factor: $0.digits) }
    var scales: [Group: Decimal] = [:]
    scales[.gyroscope] = try scale("gscale")
    scales[.accelerometer] = try scale("ascale")
    self.scales = scales
    started = try Gyroflow.date(keys["timestamp"] ?? "")
    let letters = Array(keys["orientation"] ?? "XYZ")
    let names = letters.map { $0.lowercased() }
    guard letters.count == 3, Set(names) == ["x", "y", "z"] else {
      throw FieldError(
        problem:
          "the orientation \"\(FieldText.shown(String(letters).utf8))\" is not three of the letters x, y and z, each once",
        remedy: "correct it")
    }
    axes = ["x", "y", "z"].map { name in
      let axis = names.firstIndex(of: name) ?? 0
      return (axis, letters[axis].isLowercase)
    }
  }

  private static func date(_ text: String) throws(FieldError) -> Int64? {
    guard !text.isEmpty else { return nil }
    guard let seconds = Int64(text), seconds.magnitude < 9_000_000_000 else {
      throw FieldError(
        column: "\"timestamp\"",
        problem: "\"\(FieldText.shown(text.utf8))\" is not a number of whole seconds since 1970",
        remedy: "correct it, or take the line out")
    }
    return seconds * 1_000_000_000
  }

  /// What the column named for a channel is.
  func role(_ channel: Int) -> Understanding.Role {
    let (axis, isReversed) = axes[channel % 3]
    return .channel(channel / 3 * 3 + axis, isReversed: isReversed)
  }

  /// What a group's values are: counts and their scale where they are whole, else a unit, and a factor if it is not 1.
  func meaning(_ group: Group, areCounts: Bool) -> (unit: Unit, scale: Scale?, factor: Decimal?) {
    let scale = scales[group]
    let isRate = group == .gyroscope
    if areCounts {
      guard let scale else { return (.count, nil, nil) }
      let value = scale.value * (isRate ? 180 / .pi : 1)
      return (
        .count,
        Fraction.nearest(to: value, among: Scale.known[group.rawValue].map(\.ratio)).map {
          Scale(ratio: $0)
        }, nil
      )
    }
    // 1 °/s, to the digits that are written.
    if isRate, let scale, abs(scale.value * 180 / .pi - 1) < 1e-5 {
      return (.degreePerSecond, nil, nil)
    }
    return (isRate ? .radianPerSecond : .g, nil, scale?.value == 1 ? nil : scale)
  }
}
