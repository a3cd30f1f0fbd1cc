// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension TableHead {
  /// Finds the unit and the scale of a group.
  mutating func takeUnit(_ group: Group) throws(FieldError) {
    var stated: Understanding.Stated<Unit>?
    for column in result.columns {
      guard case .channel(let channel, _) = column.role, Group(channel: channel) == group else {
        continue
      }
      guard let found = try unit(column, group) else { continue }
      if let stated, stated.value != found.value {
        throw wrong(
          column.index, "the unit of the column is not that of the same sensor's column before it",
          "give all columns of a sensor one unit")
      }
      stated = stated ?? found
    }
    if let fact = heading.facts.units[group] {
      if let stated, stated.value != fact {
        throw FieldError(
          problem:
            "\(group.name) are in \(stated.value.sign) by \(stated.source.name), and in \(fact.sign) by the facts before it",
          remedy: "correct one of them")
      }
      stated = .init(fact, .file("the facts in it"))
    }
    if stated == nil, let program, let unit = program.units[group], !isUncalibrated(group) {
      stated = .init(unit, .program(program.name))
      if program.isCommon { result.isUsual.insert(group) }
    }
    if let gyroflow, group != .temperature, stated == nil { stated = takeGyroflow(gyroflow, group) }
    if stated == nil, program?.times.keys == Dialect.ownColumns.times.keys, areCounts(group) {
      stated = .init(.count, .program("imulog"))
    }
    let given = request.units?.units[group]
    if let given {
      if let stated, stated.value != given {
        result.contradictions.append(
          "its \(group.name) are in \(stated.value.sign) by \(stated.source.name), and in \(given.sign) by --units"
        )
        result.factors[group] = nil
        result.scales[group] = nil
      }
      stated = .init(given, .option("--units"))
      result.isUsual.remove(group)
    }
    takeScale(group, &stated, isRaw: given == .count)
    result.units[group] = stated
  }

  /// What a column says of its unit: in brackets, in the row of units, at the end of its name.
  private mutating func unit(_ column: Understanding.Column, _ group: Group) throws(FieldError)
    -> Understanding.Stated<Unit>?
  {
    let name = names[column.index]
    let row = heading.unitRow.flatMap { column.index < $0.count ? $0[column.index] : nil } ?? ""
    let suffix =
      name.suffix ?? (request.columns == nil ? nil : ColumnName.suffix(of: column.name, for: group))
    var stated: Understanding.Stated<Unit>?
    for (word, source) in [
      (name.bracket, "the header"), (row, "the row of units"), (suffix, "the header"),
    ] {
      guard let word, !word.isEmpty else { continue }
      guard let unit = Unit(word: word), unit.measures(group) else {
        guard let given = request.units?.units[group] else {
          throw wrong(
            column.index, "the unit of the column is unknown", "units are \(group.choices)")
        }
        let notice =
          "the unit of its \(group.name) in the header is not known: they are taken in \(given.sign), as --units says"
        if !result.notices.contains(notice) { result.notices.append(notice) }
        continue
      }
      if let stated, stated.value != unit {
        throw wrong(
          column.index,
          "its unit is \(stated.value.sign) by \(stated.source.name), and \(unit.sign) by \(source)",
          "correct one of them")
      }
      stated = stated ?? .init(unit, .file(source))
    }
    return stated
  }

  /// Sensor Logger writes uncalibrated accelerations in g on one system and in m/s² on another.
  private func isUncalibrated(_ group: Group) -> Bool {
    group == .accelerometer && program?.isNamedByFile == true
      && file.lowercased().parts(around: "uncalibrated") != nil
  }

  private func areCounts(_ group: Group) -> Bool {
    result.columns.allSatisfy { column in
      guard case .channel(let channel, _) = column.role, Group(channel: channel) == group else {
        return true
      }
      return column.index < rows.columns.count && rows.columns[column.index].areCounts
    }
  }

  private mutating func takeGyroflow(_ gyroflow: Gyroflow, _ group: Group)
    -> Understanding.Stated<Unit>
  {
    // Whole numbers in one column and decimals in another are values.
    let areCounts = Group.allCases.allSatisfy { self.areCounts($0) }
    let meaning = gyroflow.meaning(group, areCounts: areCounts)
    result.scales[group] = meaning.scale.map { .init($0, .file("its scales")) }
    result.factors[group] = meaning.factor
    return .init(meaning.unit, .program("Gyroflow"))
  }

  /// Takes what counts mean: by an option, by the file, as a program usually has it, or as `raw` is documented.
  private mutating func takeScale(
    _ group: Group, _ stated: inout Understanding.Stated<Unit>?, isRaw: Bool
  ) {
    let (option, name): (Fraction?, String) =
      group == .accelerometer
      ? (request.accelerometerScale, "--accel-lsb-per-g")
      : (request.gyroscopeScale, "--gyro-lsb-per-dps")
    if let option, group != .temperature {
      result.scales[group] = .init(Scale(ratio: option), .option(name))
      stated = stated ?? .init(.count, .option(name))
    } else if let scale = heading.facts.scales[group] {
      result.scales[group] = .init(scale, .file("the facts in it"))
    } else if group == .accelerometer, let text = heading.keys["acc_1G"], let counts = Int64(text),
      counts > 0
    {
      result.scales[group] = .init(Scale(ratio: Fraction(1, counts)), .file("acc_1G"))
    } else if result.scales[group] == nil, let program, let scale = program.usualScales[group] {
      result.scales[group] = .init(scale, .program(program.name))
      result.isUsual.insert(group)
      if group == .accelerometer, let counts = Optional(scale.ratio.denominator) {
        result.notices.append(
          "\(counts) counts a g are assumed, as \(program.name) usually has: others are named with --accel-lsb-per-g"
        )
      }
    } else if result.scales[group] == nil, isRaw {
      result.scales[group] = .init(Scale.usual(group), .option("--units raw"))
      result.isUsual.insert(group)
    }
  }

  // MARK: The rest

  /// Takes dates, rates, and what the user should know.
  mutating func takeRest() throws(FieldError) {
    if let started = heading.facts.started ?? gyroflow?.started, result.epoch == nil, !isDated {
      result.epoch = .init(.at(started), .file("the facts in it"))
    }
    takeOwnDate()
    if let rate = heading.facts.rate { result.rate = .init(rate, .file("the facts in it")) }
    try takeE4()
    if let rate = request.rate {
      if let stated = result.rate, stated.value != rate {
        result.contradictions.append(
          "its rate is \(Plain.hertz(stated.value)) Hz by \(stated.source.name), and \(Plain.hertz(rate)) Hz by --rate"
        )
      }
      result.rate = .init(rate, .option("--rate"))
    }
    if !heading.hasHeader, program == nil, !request.isAnyway { result.firstRowDoubt = rows.doubt }
    notice()
  }

  private var isDated: Bool {
    if case .date = result.times?.value {
      true
    } else if case .dayAndTime = result.times?.value {
      true
    } else {
      false
    }
  }

  /// Takes the date of time 0 from the first row of this program's Parquet as CSV, which has both.
  private mutating func takeOwnDate() {
    guard program?.times.keys == Dialect.ownColumns.times.keys, rows.columns.count > 1,
      let form = shapes(0).first, case .date = form
    else { return }
    func time(_ index: Int, _ form: TimeForm) -> Int64? {
      let text = Array(rows.columns[index].first.utf8)
      let reading = text.withUnsafeBytes { field in
        var parser = TimeParser(form, mark: UInt8(ascii: "."))
        return parser.parse(field)
      }
      guard case .time(let time, _) = reading else { return nil }
      return time
    }
    guard let date = time(0, form), let since = time(1, .nanoseconds) else { return }
    result.epoch = .init(.at(date - since), .program("imulog"))
  }

  private mutating func takeE4() throws(FieldError) {
    guard program?.name == Dialect.empatica.name else { return }
    let source = Understanding.Source.program(Dialect.empatica.name)
    let start = heading.keys["start"].map { text in
      Array(text.utf8).withUnsafeBytes { field -> TimeReading in
        var parser = TimeParser(.seconds, mark: UInt8(ascii: "."))
        return parser.parse(field)
      }
    }
    guard case .time(let time, _) = start, let rate = SampleRate(stated: heading.keys["rate"] ?? "")
    else {
      throw FieldError(
        problem: "its first two lines are not a start and a rate", remedy: "correct them")
    }
    result.epoch = .init(.at(time), source)
    result.rate = .init(rate, source)
    if result.scales[.accelerometer]?.source == .option("--units raw")
      || result.scales[.accelerometer] == nil
    {
      result.scales[.accelerometer] = .init(Scale(ratio: Fraction(1, 64)), source)
      result.isUsual.remove(.accelerometer)
    }
  }

  private mutating func notice() {
    let others = result.columns.filter {
      if case .leftOut = $0.role { !$0.name.hasPrefix("column ") } else { false }
    }
    if !others.isEmpty, request.columns == nil {
      let shown = others.prefix(4).map { "\"\(FieldText.shown($0.name.utf8))\"" }.joined(
        separator: ", ")
      let rest = others.count > 4 ? " and \(others.count - 4) more" : ""
      result.notices.append(
        "\(others.count == 1 ? "a column is" : "columns are") left out: \(shown)\(rest)")
    }
    let channels = result.channels.rawValue
    for (group, axes) in [("a", channels & 7), ("g", channels >> 3 & 7)]
    where axes.nonzeroBitCount == 2 {
      let axis = ["x", "y", "z"][(~axes & 7).trailingZeroBitCount]
      result.notices.append("it names no \(group)\(axis): the recording will not have that axis")
    }
    if let remark = program?.remark { result.notices.append(remark) }
    if let program, program.isNamedByFile, !program.units.isEmpty,
      !result.channels.isDisjoint(with: .accelerometer),
      ["total", "uncalibrated"].allSatisfy({ lastPart.parts(around: $0) == nil })
    {
      result.notices.append(Dialect.withoutTotal)
    } else if lastPart.parts(around: "linear") != nil,
      !result.channels.isDisjoint(with: .accelerometer)
    {
      result.notices.append(Dialect.withoutGravity)
    }
    if gyroflow?.lacksOrientation == true {
      result.notices.append("no orientation is given: axes are imported as they are named")
    }
    if let comma = rows.doubtfulComma {
      result.contradictions.append(
        "\"\(comma)\" has a comma before decimals or between thousands, and no number in the first rows tells which"
      )
    }
    if heading.rowsBefore > 0 {
      result.notices.append("rows before its header are left out: \(heading.rowsBefore)")
    }
    switch result.syntax.encoding {
    case .utf8: break
    case .latin1: result.notices.append("bytes that are not UTF-8 are read as Latin-1")
    case .utf16LE, .utf16BE: result.notices.append("it is text in UTF-16, and read as such")
    }
  }
}
