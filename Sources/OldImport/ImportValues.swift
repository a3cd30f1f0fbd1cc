// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Makes counts of a table's values, once it knows their scales.
struct ImportValues {
  /// The searches of a group's scale: one for each unit that its values may have.
  private var searches: [[ImportScaleSearch]]
  private var isSettled = false
  private let channels: [Int]
  /// By group.
  private(set) var scales: [ImportScale?] = [nil, nil, nil]
  private(set) var units: [ImportUnit?] = [nil, nil, nil]
  /// The largest distance of a value from that of its count, by group, in the file's unit.
  private(set) var errors = [0.0, 0.0, 0.0]
  /// The sum of the magnitudes of accelerations, and their number, for a guess at the unit.
  private var magnitude = (sum: 0.0, count: 0.0)
  private let hasAllAccelerations: Bool
  /// What values are multiplied with, by group; `nil` where none is.
  private let factors: [ImportDecimal?]?
  /// Whether all values are counts, which are taken as they are written.
  private let areCounts: Bool
  private let columns: [ImportLayout.Column]
  private(set) var remarks: [String] = []

  /// Whether values may be off their counts.
  var areInexact: Bool { scales.contains { $0?.source == .finest || $0?.source == .given } }

  /// - Throws: That a unit is not known where values cannot tell it.
  init(_ layout: ImportLayout, _ options: ImportOptions, name: String) throws(ImportError) {
    channels = layout.channels.indices
    hasAllAccelerations = layout.channels.isSuperset(of: .accelerometer)
    var searches: [[ImportScaleSearch]] = [[], [], []]
    for group in layout.groups {
      let units: [ImportUnit] =
        switch (layout.units[group], group) {
        case (.count?, _): []
        case (let unit?, _): [unit]
        case (nil, .accelerometer): [.g, .metrePerSecondSquared]
        case (nil, .gyroscope): [.degreePerSecond, .radianPerSecond]
        case (nil, .temperature): [.degreeCelsius]
        }
      for unit in units where !unit.measures(group) {
        throw .unitsUnknown(name: name, what: group.name, choices: group.choices)
      }
      let offset = group == .temperature ? layout.facts.temperatureOffset ?? .zero : .zero
      let named = layout.facts.scale(of: group).map { ($0, offset) }
      searches[group.rawValue] = units.map { ImportScaleSearch(group, $0, named: named) }
      self.units[group.rawValue] = layout.units[group]
    }
    self.searches = searches
    columns = layout.columns
    factors =
      layout.valueFactors.isEmpty ? nil : ImportGroup.allCases.map { layout.valueFactors[$0] }
    areCounts = factors == nil && layout.groups.allSatisfy { layout.units[$0] == .count }
  }

  /// The counts of a row's values; zeros until the scales are known.
  mutating func sample(_ written: [ImportDecimal]) throws(ImportFieldError) -> RawSample {
    var sample = RawSample()
    if areCounts {
      guard isSettled else { return sample }
      // In range, as the parser checked.
      for channel in channels {
        sample[channel] = Int16(truncatingIfNeeded: written[channel].digits)
      }
      return sample
    }
    var numbers = written
    if let factors { numbers = try multiplied(written, by: factors) }
    guard isSettled else {
      for channel in channels { survey(numbers[channel], channel) }
      if hasAllAccelerations, searches[0].count > 1 {
        let (x, y, z) = (numbers[0].value, numbers[1].value, numbers[2].value)
        magnitude = (
          magnitude.sum + (x * x + y * y + z * z).squareRoot(), magnitude.count + 1
        )
      }
      return sample
    }
    for channel in channels {
      let group = ImportGroup(channel: channel).rawValue
      guard let scale = scales[group] else { continue }
      if scale.source == .counts {
        // In range, as the parser checked.
        sample[channel] = Int16(truncatingIfNeeded: numbers[channel].digits)
        continue
      }
      let value = numbers[channel].value
      let count = ((value - scale.shift) / scale.step).rounded()
      // In range: the scale holds every value of the first pass.
      guard let exact = Int16(exactly: count) else { throw ImportFieldError(.changed) }
      sample[channel] = exact
      errors[group] = max(errors[group], (count * scale.step + scale.shift - value).magnitude)
    }
    return sample
  }

  private func multiplied(
    _ written: [ImportDecimal], by factors: [ImportDecimal?]
  ) throws(ImportFieldError) -> [ImportDecimal] {
    var numbers = written
    for channel in channels {
      guard let factor = factors[ImportGroup(channel: channel).rawValue] else { continue }
      numbers[channel] = numbers[channel].multiplied(by: factor)
      guard numbers[channel].value.magnitude < 1e9 else {
        throw ImportFieldError(
          .valueOutOfRange(
            column: (columns.first { $0.channel == channel }?.index ?? 0) + 1,
            name: ChannelSet.names[channel],
            found: "\(numbers[channel].value)"))
      }
    }
    return numbers
  }

