// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension TableHead {
  /// A column that may be that of times.
  private struct Clock {
    let index: Int
    let form: Understanding.Stated<TimeForm>?
    let isUnix: Bool
    /// Less is better: numbers in a stated unit, dates and times of day, numbers in none, units alone.
    let rank: Int
  }

  /// Finds the column of times and their form.
  mutating func takeTimes() throws(FieldError) {
    var clocks: [Clock] = []
    for (index, name) in names.enumerated() where index < result.columns.count {
      if result.columns[index].role == .time { clocks = [try clock(index, name)] }
    }
    if clocks.isEmpty, request.columns == nil || program?.name == Dialect.empatica.name {
      for (index, name) in names.enumerated() {
        guard case .leftOut = result.columns[index].role else { continue }
        let hasTimes = shapes(index).contains { if case .date = $0 { true } else { false } }
        switch name.role {
        case _ where program?.times[name.plain] != nil: break
        case .time where program == nil: break
        case .date where program == nil && hasTimes: break
        default: continue
        }
        clocks.append(try clock(index, name))
      }
      let best = clocks.map(\.rank).min()
      clocks.removeAll { $0.rank != best }
      if program != nil { clocks = Array(clocks.prefix(1)) }
    }
    if clocks.count > 1 {
      for clock in clocks.dropFirst() { result.columns[clock.index].role = .open }
      propose(times: clocks.map(\.index))
    }
    guard let clock = clocks.first else {
      // A column that only sounds like times is named by the user.
      let likely = names.indices.filter { names[$0].isLikelyTime }
      guard request.columns == nil, request.rate == nil, program == nil, !likely.isEmpty else {
        return
      }
      for index in likely { result.columns[index].role = .open }
      return propose()
    }
    if result.columns[clock.index].role != .time {
      set(clock.index, .time, program.map { .program($0.name) } ?? .file("the header"))
    }
    try takeForm(clock)
  }

  func shapes(_ index: Int) -> Set<TimeForm> {
    index < rows.columns.count ? rows.columns[index].forms ?? [] : []
  }

  /// What is stated about a column of times.
  private func clock(_ index: Int, _ name: ColumnName) throws(FieldError) -> Clock {
    let shapes = shapes(index)
    let areNumbers = shapes == [.nanoseconds] || shapes.isEmpty
    var form: Understanding.Stated<TimeForm>?
    var isUnix = name.isUnix || program?.isUnix == true
    func take(_ found: TimeForm?, _ source: Understanding.Source) throws(FieldError) {
      guard let found else { return }
      guard let before = form, before.value != found else {
        return form = form ?? .init(found, source)
      }
      throw wrong(
        index,
        "its unit is \(before.value.name) by \(before.source.name), and \(found.name) by \(source.name)",
        "correct one of them")
    }
    if areNumbers {
      if let word = name.bracket {
        let isEpoch = word.lowercased().split { !$0.isLetter }.contains {
          ColumnName.epochs.contains(String($0))
        }
        if let found = TimeForm(word: word) {
          try take(found, .file("the header"))
        } else if isEpoch {
          isUnix = true
        } else if request.units?.time == nil {
          throw wrong(
            index, "the unit \"\(FieldText.shown(word.utf8))\" of times is unknown",
            "name it with --units \(TimeForm.choices); if it is none of these, convert the times, or name the axes alone with --columns and give --rate"
          )
        }
      }
      if let row = heading.unitRow, index < row.count, let found = TimeForm(word: row[index]) {
        try take(found, .file("the row of units"))
      }
      if case .time(let found) = name.role { try take(found, .file("the header")) }
      if request.columns != nil,
        let word = ColumnName.suffix(of: result.columns[index].name, for: nil)
      {
        try take(TimeForm(word: word), .file("the header"))
      }
      if form == nil, let program, let known = program.times[name.plain], let known {
        form = .init(known, .program(program.name))
      }
      if let times = gyroflow?.times { form = .init(times, .file("tscale")) }
    }
    let rank = !areNumbers ? 1 : form == nil ? 2 : name.isBareUnit ? 3 : 0
    return Clock(index: index, form: form, isUnix: isUnix, rank: rank)
  }

  private mutating func takeForm(_ clock: Clock) throws(FieldError) {
    let shapes = shapes(clock.index)
    if shapes.isEmpty || shapes == [.nanoseconds] { return takeNumbers(clock) }
    let source = Understanding.Source.file("the shape of its times")
    if shapes == [.timeOfDay] {
      let date = result.columns.indices.first { index in
        let isNamed =
          names[index].role == .date || program?.dates.contains(names[index].plain) == true
        let isChosen = result.columns[index].role == .date
        return (isChosen || isNamed && request.columns == nil)
          && self.shapes(index).contains { if case .dayAndTime = $0 { true } else { false } }
      }
      guard let date else {
        let isDated = names.indices.contains {
          names[$0].role == .date && shapes != self.shapes($0)
        }
        if isDated {
          result.notices.append(
            "its dates are not read, so a break of whole days between times of day cannot be seen")
        }
        return result.times = .init(.timeOfDay, source)
      }
      set(date, .date, result.columns[clock.index].source)
      return takeOrder(self.shapes(date), source)
    }
    takeOrder(shapes, source)
    if case .date(_, zone: false) = shapes.first {
      result.notices.append("its dates name no time zone: they are taken as UTC")
    }
  }

  /// Takes the order of day and month; two are left to the rows after the first ones.
  private mutating func takeOrder(_ shapes: Set<TimeForm>, _ source: Understanding.Source) {
    let option = shapes.first { $0.order == request.units?.order }
    if shapes.count == 1 || option == nil {
      result.times = shapes.count == 1 ? shapes.first.map { .init($0, source) } : nil
      if shapes.count > 1 { result.orders = Set(shapes.compactMap(\.order)) }
      guard let order = request.units?.order, shapes.count == 1, option == nil else { return }
      result.contradictions.append(
        "its dates are not in the order \(order.rawValue) that --units says")
    } else if let option {
      result.times = .init(option, .option("--units"))
    }
  }

  private mutating func takeNumbers(_ clock: Clock) {
    result.times = clock.form
    if let given = request.units?.time {
      if let form = clock.form, form.value != given {
        result.contradictions.append(
          "its times are in \(form.value.name) by \(form.source.name), and in \(given.name) by --units"
        )
      }
      result.times = .init(given, .option("--units"))
    }
    if case .number(_, let factor) = result.times?.value, factor > 1, gyroflow == nil {
      result.notices.append(
        "its times are in \(result.times?.value.name ?? ""), each \(factor) s long, and converted exactly"
      )
    }
    if result.times == nil, clock.index < rows.columns.count {
      result.syntax.timeDecimals = min(9, rows.columns[clock.index].decimals)
    }
    if request.units?.isUnix == true {
      result.epoch = .init(.unix, .option("--units"))
    } else if clock.isUnix {
      let source = result.columns[clock.index].source
      result.epoch = .init(.unix, program.map { .program($0.name) } ?? source)
    }
  }
}

extension TimeForm {
  /// The order of its dates.
  var order: DateOrder? {
    switch self {
    case .date(let order, _), .dayAndTime(let order): order
    case .number, .timeOfDay: nil
    }
  }
}
