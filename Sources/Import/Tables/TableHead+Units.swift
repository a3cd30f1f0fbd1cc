// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Times, units, scales, and what else is stated.
extension TableHead {
  private typealias Stated = Understanding.Stated

  /// The first of these values, which must agree.
  private func agreed<Value>(
    _ index: Int, _ found: [(value: Value?, source: String)], _ name: (Value) -> String
  ) throws(FieldError) -> Stated<Value>? {
    var stated: Stated<Value>?
    for case (let value?, let source) in found {
      if let stated, stated.value != value {
        throw wrong(
          index,
          "its unit is \(name(stated.value)) by \(stated.source.name), and \(name(value)) by \(source)",
          "correct one of them")
      }
      stated = stated ?? Stated(value, .file(source))
    }
    return stated
  }

  /// What an option states, which is objected to if it differs from what is stated without it; that, without an option.
  private mutating func overruled<Value>(
    _ stated: Stated<Value>?, by given: Value?, _ option: String, _ what: String,
    _ name: (Value) -> String
  ) -> Stated<Value>? {
    guard let given else { return stated }
    if let stated, stated.value != given {
      result.contradictions.append(
        "its \(what) \(name(stated.value)) by \(stated.source.name), and \(name(given)) by \(option)"
      )
    }
    return Stated(given, .option(option))
  }

  /// Units that lines before the header state, or columns of units, which have one value.
  private func unitWords(ofTimes: Bool) -> [String] {
    let columns = zip(result.columns, rows.columns).filter { column, _ in
      column.role != .skipped && ColumnName.isUnits(column.name, ofTimes: ofTimes)
    }
    return heading.unitWords + columns.map(\.1.first)
  }

  private func unknown(_ index: Int, _ word: String, _ choices: String) -> FieldError {
    wrong(
      index, "the unit \"\(FieldText.shown(word.utf8))\" is unknown here",
      "if it is another word for \(choices), state that with --units and --anyway")
  }

  // MARK: Times

  /// A column that may be that of times.
  private typealias Clock = (index: Int, form: Stated<TimeForm>?, isUnix: Bool)

  /// The forms that the cells of a column have by their shape.
  func shapes(_ index: Int) -> Set<TimeForm> {
    index < rows.columns.count ? rows.columns[index].forms ?? [] : []
  }

  func areNumbers(_ index: Int) -> Bool {
    shapes(index).isSubset(of: [.nanoseconds])
  }

  mutating func takeTimes() throws(FieldError) {
    let several = severalTimes()
    guard several.isEmpty else { return propose(times: several) }
    var clocks: [Clock] = []
    for (index, name) in names.enumerated() {
      let isTime =
        program == nil
        && (name.role.isTime || name.role == .date && shapes(index).contains(where: \.isDate))
      let isNamed = isTime || program?.times[name.plain] != nil
      let role = result.columns[index].role
      guard role == .time || request.columns == nil && isNamed && role.isLeftOut else { continue }
      clocks.append(try clock(index))
    }
    // Several only of a program, which writes dates beside finer numbers.
    guard let clock = clocks.first(where: { $0.form != nil }) ?? clocks.first else {
      // A column that only sounds like times is named by the user.
      let likely = names.indices.filter { names[$0].isLikelyTime }
      if request.columns == nil, request.rate == nil, program == nil, !likely.isEmpty {
        propose(times: likely)
      }
      return
    }
    if result.columns[clock.index].role != .time {
      set(clock.index, .time, program.map { .program($0.name) } ?? .file("the header"))
    }
    if clock.index < rows.columns.count {
      result.syntax.timeDecimals = min(9, rows.columns[clock.index].decimals)
    }
    doubtZeros(clock.index)
    guard areNumbers(clock.index) else { return takeDates(clock.index) }
    result.times = overruled(clock.form, by: request.units?.time, "--units", "times are in", \.name)
    if result.syntax.shape == .lines, mayHaveThousands(clock.index) {
      result.contradictions.append(
        "the marks in its times have three digits behind them: they may be between thousands")
    }
    if request.units?.isUnix == true {
      result.epoch = Stated(.unix, .option("--units"))
    } else if clock.isUnix, let form = result.times?.value, clock.index < rows.columns.count {
      // Other programs that count from 1970 write files without a date; this one's may be of a clock that was never set.
      let first = time(rows.columns[clock.index].first, form) ?? .max
      let isDated = first >= 978_307_200_000_000_000
      guard isDated || program != nil || request.columns != nil else {
        throw wrong(
          clock.index, "its times would be before 2001 if they counted from 1970, as its name says",
          "name the columns with --columns to count them from anywhere, or state unix with --units")
      }
      if isDated || program != nil && !has(.isUnix) {
        result.epoch = Stated(.unix, result.columns[clock.index].source)
      }
    }
  }

