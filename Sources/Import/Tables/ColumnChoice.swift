// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension TableHead {
  /// Notes the ways to choose columns, once some are open.
  mutating func propose() {
    result.proposals = Proposal.all(
      names, cells: result.columns.map(\.name), hasHeader: heading.hasHeader,
      rowWidth: rows.width ?? result.syntax.fieldCount, needsTime: request.rate == nil)
  }

  /// The same of columns that are times as well as another: one for each.
  mutating func propose(times: [Int]) {
    result.proposals = times.flatMap { time in
      let others = names.enumerated().map { times.contains($0) && $0 != time ? ColumnName("") : $1 }
      return Proposal.all(
        others, cells: result.columns.map(\.name), hasHeader: true, rowWidth: names.count,
        needsTime: true
      ).prefix(1).map {
        Proposal(columns: $0.columns, meaning: "by the times in \"\(result.columns[time].name)\"")
      }
    }
  }
}

extension Proposal {
  /// All ways to name the columns of a header of no known program: one for each device in it, or for what x, y and z may
  /// be, or by the places of the columns.
  static func all(
    _ names: [ColumnName], cells: [String], hasHeader: Bool, rowWidth: Int, needsTime: Bool
  ) -> [Proposal] {
    guard hasHeader else { return byPlace(rowWidth, needsTime: needsTime) }
    guard rowWidth == cells.count else {
      return [
        (0, "as the names stand"),
        (rowWidth - cells.count, "with the values that have no name in front"),
      ]
      .filter { $0.0 >= 0 }.flatMap { shift, meaning in
        ofDevices(names, cells, shift: shift, needsTime: needsTime).prefix(1).map {
          Proposal(
            columns: $0.columns,
            meaning: "\(rowWidth) values under \(cells.count) names: \(meaning)")
        }
      }
    }
    let devices = ofDevices(names, cells, needsTime: needsTime)
    if !devices.isEmpty { return devices }
    let axes = (0..<3).compactMap { axis in names.firstIndex { $0.axis == axis } }
    guard axes.count == 3 else { return byPlace(rowWidth, needsTime: needsTime) }
    return [(0, "if x, y and z are accelerations"), (3, "if they are rates")].map {
      first, meaning in
      let places = Dictionary(uniqueKeysWithValues: axes.enumerated().map { ($0 + first, $1) })
      return Proposal(columns: text(places, names, cells), meaning: meaning)
    }
  }

  /// One for each device: an accelerometer with the gyroscope that has the same words beside its own, or with the only one.
  private static func ofDevices(
    _ names: [ColumnName], _ cells: [String], shift: Int? = nil, needsTime: Bool
  ) -> [Proposal] {
    typealias Sensor = (device: String, isDerived: Bool, places: [Int: Int])
    func sensors(_ group: Group) -> [Sensor] {
      var found: [Sensor] = []
      for (index, name) in names.prefix(1000).enumerated() {
        guard let channel = name.likely, Group(channel: channel) == group else { continue }
        let known = found.firstIndex {
          $0.device == name.device && $0.isDerived == name.isDerived && $0.places[channel] == nil
        }
        if known == nil { found.append((name.device, name.isDerived, [:])) }
        found[known ?? found.count - 1].places[channel] = index
      }
      return found.filter { !$0.isDerived } + found.filter(\.isDerived)
    }
    var (accelerometers, gyroscopes) = (sensors(.accelerometer), sensors(.gyroscope))
    let only = gyroscopes.count == 1 ? gyroscopes.first : nil
    var taken: Set<String> = []
    for place in accelerometers.indices {
      let device = accelerometers[place].device
      guard let other = gyroscopes.first(where: { $0.device == device }) ?? only else { continue }
      taken.insert(other.device)
      accelerometers[place].places.merge(other.places) { first, _ in first }
    }
    gyroscopes.removeAll { taken.contains($0.device) }
    return (accelerometers + gyroscopes).map { sensor in
      let meaning =
        sensor.isDerived
        ? "with values that are computed: without gravity, or filtered"
        : sensor.device.isEmpty ? "of the names without such a word" : "of \"\(sensor.device)\""
      return Proposal(
        columns: text(sensor.places, names, cells, shift: shift), meaning: meaning)
    }
  }

  /// The text for `--columns` of channels at their places; names that would need quotes, look like a number or come twice are
  /// numbers, as all are where rows have more cells than the header has names.
  private static func text(
    _ places: [Int: Int], _ names: [ColumnName], _ cells: [String], shift: Int? = nil
  ) -> String {
    func name(_ place: Int) -> String {
      let text = cells[place]
      let isPlain =
        text.contains(where: \.isLetter)
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }
      return isPlain && shift == nil && cells.filter { $0 == text }.count == 1
        ? text : "\(place + 1 + (shift ?? 0))"
    }
    let time =
      names.firstIndex { if case .time = $0.role { !$0.isBareUnit } else { false } }
      ?? names.firstIndex { if case .time = $0.role { true } else { $0.isLikelyTime } }
    let axes = places.sorted { $0.key < $1.key }.map { "\(ChannelSet.names[$0])=\(name($1))" }
    return ((time.map { ["time=\(name($0))"] } ?? []) + axes).joined(separator: ",")
  }

  /// By the places of columns that nothing names: three or six values, after a time if there is one more.
  private static func byPlace(_ width: Int, needsTime: Bool) -> [Proposal] {
    let hasTime = width == 4 || width == 7 || needsTime && width > 3
    let first = hasTime ? 2 : 1
    let channels = ["ax", "ay", "az", "gx", "gy", "gz"].prefix(width - first + 1 >= 6 ? 6 : 3)
    guard width - first + 1 >= 3 else {
      return []
    }
    let parts = (hasTime ? ["time=1"] : []) + channels.enumerated().map { "\($1)=\($0 + first)" }
    return [
      Proposal(
        columns: parts.joined(separator: ","),
        meaning: "by the places of the columns, which nothing names")
    ]
  }
}
