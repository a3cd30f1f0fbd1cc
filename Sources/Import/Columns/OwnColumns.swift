// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The samples of one of this program's binary files, all of them whole.
protocol OwnRows: SampleRows {
  var own: OwnColumns { get }
  /// The number of the row that was returned last, from 1.
  var row: Int { get }
}

extension OwnRows {
  var understanding: Understanding { own.understanding }
  var mark: RowMark { RowMark(byte: 0, line: max(1, row)) }
  var place: Place {
    var place = Place(line: max(1, row))
    place.isRow = true
    return place
  }

  func settle(_ understanding: Understanding) {}
}

/// What this program's binary files have in common: facts in metadata, and values whose counts are known.
struct OwnColumns {
  let facts: OwnFacts
  let understanding: Understanding
  /// What makes counts of a channel's values, and half of their last digit.
  private let choices: [(choice: ScaleFit.Choice, margin: Double)?]

  init(
    _ facts: [(name: String, text: String)], _ file: String, _ kind: String,
    _ request: ImportRequest
  )
    throws(ImportError)
  {
    var own = OwnFacts()
    for (name, text) in facts {
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
      let name = ChannelSet.names[channel]
      result.columns.append(
        .init(
          index: channel + 1, name: name, role: .channel(channel, isReversed: false),
          source: source))
      result.units[group] = .init(.count, .program("imulog"))
      result.scales[group] = .init(scale, source)
    }
    (self.facts, understanding, self.choices) = (own, result, choices)
  }

  /// The count of a channel's value.
  func count(of value: Double, channel: Int, _ place: Place) throws(ImportError) -> Decimal {
    if let (choice, margin) = choices[channel] {
      let (count, error) = choice.count(of: value)
      if error <= margin + 1e-14 * value.magnitude, let exact = Int16(exactly: count) {
        return Decimal(digits: Int64(exact))
      }
    }
    throw ImportError(
      understanding.name, at: place, column: "\"\(ChannelSet.names[channel])\"",
      "\(value) is not the value of a count in the scale that the file states",
      remedy: "export it again with --units raw and without --calibrated")
  }
}