  /// What is stated about a column of times.
  private mutating func clock(_ index: Int) throws(FieldError) -> Clock {
    let name = names[index]
    guard areNumbers(index) else { return (index, nil, false) }
    let parts = name.bracket?.lowercased().split { !$0.isLetter }.map(String.init) ?? []
    let isEpoch = parts.contains(where: ColumnName.epochs.contains)
    let bracket = name.bracket.flatMap { TimeForm(word: $0) }
    let isPattern = pattern(index).count > 1 && TableHead.patterns.contains(pattern(index))
    if isPattern {
      throw wrong(index, "its numbers are dates or times of day", "write them as 14:05:59.25")
    }
    if bracket == nil, !isEpoch, let word = name.bracket ?? unitRow(index),
      TimeForm(word: word) == nil
    {
      guard request.units?.time != nil else {
        throw unknown(index, word, "s, ms, us, ns, min or h")
      }
      contradict(index, word, "the header", "a unit of times")
    }
    var named: TimeForm?
    if case .time(let form) = name.role { named = form }
    if request.columns != nil,
      let word = ColumnName.suffix(of: result.columns[index].name, for: nil)
    {
      named = TimeForm(word: word)
    }
    var words: [(value: TimeForm?, source: String)] = [
      (bracket, "the header"),
      (unitRow(index).flatMap { TimeForm(word: $0) }, "the row of units"), (named, "the header"),
    ]
    words += unitWords(ofTimes: true).map { (TimeForm(word: $0), "the units in the file") }
    var form = try agreed(index, words, \.name)
    if form == nil, let program, let known = program.times[name.plain], let known {
      form = Stated(known, .program(program.name))
    }
    if let times = gyroflow?.times { form = Stated(times, .file("tscale")) }
    return (index, form, isEpoch || name.isUnix || has(.isUnix))
  }

  private mutating func takeDates(_ index: Int) {
    var shapes = shapes(index)
    if shapes == [.timeOfDay] {
      let days = result.columns.indices.filter { self.shapes($0).contains(where: \.isDay) }
      let date = days.first { index in
        let isNamed =
          names[index].role == .date || program?.dates.contains(names[index].plain) == true
        return result.columns[index].role == .date || isNamed && request.columns == nil
      }
      if let date {
        set(date, .date, result.columns[index].source)
        shapes = self.shapes(date)
      }
    }
    let named = result.columns.filter { $0.index == index || $0.role == .date }
      .compactMap { DateOrder(rawValue: String(pattern($0.index).prefix(3))) }.first
    let order = overruled(
      named.map { Stated($0, .file("the header")) }, by: request.units?.order, "--units",
      "dates are in the order", \.rawValue)
    if let order, let form = shapes.first(where: { $0.order == order.value }), shapes.count > 1 {
      result.times = Stated(form, order.source)
    } else if shapes.count > 1 {
      result.dateForms = shapes
    } else {
      result.times = shapes.first.map { Stated($0, .file("the shape of its times")) }
      if let order, let found = shapes.first?.order, found != order.value {
        result.contradictions.append(
          "its dates are in the order \(found.rawValue), and in the order \(order.value.rawValue) by \(order.source.name)"
        )
      }
    }
    let hasZone = if case .date(_, zone: true)? = shapes.first { true } else { false }
    if !hasZone, shapes.contains(where: { $0.order != nil }) {
      result.notices.append("its dates name no time zone, and are read as UTC")
    }
  }

  // MARK: Values