  private mutating func survey(_ number: ImportDecimal, _ channel: Int) {
    let group = ImportGroup(channel: channel).rawValue
    for index in searches[group].indices { searches[group][index].add(number) }
  }

  /// Chooses units and scales after the first pass.
  mutating func settle(_ options: ImportOptions, _ layout: ImportLayout, name: String)
    throws(ImportError)
  {
    isSettled = true
    var assumed: [ImportGroup] = []
    for group in layout.groups {
      let place = group.rawValue
      let forced = options.scale(of: group)
      if units[place] == .count {
        let offset = layout.facts.temperatureOffset ?? options.temperatureOffset
        var scale = forced ?? layout.facts.scale(of: group)
        if scale == nil, group == .accelerometer, let counts = layout.usualCountsPerG {
          scale = Fraction(1, counts)
          remarks.append(
            "\(counts) counts a g are assumed; give others with --accel-lsb-per-g")
        }
        if scale == nil { assumed.append(group) }
        let found = ImportScale(
          scale: scale ?? options.usualScale(of: group), offset: offset, step: 1, shift: 0,
          source: .counts)
        guard found.isWritable(of: group) else {
          throw unwritable(found, of: group, isGiven: forced != nil, name: name)
        }
        scales[place] = found
        continue
      }
      guard let search = try search(group, layout, name: name) else { continue }
      units[place] = search.unit
      let scale = search.choose(forced: forced)
      guard search.isZero || forced == nil || search.holds(scale.step) else {
        throw .beyondScale(
          name: name, what: group.name, found: "\(search.extreme) \(search.unit.sign)")
      }
      guard scale.isWritable(of: group) else {
        throw unwritable(scale, of: group, isGiven: forced != nil, name: name)
      }
      scales[place] = scale
    }
    searches = [[], [], []]
    if !assumed.isEmpty { remarks.append(ImportValues.assumption(assumed)) }
  }

  private func unwritable(
    _ scale: ImportScale, of group: ImportGroup, isGiven: Bool, name: String
  ) -> ImportError {
    let ratio = scale.scale
    let shown =
      ratio.denominator == 1 ? "\(ratio.numerator)" : "\(ratio.numerator)/\(ratio.denominator)"
    let (sign, option) =
      switch group {
      case .accelerometer: ("g", "--accel-lsb-per-g")
      case .gyroscope: ("°/s", "--gyro-lsb-per-dps")
      case .temperature: ("°C", "")
      }
    return .scaleBeyondExports(
      name: name, what: group.name, scale: "\(shown) \(sign)", given: isGiven ? option : nil)
  }

  /// The search in the unit of the group's values.
  private mutating func search(_ group: ImportGroup, _ layout: ImportLayout, name: String)
    throws(ImportError) -> ImportScaleSearch?
  {
    let searches = searches[group.rawValue]
    guard searches.count > 1 else { return searches.first }
    // Nothing has no unit.
    if let zero = searches.last, zero.isZero { return zero }
    let proven = searches.filter(\.isProven)
    if proven.count == 1, let found = proven.first {
      remarks.append(
        "the unit of its \(group.name) is not named: they are a chip's counts in \(found.unit.sign), and taken as those"
      )
      return found
    }
    var guess: ImportUnit?
    if group == .accelerometer, magnitude.count > 0 {
      let mean = magnitude.sum / magnitude.count
      guess =
        (0.8...1.25).contains(mean) ? .g : (8...12).contains(mean) ? .metrePerSecondSquared : nil
    } else if group == .gyroscope, layout.isStrict {
      // This program writes both in one system.
      switch units[ImportGroup.accelerometer.rawValue] {
      case .g?: guess = .degreePerSecond
      case .metrePerSecondSquared?: guess = .radianPerSecond
      default: break
      }
    }
    guard let guess, let found = searches.first(where: { $0.unit == guess }) else {
      throw .unitsUnknown(name: name, what: group.name, choices: group.choices)
    }
    let reached = abs(found.extreme) * guess.inLogUnits.value
    guard reached <= group.mostOfAnyChip else {
      throw .guessBeyondChips(
        name: name, what: group.name, unit: guess.sign,
        reached: "\(Plain.number(reached, per: 1)) \(group == .gyroscope ? "°/s" : "g")",
        choices: group.choices)
    }
    remarks.append(
      "the unit of its \(group.name) is not named: \(guess.sign) is assumed, as "
        + (group == .accelerometer ? "their mean length says" : "accelerations are in that system")
        + "; if it is another one, name it with --units")
    return found
  }
}

extension ImportOptions {
  /// The scale that the user names for a group.
  func scale(of group: ImportGroup) -> Fraction? {
    switch group {
    case .accelerometer: accelerometerScale
    case .gyroscope: gyroscopeScale
    case .temperature: nil
    }
  }

  /// The scale of counts whose scale nothing names.
  func usualScale(of group: ImportGroup) -> Fraction {
    switch group {
    case .accelerometer: Fraction(1, 16384)
    case .gyroscope: Fraction(1, 131)
    case .temperature: temperatureScale
    }
  }
}
