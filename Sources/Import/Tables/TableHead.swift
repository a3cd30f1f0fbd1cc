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

  /// What is stated; `shape` is that of the rows.
  static func understanding(
    _ heading: Heading, _ rows: FirstRows, _ file: String, _ request: ImportRequest,
    shape: Syntax.Shape = .lines, encoding: Encoding = .utf8
  ) throws(ImportError) -> Understanding {
    do throws(FieldError) {
      var head = try TableHead(heading, rows, file, request)
      (head.result.syntax.shape, head.result.syntax.encoding) = (shape, encoding)
      try head.takeColumns()
      try head.takeTimes()
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
    // Of a table whose columns have numbers, rows say how many there are.
    if request.columns?.needsNoHeader == true, let width = rows.width {
      while cells.count < width { cells.append("column \(cells.count + 1)") }
    }
    names = cells.map { ColumnName($0) }
    program = heading.program
    result = Understanding(file)
    result.program = program?.name
    result.syntax.separator = heading.separator
    result.syntax.decimalMark = rows.decimalMark
    result.syntax.headLines = heading.lines
    result.syntax.fieldCount = cells.count
    result.columns = cells.enumerated().map {
      Understanding.Column(
        index: $0, name: $1.isEmpty ? "column \($0 + 1)" : $1, role: .leftOut("it is not known"),
        source: .file("the header"))
    }
    if program?.name == Dialect.gyroflow.name { gyroflow = try Gyroflow(heading.keys) }
  }

  /// The error about a column.
  func wrong(_ index: Int, _ problem: String, _ remedy: String) -> FieldError {
    FieldError(
      column: .init(
        number: result.syntax.shape == .lines ? index + 1 : nil, name: result.columns[index].name),
      problem: problem, remedy: remedy)
  }

  mutating func set(_ index: Int, _ role: Understanding.Role, _ source: Understanding.Source) {
    (result.columns[index].role, result.columns[index].source) = (role, source)
  }

  private mutating func takeColumns() throws(FieldError) {
    if let columns = request.columns, program?.name != Dialect.empatica.name {
      for (index, target) in try columns.places(result.columns.map(\.name)) {
        let role: Understanding.Role =
          switch target {
          case .time: .time
          case .date: .date
          case .channel(let channel): .channel(channel, isReversed: false)
          }
        set(index, role, .option("--columns"))
      }
      for index in result.columns.indices {
        if case .leftOut = result.columns[index].role {
          set(index, .leftOut("--columns does not name it"), .option("--columns"))
        }
      }
      try refuseTurns()
      return
    }
    let shift = try program?.isNamedByFile == true ? self.shift() : 0
    for (index, name) in names.enumerated() {
      if let program, let channel = program.axes[name.plain] {
        let role = gyroflow?.role(channel) ?? .channel(channel + shift, isReversed: false)
        set(index, role, .program(program.name))
      }
    }
    let known = result.channels
    for (index, name) in names.enumerated() {
      guard case .leftOut = result.columns[index].role else { continue }
      if case .channel(let channel) = name.role,
        known.isDisjoint(with: Group(channel: channel).channels)
      {
        set(index, .channel(channel, isReversed: false), .file("the header"))
      } else if name.isDerived {
        set(index, .leftOut("it is computed from a sensor's values"), .file("the header"))
      } else if program == nil, name.likely != nil {
        set(index, .open, .file("the header"))
      }
    }
    // What is computed may be all that there is of a sensor.
    let groups = program == nil ? result.groups : Group.allCases
    for (index, name) in names.enumerated() where name.isDerived {
      guard let channel = name.likely, !groups.contains(Group(channel: channel)) else { continue }
      set(index, .open, .file("the header"))
    }
    takeOwnColumns()
    try refuseTurns()
    try decide()
  }

  /// 0 if the axes x, y and z are an accelerometer's, 3 if they are a gyroscope's.
  private func shift() throws(FieldError) -> Int {
    let unit = names.lazy.filter { program?.axes[$0.plain] != nil }.compactMap {
      $0.bracket.flatMap { Unit(word: $0) }
    }.first { $0 != .count }
    if let unit { return unit.measures(.gyroscope) ? 3 : 0 }
    // A part of another word, such as "accurate", is none.
    let words = lastPart.split { !$0.isLetter }
    func has(_ long: String, _ short: String) -> Bool {
      words.contains { $0.parts(around: long) != nil || $0.hasSuffix(short) }
    }
    if has("gyro", "gyr") { return 3 }
    if has("accel", "acc") { return 0 }
    throw FieldError(
      problem: "the header names x, y and z, and the file's name does not say of which sensor",
      remedy: "name the columns, such as --columns time=time,ax=x,ay=y,az=z")
  }

  var lastPart: String { (file.split { "/:".contains($0) }.last ?? "").lowercased() }

  /// Takes the columns of this program's tables beside those of values.
  private mutating func takeOwnColumns() {
    let gaps = ExportedNames.gaps.compactMap { name in names.firstIndex { $0.plain == name } }
    if gaps.count == 2 {
      set(gaps[0], .gap, .program("imulog"))
      set(gaps[1], .gapTicks, .program("imulog"))
      result.isGapsOfFile = true
    }
    guard program?.times.keys == Dialect.ownColumns.times.keys else { return }
    for (index, name) in names.enumerated() {
      if name.plain == "tick" { set(index, .tick, .program("imulog")) }
      if name.plain == "mark" { set(index, .mark, .program("imulog")) }
    }
    result.isGapsOfFile = true
  }

  /// Refuses rows of several sensors, which take turns.
  private mutating func refuseTurns() throws(FieldError) {
    let sensors: Set = ["instance", "imu", "sensor", "device", "node", "addr", "address", "mac"]
    let others: Set = ["id", "name", "number", "no", "nr", "index", "type"]
    for (index, name) in names.enumerated() where index < rows.columns.count {
      guard case .leftOut = result.columns[index].role else { continue }
      let words = Set(name.plain.split { !$0.isLetter }.map(String.init))
      let isVague = ["i", "id"].contains(name.plain)
      guard isVague || !words.isDisjoint(with: sensors) && words.isSubset(of: sensors.union(others))
      else {
        continue
      }
      let turns = rows.columns[index].turns
      let found = turns.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      // Of a column that names no sensor, a text that comes back but once may be that of another part of the recording.
      guard found.count <= 16, turns.count > (isVague ? 2 : 1) * found.count else { continue }
      let shown = found.map { "\"\($0)\"" }.joined(separator: ", ")
      guard request.columns == nil else {
        result.notices.append(
          "rows with \(shown) in column \(index + 1) (\(name.plain)) take turns: if they are of several sensors, take those of one into a table of its own"
        )
        continue
      }
      throw wrong(
        index, "rows of several sensors follow each other, \(shown)",
        "take those of one into a table of its own, or name the columns with --columns if they are of one"
      )
    }
  }

  /// Leaves open what several columns may be, and what is not certain; ``Proposal`` has the ways to choose.
  private mutating func decide() throws(FieldError) {
    let names = result.syntax.fieldCount
    // Decimal commas between commas would make twice as many columns.
    let areCommas = heading.separator == UInt8(ascii: ",") && names > 1
    let areRowsWide = rows.width.map { $0 > names && !(areCommas && $0 >= 2 * names - 1) } ?? false
    if let width = rows.width, areRowsWide { result.syntax.fieldCount = width }
    var seen: Set<Int> = []
    var twice: Set<Int> = []
    for column in result.columns {
      if case .channel(let channel, _) = column.role, !seen.insert(channel).inserted {
        twice.insert(channel / 3)
      }
    }
    if !twice.isEmpty {
      for index in result.columns.indices {
        if case .channel(let channel, _) = result.columns[index].role, twice.contains(channel / 3) {
          result.columns[index].role = .open
        }
      }
    }
    let isOpen = result.columns.contains { $0.role == .open } || result.channels.isEmpty
    guard isOpen || areRowsWide || !heading.hasHeader && program == nil else { return }
    propose()
    guard result.proposals.contains(where: { !$0.columns.isEmpty }) else {
      let shown = result.columns.prefix(4).map { "\"\(FieldText.shown($0.name.utf8))\"" }
      throw FieldError(
        problem: "no column of \(shown.joined(separator: ", ")) has the name of an axis",
        remedy: "name the columns with --columns, such as --columns time=1,ax=2")
    }
  }
}