  /// Finds the unit and the scale of a group.
  ///
  /// A column without a unit has its program's, or else that of its sensor's other columns. Two that differ are refused.
  mutating func takeUnit(_ group: Group) throws(FieldError) {
    if group == .gyroscope { try refuseScale() }
    var (stated, silent): (Stated<Unit>?, Int?) = (nil, nil)
    let given = request.units?.units[group]
    for column in result.columns where column.role.channel.map(Group.init) == group {
      let name = names[column.index]
      var words: [(value: Unit?, source: String)] = []
      let suffix =
        name.suffix
        ?? (request.columns == nil ? nil : ColumnName.suffix(of: column.name, for: group))
      for case (let word?, let source) in [
        (name.bracket, "the header"), (unitRow(column.index), "the row of units"),
        (suffix, "the header"),
      ] {
        let unit = Unit(word: word)
        guard unit?.measures(group) != true else {
          words.append((unit, source))
          continue
        }
        guard given != nil else { throw unknown(column.index, word, group.choices) }
        contradict(column.index, unit?.sign ?? word, source, "a unit of \(group.name)")
      }
      words.append((heading.facts.units[group], "the facts before it"))
      words += unitWords(ofTimes: false).compactMap { Unit(word: $0) }.filter { $0.measures(group) }
        .map { ($0, "the units in the file") }
      guard let found = try agreed(column.index, words, \.sign) else {
        silent = silent ?? column.index
        continue
      }
      if let stated, stated.value != found.value {
        throw wrong(
          column.index, "its unit differs from the same sensor's column before it",
          "give all columns of a sensor one unit")
      }
      stated = stated ?? found
    }
    if let program, let unit = program.units[group], !hasSeveralUnits(group) {
      if let stated, let silent, stated.value != unit, given == nil {
        throw wrong(
          silent,
          "its unit is \(unit.sign) by \(program.name), and \(stated.value.sign) in the same sensor's other columns",
          "give all columns of a sensor one unit")
      }
      if stated == nil {
        stated = Stated(unit, .program(program.name))
        if has(.isCommon) || !heading.hasHeader { result.isUsual.insert(group) }
      }
    }
    // This program's own files state what its values are.
    if heading.facts.isOwn, let unit = heading.facts.units[group] {
      stated = Stated(unit, .program("imulog"))
    }
    if let gyroflow, group != .temperature, stated == nil {
      // Whole numbers in one column and decimals in another are values.
      let areCounts = Group.allCases.allSatisfy { self.areCounts($0) }
      let meaning = gyroflow.meaning(group, areCounts: areCounts)
      result.scales[group] = meaning.scale.map { Stated($0, .file("its scales")) }
      result.factors[group] = meaning.factor
      stated = Stated(meaning.unit, .program("Gyroflow"))
    }
    if stated == nil, has(.isOwnColumns), areCounts(group) {
      stated = Stated(.count, .program("imulog"))
    }
    if let given {
      if stated?.value != given { (result.factors[group], result.scales[group]) = (nil, nil) }
      result.isUsual.remove(group)
    }
    stated = overruled(stated, by: given, "--units", "\(group.name) are in", \.sign)
    takeScale(group, &stated)
    result.units[group] = stated
  }

  /// Whether the program writes a group in several units: Sensor Logger uncalibrated accelerations in g and in m/s²,
  /// blackbox_decode rates in °/s and as bits, unless a key has their scale.
  private func hasSeveralUnits(_ group: Group) -> Bool {
    group == .accelerometer
      ? has(.isNamedByFile) && lastPart.parts(around: "uncalibrated") != nil
      : program?.name == Dialect.betaflight.name
        && !heading.keys.keys.contains { $0.lowercased().filter(\.isLetter) == "gyroscale" }
  }

  private func areCounts(_ group: Group) -> Bool {
    result.columns.allSatisfy { column in
      column.role.channel.map(Group.init) != group
        || column.index < rows.columns.count && rows.columns[column.index].areCounts
    }
  }

  /// Takes what counts mean: by an option, by the file, as a program usually has it, or as `raw` is documented.
  private mutating func takeScale(_ group: Group, _ stated: inout Understanding.Stated<Unit>?) {
    let options: [Group: (scale: Fraction?, name: String)] = [
      .accelerometer: (request.accelerometerScale, "--accel-lsb-per-g"),
      .gyroscope: (request.gyroscopeScale, "--gyro-lsb-per-dps"),
    ]
    let counts = group == .accelerometer ? heading.keys["acc_1G"].flatMap { Int64($0) } : nil
    if case (let scale?, let name)? = options[group] {
      result.scales[group] = Stated(Scale(ratio: scale), .option(name))
      stated = stated ?? Stated(.count, .option(name))
    } else if let scale = heading.facts.scales[group] {
      result.scales[group] = Stated(scale, .file("the facts in it"))
    } else if let counts, counts > 0 {
      result.scales[group] = Stated(Scale(ratio: Fraction(1, counts)), .file("acc_1G"))
    } else if result.scales[group] == nil {
      if let program, let scale = program.usualScales[group] {
        result.scales[group] = Stated(scale, .program(program.name))
        result.isUsual.insert(group)
      } else if request.units?.units[group] == .count {
        result.scales[group] = Stated(Scale.usual(group), .option("--units raw"))
        result.isUsual.insert(group)
      }
    }
  }

