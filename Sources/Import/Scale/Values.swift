// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Makes counts of values whose units are stated.
///
///     var values = Values(understanding, request)     // what is stated
///     try values.add(rows.numbers)                    // first pass, each row
///     try values.settle(understanding)                // scales are found
///     let sample = try values.sample(rows.numbers)    // later passes
struct Values {
  private struct Part {
    /// The scale that the user states for values in a unit.
    var given: Scale?
    var factor: Decimal?
    /// In the first pass, of values in a unit.
    var fit: ScaleFit?
    /// After the first pass.
    var choice: ScaleFit.Choice?
    /// The largest difference between a value and its count, in the file's unit.
    var error = 0.0
  }

  private let file: String
  private let channels: [Int]
  /// By the group: each row asks for all of them.
  private var parts = Array(repeating: Part(), count: Group.allCases.count)

  /// Values of a group whose unit is not stated are not looked at.
  init(_ understanding: Understanding, _ request: ImportRequest) {
    file = understanding.name
    channels = understanding.channels.indices
    for group in understanding.groups {
      parts[group.rawValue].factor = understanding.factors[group]
      guard let unit = understanding.units[group]?.value, unit != .count else { continue }
      let options = [request.accelerometerScale, request.gyroscopeScale, nil]
      let given = options[group.rawValue].map { Scale(ratio: $0) }
      let stated = given == nil ? understanding.scales[group]?.value : nil
      parts[group.rawValue].given = given
      parts[group.rawValue].fit = ScaleFit(group, unit, stated: stated)
    }
  }

  /// Whether counts keep all values exactly.
  var isExact: Bool {
    !parts.contains { $0.choice?.origin == .finest || $0.choice?.origin == .given }
  }

  var scales: [Group: Scale] {
    Group.allCases.reduce(into: [:]) { $0[$1] = parts[$1.rawValue].choice?.scale }
  }

  mutating func add(_ written: [Decimal]) throws(FieldError) {
    for channel in channels {
      let part = Group(channel: channel).rawValue
      guard parts[part].fit != nil else { continue }
      let number = try number(written[channel], channel, parts[part].factor)
      parts[part].fit?.add(number)
    }
  }

  private func number(_ written: Decimal, _ channel: Int, _ factor: Decimal?)
    throws(FieldError) -> Decimal
  {
    guard let factor else { return written }
    let number = written.multiplied(by: factor)
    guard number.value.magnitude < 1e9 else {
      throw FieldError(
        column: "\"\(ChannelSet.names[channel])\"",
        problem: "\(number.value) is beyond any sensor", remedy: "correct it or take the row out")
    }
    return number
  }

  mutating func settle(_ understanding: Understanding) throws(ImportError) {
    for group in Group.allCases {
      let (given, fit) = (parts[group.rawValue].given, parts[group.rawValue].fit)
      var choice: ScaleFit.Choice?
      if let fit {
        choice = fit.choose(given: given)
      } else if understanding.units[group]?.value == .count,
        let scale = understanding.scales[group]?.value
      {
        choice = ScaleFit.Choice(scale, in: .count, .counts)
      }
      guard let choice else { continue }
      if let fit, choice.origin == .given, !fit.holds(choice.step) {
        throw ImportError(
          file,
          "\(group.name) reach \(fit.extreme) \(fit.unit.sign), which needs more than 16 bits in the given scale",
          remedy: "give fewer counts a unit, or leave the option out")
      }
      guard choice.scale.isHeld else {
        let ratio = choice.scale.ratio
        throw ImportError(
          file,
          "\(group.name) have the scale \(ratio.numerator)/\(ratio.denominator), in which exports cannot write them",
          remedy: given == nil ? "correct it in the file" : "give other counts a unit")
      }
      (parts[group.rawValue].choice, parts[group.rawValue].fit) = (choice, nil)
    }
  }

  mutating func sample(_ written: [Decimal]) throws(FieldError) -> RawSample {
    var sample = RawSample()
    for channel in channels {
      let part = Group(channel: channel).rawValue
      guard let choice = parts[part].choice else { continue }
      let value = try number(written[channel], channel, parts[part].factor).value
      let isCount = choice.origin == .counts
      let (count, error) = isCount ? (value, 0) : choice.count(of: value)
      // In range: the reader checks counts, and the scale holds every value of the first pass.
      guard let exact = Int16(exactly: count) else {
        throw FieldError(
          column: "\"\(ChannelSet.names[channel])\"",
          problem: isCount
            ? "\(value) is not a count from -32768 to 32767" : "\(value) was another value before",
          remedy: isCount
            ? "correct it, or name the unit of the values with --units"
            : "import it again when no program writes to it")
      }
      sample[channel] = exact
      if error > parts[part].error { parts[part].error = error }
    }
    return sample
  }

  /// What the scales do to the values, after a pass that made counts: a sentence for each group that is not as written.
  var remarks: [String] {
    Group.allCases.compactMap { group in
      let (choice, error) = (parts[group.rawValue].choice, parts[group.rawValue].error)
      guard let choice else { return nil }
      let off = "up to \(Plain.significant(error)) \(choice.unit.sign) off"
      switch choice.origin {
      case .finest:
        return
          "\(group.name) of \(file) have more digits than counts of 16 bits can hold: they are \(off), at "
          + "\(Plain.significant(choice.step)) \(choice.unit.sign) a count"
      case .given where error > 1e-9 * choice.step:
        return "\(group.name) of \(file) are not whole counts of the given scale: they are \(off)"
      case .counts, .file, .chip, .lattice, .given: return nil
      }
    }
  }
}
