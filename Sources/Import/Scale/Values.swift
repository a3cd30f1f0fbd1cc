// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Makes counts of values whose units are stated.
///
///     var values = Values(understanding, request)     // what is stated
///     try values.add(rows.numbers)                    // first pass, each row
///     try values.settle(reading)                      // scales are found
///     let sample = try values.sample(rows.numbers)    // later passes
struct Values {
  private let file: String
  private let channels: [Int]
  private var fits: [Group: ScaleFit] = [:]
  private let factors: [Group: Decimal]
  /// The scales that the user states for values in a unit.
  private var given: [Group: Scale] = [:]
  /// By group, after ``settle(_:)``.
  private(set) var choices: [Group: ScaleFit.Choice] = [:]
  /// The choices once more, by channel: each row asks for all of them.
  private var byChannel: [ScaleFit.Choice?] = Array(repeating: nil, count: 7)
  /// The largest distance of a value from that of its count, by channel, in the file's unit.
  private var errors = Array(repeating: 0.0, count: 7)

  /// Values of a group whose unit is not stated are not looked at.
  init(_ understanding: Understanding, _ request: ImportRequest) {
    file = understanding.names.first ?? ""
    (channels, factors) = (understanding.channels.indices, understanding.factors)
    for group in understanding.groups {
      guard let unit = understanding.units[group]?.value, unit != .count else { continue }
      let option =
        group == .accelerometer
        ? request.accelerometerScale : group == .gyroscope ? request.gyroscopeScale : nil
      given[group] = option.map { Scale(ratio: $0) }
      let stated = given[group] == nil ? understanding.scales[group]?.value : nil
      fits[group] = ScaleFit(group, unit, stated: stated)
    }
  }

  /// Whether all values are exactly those of their counts.
  var isExact: Bool { !choices.values.contains { [.finest, .given].contains($0.origin) } }

  /// What counts mean.
  var scales: [Group: Scale] { choices.mapValues(\.scale) }

  /// Looks at the values of a row, by channel.
  mutating func add(_ written: [Decimal]) throws(FieldError) {
    guard !fits.isEmpty else { return }
    for channel in channels {
      let number = try number(written[channel], channel)
      fits[Group(channel: channel)]?.add(number)
    }
  }

  private func number(_ written: Decimal, _ channel: Int) throws(FieldError) -> Decimal {
    guard !factors.isEmpty, let factor = factors[Group(channel: channel)] else { return written }
    let number = written.multiplied(by: factor)
    guard number.value.magnitude < 1e9 else {
      throw FieldError(
        column: ImportError.Column(name: ChannelSet.names[channel]),
        problem: "\(number.value) is beyond any sensor", remedy: "correct it or take the row out")
    }
    return number
  }

  /// Chooses scales after the first pass.
  mutating func settle(_ reading: Reading) throws(ImportError) {
    for (group, unit) in reading.units where unit == .count {
      guard let scale = reading.scales[group] else { continue }
      choices[group] = ScaleFit.Choice(scale, in: unit, .counts)
    }
    for (group, fit) in fits {
      let choice = fit.choose(given: given[group])
      guard choice.origin != .given || fit.holds(choice.step) else {
        throw ImportError(
          file,
          "\(group.name) reach \(fit.extreme) \(fit.unit.sign), which needs more than 16 bits in the given scale",
          remedy: "give fewer counts a unit, or leave the option out")
      }
      choices[group] = choice
    }
    for (group, choice) in choices where !choice.scale.isHeld {
      let ratio = choice.scale.ratio
      throw ImportError(
        file,
        "\(group.name) have the scale \(ratio.numerator)/\(ratio.denominator), in which exports cannot write them",
        remedy: given[group] == nil ? "correct it in the file" : "give other counts a unit")
    }
    fits = [:]
    for channel in channels { byChannel[channel] = choices[Group(channel: channel)] }
  }

  /// The counts of a row's values.
  mutating func sample(_ written: [Decimal]) throws(FieldError) -> RawSample {
    var sample = RawSample()
    for channel in channels {
      guard let choice = byChannel[channel] else { continue }
      let number = try number(written[channel], channel)
      let value = number.value
      let count =
        choice.origin == .counts ? value : ((value - choice.shift) / choice.step).rounded()
      // In range: the reader checks counts, and the scale holds every value of the first pass.
      guard let exact = Int16(exactly: count) else {
        throw FieldError(
          column: ImportError.Column(name: ChannelSet.names[channel]),
          problem: choice.origin == .counts
            ? "\(value) is no count from -32768 to 32767" : "\(value) was another value before",
          remedy: choice.origin == .counts
            ? "correct it, or name the unit of the values with --units"
            : "import it again when no program writes to it")
      }
      sample[channel] = exact
      guard choice.origin != .counts else { continue }
      let error = (count * choice.step + choice.shift - value).magnitude
      errors[channel] = max(errors[channel], error)
    }
    return sample
  }

  /// The sensor of the new recording, with the scales of the counts.
  func sensor(_ facts: OwnFacts) -> SensorDescription {
    func scale(_ group: Group, _ usual: Scale) -> Scale {
      choices[group]?.scale ?? facts.scales[group] ?? usual
    }
    let temperature = scale(.temperature, Scale.usual(.temperature))
    return SensorDescription(
      model: SensorDescription.importedModel, identity: nil, address: nil,
      accelerometerRange: facts.accelerometerRange ?? 0,
      gyroscopeRange: facts.gyroscopeRange ?? 0,
      accelerometerScale: scale(.accelerometer, Scale.usual(.accelerometer)).ratio,
      gyroscopeScale: scale(.gyroscope, Scale.usual(.gyroscope)).ratio,
      temperatureScale: temperature.ratio, temperatureOffset: temperature.offset,
      outputDataRate: 0, filter: "")
  }

  /// What the scales do to the values, after a pass that made counts: a sentence for each group that is not as written.
  var remarks: [String] {
    choices.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { group, choice in
      let error = group.channels.indices.map { errors[$0] }.max() ?? 0
      let off = "up to \(Values.shown(error)) \(choice.unit.sign) off"
      switch choice.origin {
      case .counts, .file, .chip, .lattice: return nil
      case .finest:
        return
          "\(group.name) of \(file) have more digits than counts of 16 bits can hold: they are \(off), at "
          + "\(Values.shown(choice.step)) \(choice.unit.sign) a count"
      case .given where error > 1e-9 * choice.step:
        return "\(group.name) of \(file) are no whole counts of the given scale: they are \(off)"
      case .given: return nil
      }
    }
  }

  /// A small value with three digits.
  static func shown(_ value: Double) -> String {
    guard value > 0, value.isFinite else { return "0" }
    var (power, digits) = (0, value)
    while digits < 100, power < 15 { (digits, power) = (digits * 10, power + 1) }
    return Plain.number(Int64(digits.rounded()), per: Decimal.wholePowers[power])
  }
}

extension Scale {
  /// That of counts whose scale nothing states but `--units raw`: an MPU-6050's after reset.
  static func usual(_ group: Group) -> Scale {
    switch group {
    case .accelerometer: Scale(ratio: Fraction(1, 16384))
    case .gyroscope: Scale(ratio: Fraction(1, 131))
    case .temperature: Scale(ratio: Fraction(1, 340), offset: Fraction(3653, 100))
    }
  }
}