  /// Takes dates, rates, and what the user should know.
  mutating func takeRest() throws(FieldError) {
    if let started = heading.facts.started ?? gyroflow?.started, result.epoch == nil,
      !result.isDated
    {
      result.epoch = Stated(.at(started), .file("the facts in it"))
    }
    if let rate = heading.facts.rate { result.rate = Stated(rate, .file("the facts in it")) }
    if has(.isOwnColumns), !request.isEach, rows.columns.count > 1, let form = shapes(0).first,
      form.isDate,
      let date = time(rows.columns[0].first, form),
      let since = time(rows.columns[1].first, .nanoseconds),
      case let (start, isBeyond) = date.subtractingReportingOverflow(since), !isBeyond
    {
      // The first row has both, a date and a time.
      result.epoch = Stated(.at(start), .program("imulog"))
    }
    if program?.name == Dialect.empatica.name { try takeE4() }
    result.rate = overruled(result.rate, by: request.rate, "--rate", "rate is") {
      "\(Plain.hertz($0)) Hz"
    }
    if !heading.hasHeader, program == nil, !request.isAnyway, let doubt = rows.doubt {
      throw FieldError(
        problem: doubt,
        remedy:
          "take it out, as tail -n +\(heading.lines + 2) does, or import it as it is with --anyway")
    }
    notice()
  }

  /// The time that a cell of the head has; `nil` where it is another text, which the pass over the rows refuses.
  private func time(_ text: String, _ form: TimeForm) -> Int64? {
    var parser = TimeParser(form, mark: result.syntax.decimalMark)
    do {
      return try Array(text.utf8).withUnsafeBytes { try parser.parse($0) }
    } catch {
      return nil
    }
  }

  private mutating func takeE4() throws(FieldError) {
    let source = Understanding.Source.program(Dialect.empatica.name)
    guard let start = heading.keys["start"].flatMap({ time($0, .seconds) }),
      let rate = SampleRate(stated: heading.keys["rate"] ?? "")
    else {
      throw FieldError(
        problem: "its first two lines are not a start and a rate", remedy: "correct them")
    }
    (result.epoch, result.rate) = (Stated(.at(start), source), Stated(rate, source))
    guard result.scales[.accelerometer]?.source != .option("--accel-lsb-per-g") else { return }
    result.scales[.accelerometer] = Stated(Scale(ratio: Fraction(1, 64)), source)
    result.isUsual.remove(.accelerometer)
  }

  private mutating func notice() {
    let others = result.columns.filter { $0.role.isLeftOut && !$0.name.hasPrefix("column ") }
    if !others.isEmpty, request.columns == nil {
      let shown = others.prefix(4).map { "\"\(FieldText.shown($0.name.utf8))\"" }
      result.notices.append(
        "\(others.count == 1 ? "a column is" : "columns are") left out: \(shown.joined(separator: ", "))"
          + (others.count > 4 ? " and \(others.count - 4) more" : ""))
    }
    if let program, !program.units.isEmpty {
      var words = result.groups.compactMap { result.units[$0]?.value.sign }
      if case .number = result.times?.value {
        words.insert("times in \(result.times?.value.name ?? "")", at: 0)
      }
      result.notices.append(
        "it \(heading.hasHeader ? "is" : "has no header, and is") read as \(program.name) writes it: \(words.joined(separator: ", "))"
      )
    }
    // The app's TotalAcceleration has gravity, and its Accelerometer has not.
    result.isWithoutGravity =
      has(.isDerived)
      || has(.isNamedByFile)
        && (program?.units.isEmpty == false
          ? ["total", "uncalibrated"].allSatisfy { lastPart.parts(around: $0) == nil }
          : lastPart.parts(around: "linear") != nil)
    if result.isWithoutGravity, result.groups.contains(.accelerometer) {
      result.notices.append("its accelerations are without gravity, as the phone computed them")
    }
    if result.syntax.encoding != .utf8 {
      result.notices.append("it is read as \(result.syntax.encoding.rawValue)")
    }
  }
}
