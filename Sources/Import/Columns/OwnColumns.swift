// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The samples of one of this program's binary files, all of them whole.
protocol OwnRows: SampleRows, ~Copyable {
  var own: OwnColumns { get }
  /// The number of the row that was returned last, from 1.
  var row: Int { get }
}

extension OwnRows where Self: ~Copyable {
  var understanding: Understanding { own.understanding }
  var incomplete: (rows: UInt64, first: Place?) { (0, nil) }
  var remarks: [String] { [] }
  var mark: RowMark { RowMark(byte: 0, line: max(1, row)) }
  var place: Place {
    var place = Place(line: max(1, row))
    place.isRow = true
    return place
  }

  mutating func take(_ reading: Reading) {}
}

/// What this program's binary files have in common: facts in metadata, and values whose counts are known.
struct OwnColumns {
  let facts: OwnFacts
  let understanding: Understanding
  /// Whether all marks are among the facts.
  let hasMarks: Bool
  /// What makes counts of a channel's values, and half of their last digit.
  private let choices: [(choice: ScaleFit.Choice, margin: Double)?]

  /// - Parameter kind: Such as `Parquet`.
  init(
    _ facts: [(name: String, text: String)], _ file: String, _ kind: String,
    _ request: ImportRequest
  )
    throws(ImportError)
  {
    let hasMarks = facts.contains { $0.name == "imulog.marks" }
    var own = OwnFacts()
    for (name, text) in facts where !(hasMarks && name == "imulog.marksAfterLastRow") {
      // A note is not escaped here.
      if name == "imulog.note" { own.take(note: text, at: 1) } else { own.take(name, text) }
    }
    guard own.isOwn else {
      throw ImportError(
        file, "is \(kind) of another program, which import does not read",
        remedy: "save it as CSV, and import that")
    }
    try own.check(file)
    var result = Understanding(file)
    (result.program, result.syntax.shape, result.isGapsOfFile) = ("imulog", .binary, true)
    let source = Understanding.Source.file("its metadata")
    result.columns = [.init(index: 0, name: "t_ns", role: .time, source: source)]
    result.times = .init(.number(power: 0), source)
    result.epoch = own.started.map { .init(.at($0), source) }
    result.rate =
      request.rate.map { .init($0, .option("--rate")) } ?? own.rate.map { .init($0, source) }
    result.notices = own.notes.leftOut
    var choices: [(ScaleFit.Choice, Double)?] = Array(repeating: nil, count: 7)
    for channel in own.channels.indices {
      let group = Group(channel: channel)
      guard let unit = own.units[group], let scale = own.scales[group] else {
        throw .damaged(file, "its metadata does not state the scale of \(group.name)")
      }
      // Exports write six decimals, four of temperatures, and more where neighbouring counts need them.
      let choice = ScaleFit.Choice(scale, in: unit, unit == .count ? .counts : .file)
      let digit = min(group == .temperature ? 1e-4 : 1e-6, choice.step.magnitude)
      choices[channel] = (choice, unit == .count ? 0 : 0.5001 * digit)
      result.columns.append(
        .init(
          index: channel + 1, name: ChannelSet.names[channel],
          role: .channel(channel, isReversed: false), source: source))
      result.units[group] = .init(.count, source)
      result.scales[group] = .init(scale, source)
      if let other = request.units?.units[group], other != unit, other != .count {
        result.contradictions.append(
          "its metadata states \(group.name) in \(unit.sign), and --units \(other.word)")
      }
    }
    for (option, group, given) in [
      ("--accel-lsb-per-g", .accelerometer, request.accelerometerScale),
      ("--gyro-lsb-per-dps", .gyroscope, request.gyroscopeScale),
    ] as [(String, Group, Fraction?)] {
      guard let given, let stated = own.scales[group], stated.ratio != given else { continue }
      result.contradictions.append("its metadata states another scale than \(option)")
      result.scales[group] = .init(Scale(ratio: given), .option(option))
    }
    if request.columns != nil {
      result.contradictions.append("its metadata states its columns, and --columns is for text")
    }
    (self.facts, understanding, self.choices, self.hasMarks) = (own, result, choices, hasMarks)
  }

  /// The count of a channel's value.
  func count(of value: Double, channel: Int, _ place: Place) throws(ImportError) -> Decimal {
    if let (choice, margin) = choices[channel] {
      let count = ((value - choice.shift) / choice.step).rounded()
      let error = (count * choice.step + choice.shift - value).magnitude
      if error <= margin + 1e-14 * value.magnitude, let exact = Int16(exactly: count) {
        return Decimal(digits: Int64(exact))
      }
    }
    throw ImportError(
      understanding.names[0], at: place, column: .init(name: ChannelSet.names[channel]),
      "\(value) is not the value of a count in the scale that the file states",
      remedy: "export it again with --units raw and without --calibrated")
  }
}
