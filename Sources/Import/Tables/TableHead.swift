// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Makes an ``Understanding`` of what is stated about a table: by the program that writes its header, by the header itself
/// and the facts before it, and by the user.
struct TableHead {
  var result: Understanding
  let heading: Heading
  let rows: FirstRows
  let request: ImportRequest
  let file: String
  let names: [ColumnName]
  let program: Dialect?
  private(set) var gyroflow: Gyroflow?

  /// What is stated about rows of this shape.
  static func understanding(
    _ heading: Heading, _ rows: FirstRows, _ file: String, _ request: ImportRequest,
    shape: Syntax.Shape = .lines, encoding: Encoding = .utf8
  ) throws(ImportError) -> Understanding {
    do throws(FieldError) {
      var head = try TableHead(heading, rows, file, request)
      (head.result.syntax.shape, head.result.syntax.encoding) = (shape, encoding)
      try head.takeColumns()
      try head.takeTimes()
      try head.refuseUnread()
      head.takeOthers()
      for group in head.result.groups { try head.takeUnit(group) }
      try head.takeRest()
      return head.result
    } catch {
      throw error.at(file, heading.place)
    }
  }

  private init(_ heading: Heading, _ rows: FirstRows, _ file: String, _ request: ImportRequest)
    throws(FieldError)
  {
    (self.heading, self.rows, self.file, self.request) = (heading, rows, file, request)
    var cells = heading.cells
    // R writes no name above the names of rows.
    if rows.width == cells.count + 1, rows.haveNames { cells.insert("row", at: 0) }
    // Of a table whose columns have numbers, rows say how many there are.
    if request.columns?.needsNoHeader == true, let width = rows.width {
      while cells.count < width { cells.append("column \(cells.count + 1)") }
    }
    let names = cells.map { ColumnName($0) }
    program = heading.program
    let units = request.units?.units ?? [:]
    let isStated =
      program != nil || request.isJoined || request.columns != nil
      || heading.facts.units[.gyroscope] != nil
      || heading.unitRow != nil || !heading.unitWords.isEmpty
      || units[.gyroscope] != nil && units[.accelerometer] == nil
    // Counts of this program's own tables.
    let own = ["t_ns", "t_s", "unix_s", "time_utc", "time_local"]
    let isOwn =
      units[.gyroscope] == .count && cells.contains("gx") && own.contains(names[0].plain)
    let isAlone = !names.contains { (0..<3).contains($0.likely ?? 6) }
    self.names = isAlone && !isStated && !isOwn ? names.map(\.withoutLetterG) : names
    result = Understanding(file)
    (result.program, result.stamps) = (program?.name, heading.stamps)
    // Other programs write lines of their own there.
    result.hasUnread = heading.hasUnread && (program == nil || program?.name == Dialect.own.name)
    if result.hasUnread {
      result.notices.append("what stands before its rows is not read")
    }
    result.syntax.separator = heading.separator
    result.syntax.decimalMark = rows.decimalMark(heading.separator)
    result.syntax.headLines = heading.lines
    result.syntax.fieldCount = cells.count
    result.columns = cells.enumerated().map {
      Understanding.Column(
        index: $0, name: $1.isEmpty ? "column \($0 + 1)" : $1, role: .leftOut("it is not known"),
        source: .file("the header"))
    }
    if program?.name == Dialect.gyroflow.name { gyroflow = try Gyroflow(heading.keys) }
  }

  func has(_ trait: Dialect.Trait) -> Bool { program?.traits.contains(trait) == true }

  /// The error about a column.
  func wrong(_ index: Int, _ problem: String, _ remedy: String) -> FieldError {
    FieldError(
      column: result.syntax.column(index, result.columns[index].name), problem: problem,
      remedy: remedy)
  }

  mutating func set(_ index: Int, _ role: Understanding.Role, _ source: Understanding.Source) {
    (result.columns[index].role, result.columns[index].source) = (role, source)
  }

  func unitRow(_ index: Int) -> String? {
    heading.unitRow.flatMap { index < $0.count && !$0[index].isEmpty ? $0[index] : nil }
  }

  private mutating func takeColumns() throws(FieldError) {
    if let columns = request.columns, program?.name != Dialect.empatica.name {
      for index in result.columns.indices {
        set(index, .leftOut("--columns does not name it"), .option("--columns"))
      }
      for (index, target) in try columns.places(result.columns.map(\.name)) {
        result.columns[index].role = target
      }
      return
    }
    if lastPart.parts(around: "grav") != nil,
      let axis = names.firstIndex(where: { $0.withoutLetterG.axis != nil })
    {
      throw wrong(
        axis, "the file's name says gravity, which is computed",
        "name the columns with --columns to import it all the same")
    }
    let shift = try has(.isNamedByFile) ? self.shift() : 0
    if let program {
      for (index, name) in names.enumerated() {
        guard let channel = program.axes[name.plain] else { continue }
        let role = gyroflow?.role(channel) ?? .channel(channel + shift, isReversed: false)
        set(index, role, .program(program.name))
      }
    }
    let known = result.channels
    for (index, name) in names.enumerated() where result.columns[index].role.isLeftOut {
      if let channel = name.role.channel,
        known.isDisjoint(with: Group(channel: channel).channels)
      {
        result.columns[index].role = .channel(channel, isReversed: false)
      } else if name.isDerived {
        result.columns[index].role = .leftOut("it is computed from a sensor's values")
      } else if program == nil, name.likely != nil {
        result.columns[index].role = .open
      }
    }
    try refuseComputedAlone()
    takeOwnColumns()
    try decide()
  }

