// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension TableHead {
  /// Notes the ways to choose columns that nothing states: one for each device among the names, or for what x, y and z
  /// may be, or by the places of the columns.
  mutating func propose() {
    let width = result.syntax.fieldCount
    let devices = heading.hasHeader ? self.devices() : []
    let axes = (0..<3).compactMap { axis in names.firstIndex { $0.axis == axis } }
    if !devices.isEmpty {
      for (name, places) in devices {
        propose(places, name.isEmpty ? "of the names without such a word" : "of \"\(name)\"")
        if devices.count > 1 { result.proposals[result.proposals.count - 1].sensor = name }
      }
    } else if heading.hasHeader, axes.count == 3 {
      propose([0: axes[0], 1: axes[1], 2: axes[2]], "if they are accelerations")
      propose([3: axes[0], 4: axes[1], 5: axes[2]], "if they are rates")
      if names[axes[0]].plain.contains("g") { result.proposals.reverse() }
    } else if !heading.hasHeader {
      // Three or six values, after a time if there is one more.
      let first = width == 4 || width == 7 || request.rate == nil && width > 3 ? 1 : 0
      guard [3, 4, 6, 7].contains(width), (first..<width).allSatisfy(areNumbers) else { return }
      let places = (0..<(width - first >= 6 ? 6 : 3)).map { ($0, $0 + first) }
      let columns = text(Dictionary(uniqueKeysWithValues: places), time: first == 1 ? 0 : nil)
      result.proposals = [
        Proposal(columns: columns, meaning: "by the places of the columns, which nothing names")
      ]
    }
  }

  /// Notes axes with the last times before them.
  private mutating func propose(_ places: [Int: Int], _ meaning: String) {
    let times = names.indices.filter { names[$0].role.isTime || names[$0].isLikelyTime }
    let before = times.last { $0 < places.values.min() ?? 0 && !names[$0].isBareUnit }
    let columns = text(places, time: before ?? times.first)
    result.proposals.append(Proposal(columns: columns, meaning: meaning))
  }

  /// Notes the columns that may have the times, unless more is open.
  mutating func propose(times: [Int]) {
    for index in times { result.columns[index].role = .open }
    guard result.proposals.isEmpty else { return }
    var places: [Int: Int] = [:]
    for column in result.columns {
      if let channel = column.role.channel { places[channel] = column.index }
    }
    result.proposals = times.map { time in
      // Axes behind another column of times have those.
      let end = places.values.filter { $0 > time }.min().flatMap { first in
        times.first { $0 > first }
      }
      let own = places.filter { $0.value > time && $0.value < end ?? .max }
      return Proposal(
        columns: text(own.isEmpty ? places : own, time: time),
        meaning: "by the times in \"\(result.columns[time].name)\""
          + (times.count > 1 ? " alone; times in several columns are not joined" : ""))
    }
  }

  /// Proposes the columns that are understood, without those that nobody knows.
  mutating func proposeKnown() {
    var places: [Int: Int] = [:]
    for column in result.columns {
      if let channel = column.role.channel { places[channel] = column.index }
    }
    let date = result.columns.first { $0.role == .date }.map { "date=\($0.index + 1)," } ?? ""
    // Columns of dates that nothing names, as pandas writes an index.
    let dated = names.indices.filter { shapes($0).contains { $0.isDate || $0 == .timeOfDay } }
    if result.timeColumn == nil, !dated.isEmpty { return propose(times: dated) }
    let columns = date + text(places, time: result.timeColumn?.index)
    result.proposals = [Proposal(columns: columns, meaning: Proposal.withoutUnknown)]
  }

  /// The axes of each device among the names; of two with a sensor each, both together.
  private func devices() -> [(name: String, places: [Int: Int])] {
    var found: [(name: String, places: [Int: Int])] = []
    for (index, name) in names.prefix(1000).enumerated() where !name.isDerived && !name.isComputed {
      guard let channel = name.likely, channel < 6 else { continue }
      let known = found.firstIndex { $0.name == name.device && $0.places[channel] == nil }
      if known == nil { found.append((name.device, [:])) }
      found[known ?? found.count - 1].places[channel] = index
    }
    let sensors = found.map { Set($0.places.keys.map(Group.init)) }
    guard found.count == 2, sensors[0].isDisjoint(with: sensors[1]) else { return found }
    return [(found[0].name, found[0].places.merging(found[1].places) { first, _ in first })]
  }

  /// The text for `--columns` of channels at their places; names that would need quotes, look like a number or come twice are
  /// numbers, as all are where rows have more cells.
  private func text(_ places: [Int: Int], time: Int?) -> String {
    let cells = result.columns.map(\.name)
    func name(_ place: Int) -> String {
      let isPlain =
        result.syntax.fieldCount == names.count && cells[place].contains(where: \.isLetter)
        && cells[place].count <= FieldText.shownLimit
        && cells[place].allSatisfy {
          $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0))
        }
      return isPlain && cells.filter { $0 == cells[place] }.count == 1
        ? cells[place] : "\(place + 1)"
    }
    let axes = places.sorted { $0.key < $1.key }.map { "\(ChannelSet.names[$0])=\(name($1))" }
    return ((time.map { ["time=\(name($0))"] } ?? []) + axes).joined(separator: ",")
  }
}
