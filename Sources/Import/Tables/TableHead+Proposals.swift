// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension TableHead {
  /// Notes the ways to choose columns that nothing states: one for each device among the names, or for what x, y and z
  /// may be, or by the places of the columns.
  mutating func propose() {
    let (width, count) = (result.syntax.fieldCount, names.count)
    let devices = heading.hasHeader ? self.devices() : []
    if width > count, let places = devices.first?.places {
      result.proposals = [
        (0, "as the names stand"), (width - count, "with the values that have no name in front"),
      ].map {
        Proposal(
          columns: text(places, time: time, shift: $0),
          meaning: "\(width) values under \(count) names: \($1)")
      }
      return
    }
    let axes = (0..<3).compactMap { axis in names.firstIndex { $0.axis == axis } }
    if !devices.isEmpty {
      result.proposals = devices.map { device in
        Proposal(
          columns: text(device.places, time: time),
          meaning: device.name.isEmpty
            ? "of the names without such a word" : "of \"\(device.name)\"")
      }
    } else if heading.hasHeader, axes.count == 3 {
      result.proposals = [(0, "if x, y and z are accelerations"), (3, "if they are rates")].map {
        first, meaning in
        let places = Dictionary(uniqueKeysWithValues: axes.enumerated().map { ($0 + first, $1) })
        return Proposal(columns: text(places, time: time), meaning: meaning)
      }
    } else {
      // Three or six values, after a time if there is one more.
      let first = width == 4 || width == 7 || request.rate == nil && width > 3 ? 1 : 0
      guard width - first >= 3 else { return }
      let places = (0..<(width - first >= 6 ? 6 : 3)).map { ($0, $0 + first) }
      result.proposals = [
        Proposal(
          columns: text(
            Dictionary(uniqueKeysWithValues: places), time: first == 1 ? 0 : nil, shift: 0),
          meaning: "by the places of the columns, which nothing names")
      ]
    }
  }

  /// Notes the columns that may be that of times, unless more than that is open.
  mutating func propose(times: [Int]) {
    for index in times { result.columns[index].role = .open }
    guard result.proposals.isEmpty else { return }
    var places: [Int: Int] = [:]
    for column in result.columns {
      if let channel = column.role.channel { places[channel] = column.index }
    }
    result.proposals = times.map {
      Proposal(
        columns: text(places, time: $0),
        meaning: "by the times in \"\(result.columns[$0].name)\""
          + (times.count > 1 ? " alone; times in several columns are not joined" : ""))
    }
  }

  /// The likeliest column of times.
  private var time: Int? {
    names.firstIndex { $0.role.isTime && !$0.isBareUnit }
      ?? names.firstIndex { $0.role.isTime || $0.isLikelyTime }
  }

  private typealias Device = (name: String, places: [Int: Int])

  /// An accelerometer with the gyroscope that has the same words beside its own, or with the only one; then those gyroscopes
  /// that are left.
  private func devices() -> [Device] {
    func sensors(_ group: Group) -> [Device] {
      var found: [Device] = []
      for (index, name) in names.prefix(1000).enumerated() {
        guard let channel = name.likely, Group(channel: channel) == group, !name.isDerived else {
          continue
        }
        let known = found.firstIndex { $0.name == name.device && $0.places[channel] == nil }
        if known == nil { found.append((name.device, [:])) }
        found[known ?? found.count - 1].places[channel] = index
      }
      return found
    }
    let gyroscopes = sensors(.gyroscope)
    var taken: Set<String> = []
    let accelerometers = sensors(.accelerometer).map { sensor in
      let other =
        gyroscopes.first { $0.name == sensor.name } ?? (gyroscopes.count == 1 ? gyroscopes[0] : nil)
      guard let other else { return sensor }
      taken.insert(other.name)
      return (sensor.name, sensor.places.merging(other.places) { first, _ in first })
    }
    return accelerometers + gyroscopes.filter { !taken.contains($0.name) }
  }

  /// The text for `--columns` of channels at their places; names that would need quotes, look like a number or come twice are
  /// numbers, as all are with a shift, where rows have more cells than the header has names.
  private func text(_ places: [Int: Int], time: Int?, shift: Int? = nil) -> String {
    let cells = result.columns.map(\.name)
    func name(_ place: Int) -> String {
      let isPlain =
        cells[place].contains(where: \.isLetter) && cells[place].count <= FieldText.shownLimit
        && cells[place].allSatisfy {
          $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0))
        }
      return shift == nil && isPlain && cells.filter { $0 == cells[place] }.count == 1
        ? cells[place] : "\(place + 1 + (shift ?? 0))"
    }
    let axes = places.sorted { $0.key < $1.key }.map { "\(ChannelSet.names[$0])=\(name($1))" }
    return ((time.map { ["time=\(name($0))"] } ?? []) + axes).joined(separator: ",")
  }
}