  /// Refuses computed values that may be all that there is of a sensor, unless a program says what they are.
  private func refuseComputedAlone() throws(FieldError) {
    guard program == nil, !result.columns.contains(where: { $0.role == .open }) else { return }
    let known = result.channels
    for (index, name) in names.enumerated() where name.isDerived {
      guard let channel = name.likely, channel < 6,
        known.isDisjoint(with: Group(channel: channel).channels)
      else { continue }
      throw wrong(
        index, "it is computed from a sensor's values, and nothing else is of that sensor",
        "name the columns to import with --columns, these or only the others")
    }
  }

  /// 0 if the axes x, y and z are an accelerometer's, 3 if they are a gyroscope's.
  private func shift() throws(FieldError) -> Int {
    let unit = names.lazy.filter { program?.axes[$0.plain] != nil }.compactMap {
      $0.bracket.flatMap { Unit(ofAxis: $0) }
    }.first { $0 != .count }
    if let unit { return unit.measures(.gyroscope) ? 3 : 0 }
    // Only the app's own names also say whether values have gravity, and are in g.
    let words = Set(lastPart.split { !$0.isLetter }.map(String.init))
    func has(_ name: String) -> Bool { !words.isDisjoint(with: [name, name + "uncalibrated"]) }
    let (isRates, isAccelerations) = (
      has("gyroscope"), has("accelerometer") || has("totalacceleration")
    )
    if isRates != isAccelerations { return isRates ? 3 : 0 }
    throw FieldError(
      problem: "the header names x, y and z, and the file's name does not say of which sensor",
      remedy: "name the columns, such as --columns time=time,ax=x,ay=y,az=z")
  }

  var lastPart: String { (file.split { "/:".contains($0) }.last ?? "").lowercased() }

  /// Finds this program's columns of ticks, gaps and marks.
  private mutating func takeOwnColumns() {
    let isOwn = has(.isOwnColumns)
    let gaps = ExportedNames.gaps.compactMap { name in names.firstIndex { $0.plain == name } }
    result.isGapsOfFile = isOwn || gaps.count == 2
    var roles: [String: Understanding.Role] = isOwn ? ["tick": .tick, "mark": .mark] : [:]
    if gaps.count == 2 {
      (roles[ExportedNames.gaps[0]], roles[ExportedNames.gaps[1]]) = (.gap, .gapTicks)
    }
    for (index, name) in names.enumerated() {
      if let role = roles[name.plain] { set(index, role, .program("imulog")) }
    }
  }

  /// Leaves open what several columns may be, and what is not certain; ``Proposal`` has the ways to choose.
  private mutating func decide() throws(FieldError) {
    let count = result.syntax.fieldCount
    let width = rows.width ?? count
    // A whole number behind a date is a part of it.
    let areCut = names.indices.contains { index in
      names[index].role.isTime && index + 1 < rows.columns.count
        && rows.columns[index + 1].areCounts
        && shapes(index).contains { $0.isDate || $0 == .timeOfDay }
    }
    guard
      heading.separator != UInt8(ascii: ",") || width <= count
        || count < 2 || width < 2 * count - 1 && !areCut
    else {
      throw FieldError(
        problem:
          "the rows have \(width) values under \(count) names, as decimal commas between commas make",
        remedy: "write the table with decimal points, or with semicolons between values")
    }
    let channels = result.columns.compactMap(\.role.channel)
    var open: [Int] = []
    for index in result.columns.indices {
      guard let channel = result.columns[index].role.channel else { continue }
      let isTwice = channels.contains { other in
        other / 3 == channel / 3 && channels.count { $0 == other } > 1
      }
      if isTwice || program == nil && isMixed(index, channel) {
        open.append(index)
      }
    }
    for index in open { result.columns[index].role = .open }
    result.syntax.fieldCount = max(width, count)
    // A temperature beside columns that are not known may be that of a sensor among them.
    let isUnknown = names.indices.contains {
      result.columns[$0].role.isLeftOut && !names[$0].role.isTime && !isNamedDate($0)
    }
    let isOpen =
      result.columns.contains { $0.role == .open } || result.channels.isEmpty
      || result.channels == .temperature && isUnknown
    guard width <= count else {
      throw FieldError(
        problem:
          "the rows have \(width) values under \(count) names, so that no name is sure of its column",
        remedy: "write a name for each, or give the columns by their numbers in --columns")
    }
    guard isOpen || !heading.hasHeader && program == nil else { return }
    propose()
    guard result.proposals.isEmpty else { return }
    let shown = result.columns.prefix(4).map { "\"\(FieldText.shown($0.name.utf8))\"" }
    throw FieldError(
      problem: "no column of \(shown.joined(separator: ", ")) is known as an axis by its name",
      remedy: "name the columns with --columns, such as --columns time=1,ax=2")
  }

  /// Whether an axis has another word than its sensor's others, as `acc_x_raw`, or another device than the other sensor.
  private func isMixed(_ index: Int, _ channel: Int) -> Bool {
    result.columns.contains {
      guard let other = $0.role.channel, other < 6 else { return false }
      let its = names[$0.index]
      return other / 3 == channel / 3
        ? its.device != names[index].device : channel < 6 && its.isOther(than: names[index])
    }
  }
}
