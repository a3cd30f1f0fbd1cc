// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Where a file's values are, and what they mean.
struct ImportLayout: Equatable {
  /// A column that is imported.
  struct Column: Equatable {
    /// Its place in a row, from 0.
    var index: Int
    /// Its name in errors.
    var name: String
    /// The channel's position in `ChannelSet`; `nil` for the time.
    var channel: Int?
    /// Whether the axis points the other way.
    var isReversed = false
    /// The unit in the header.
    var unit: String?
  }

  /// The program that writes such files, for sentences.
  var program = ""
  /// Whether each field must have a value.
  var isStrict = true
  var shape = ImportShape.lines
  /// Of JSON: the first row's, if all columns are plain numbers there.
  var objectForm: ImportObjectForm?
  /// Of a list with several sensors: the rows of one.
  var filter: ImportFilter?
  /// Lines before the first row.
  var headLines = 1
  /// Between fields, and before decimals.
  var separator = UInt8(ascii: ",")
  var decimalMark = UInt8(ascii: ".")
  /// Whether dates have an offset from UTC, as the first one; `nil` where times are no dates.
  var hasZone: Bool?
  /// Of this program's tables: the column with the cause of a gap.
  var gapIndex: Int?
  /// Of the same: the column with the number of its ticks.
  var ticksIndex: Int?
  /// Fields in a row.
  var fieldCount = 0
  /// By their places.
  var columns: [Column] = []
  var timeForm = ImportTimeForm.unknown
  /// The remark that the unit of times is a guess.
  var timeGuess: String?
  /// The unit of times in the header, if it is none that is known.
  var strangeTimeUnit: String?
  /// Why the columns of a sensor have no unit, which is thrown unless the user names one.
  private(set) var strangeUnits: [ImportGroup: ImportLineProblem] = [:]
  /// What values of a group are multiplied with, as some tables of Gyroflow say.
  var valueFactors: [ImportGroup: ImportDecimal] = [:]
  /// The groups whose values are taken as counts because those of the first row are whole numbers.
  var guessedCounts: Set<ImportGroup> = []
  /// Units of the groups; `nil` when the values must tell.
  var units = ImportUnits()
  var facts = ImportFacts()
  /// Counts of 1 g if the facts do not say.
  var usualCountsPerG: Int64?
  /// Guesses and columns left out: sentences for the user.
  var remarks: [String] = []
  /// Columns, left out, that may tell of which of several sensors a row is.
  private(set) var instances: [Column] = []
  /// Whether the user names the columns.
  var areNamed = false

  var channels: ChannelSet {
    columns.reduce(into: ChannelSet()) { set, column in
      if let channel = column.channel { set.insert(ChannelSet(rawValue: 1 << UInt8(channel))) }
    }
  }

  /// The groups that have a column.
  var groups: [ImportGroup] {
    ImportGroup.allCases.filter { group in
      columns.contains { $0.channel.map(ImportGroup.init(channel:)) == group }
    }
  }

  /// Whether there is a column of times; without one all samples have time 0, and the rate places them.
  var hasTime: Bool { columns.contains { $0.channel == nil } }

  var timeColumn: Column { columns.first { $0.channel == nil } ?? Column(index: 0, name: "") }

  /// The columns of a header in a dialect's names.
  ///
  /// - Parameters:
  ///   - file: The file's name, which says whose axes x, y and z are.
  ///   - needsTime: Whether a table without a column of times is refused.
  init(
    _ headings: [ImportHeading], _ dialect: ImportDialect, file: String,
    ignoring: Set<String> = [], needsTime: Bool = true
  ) throws(ImportFieldError) {
    program = dialect.name
    isStrict = dialect.isOwn
    fieldCount = headings.count
    usualCountsPerG = dialect.usualCountsPerG
    let shift = dialect.isNamedByFile ? try ImportLayout.shift(headings, dialect, file) : 0
    var seen: ChannelSet = []
    var others: [Int] = []
    var unknown: ImportLineProblem?
    var own: [String] = []
    // A clock of whole steps is better than a time of day.
    let hasCounter = headings.contains { dialect.times[$0.name].map { $0 != .timeOfDay } ?? false }
    let isNamed = headings.contains {
      dialect.times[$0.name] != nil && !ImportDialect.bareUnits.contains($0.name)
    }
    for (index, heading) in headings.enumerated() {
      if hasCounter && dialect.times[heading.name] == .timeOfDay
        || isNamed && ImportDialect.bareUnits.contains(heading.name)
      {
        others.append(index)
        continue
      }
      let channel = dialect.axes[heading.name].map { $0 + shift }
      if dialect.times[heading.name] != nil || channel != nil {
        let bit = channel.map { ChannelSet(rawValue: 1 << UInt8($0)) }
        guard
          bit.map({ seen.isDisjoint(with: $0) }) ?? !columns.contains(where: { $0.channel == nil })
        else {
          throw ImportFieldError(.repeatedColumn(column: index + 1, found: heading.shown))
        }
        if let bit { seen.insert(bit) }
        columns.append(
          Column(index: index, name: heading.shown, channel: channel, unit: heading.unit))
      } else if ignoring.contains(heading.name) {
        continue
      } else if isStrict, ImportLayout.ownOthers.contains(heading.name) {
        switch heading.name {
        case ImportLayout.gapName: gapIndex = index
        case ImportLayout.ticksName: ticksIndex = index
        default: own.append(heading.name)
        }
      } else if heading.name.isEmpty, index == headings.count - 1 {
        // What a separator at the end of each line makes is no column.
        continue
      } else if isStrict, !ImportLayout.ignored.contains(heading.name) {
        unknown = unknown ?? .unknownColumn(column: index + 1, found: heading.shown)
        others.append(index)
      } else if !heading.name.isEmpty {
        others.append(index)
      }
    }
    if let unknown {
      try refuseSensors(among: others, of: headings)
      throw ImportFieldError(unknown)
    }
    guard !seen.isEmpty else { throw ImportFieldError(.noAxis) }
    let time = columns.first { $0.channel == nil }.map { headings[$0.index] }
    guard time != nil || !needsTime else {
      throw ImportFieldError(.noTimeColumn(found: headings.first?.shown ?? ""))
    }
    timeForm = time.map { dialect.times[$0.name] ?? .unknown } ?? .seconds
    takeTimeUnit()
    if !isStrict { takeInstances(headings) }
    setUnits(
      of: dialect, isUncalibrated: file.lowercased().parts(around: "uncalibrated") != nil)
    try refuseSensors(among: others, of: headings)
    if !others.isEmpty { remarks.append(ImportLayout.leftOut(others.map { headings[$0].shown })) }
    if !own.isEmpty {
      let names = own.joined(separator: ", ")
      remarks.append(
        "\(own.count == 1 ? "the column \(names) is" : "the columns \(names) are") left out")
    }
    for (group, axes) in [("a", seen.rawValue & 7), ("g", seen.rawValue >> 3 & 7)]
    where axes.nonzeroBitCount == 2 {
      let axis = ["x", "y", "z"][(~axes & 7).trailingZeroBitCount]
      remarks.append("it names no \(group)\(axis): the recording will not have that axis")
    }
    if let remark = dialect.remark { remarks.append(remark) }
    if dialect.isNamedByFile, dialect.accelerometer != nil, shift == 0 {
      let name = ImportLayout.lastPart(of: file)
      if dialect.namesUnits {
        if name.parts(around: "linear") != nil { remarks.append(ImportDialect.withoutGravity) }
      } else if ["total", "uncalibrated"].allSatisfy({ name.parts(around: $0) == nil }) {
        remarks.append(ImportDialect.withoutTotal)
      }
    }
  }

  /// An empty layout.
  init() {}

  /// Finds the columns that may tell of which of several sensors a row is.
  mutating func takeInstances(_ headings: [ImportHeading]) {
    for (place, heading) in headings.enumerated()
    where ImportLayout.mayTellSensors(heading.name)
      && !columns.contains(where: { $0.index == place })
    {
      instances.append(Column(index: place, name: heading.shown))
    }
  }

  /// Such as `I`, `imu`, `Sensor ID`, `device_name`.
  private static func mayTellSensors(_ name: String) -> Bool {
    guard !["i", "id"].contains(name) else { return true }
    let words = Set(name.split { !$0.isLetter }.map(String.init))
    return !words.isDisjoint(with: sensorWords)
      && words.isSubset(
        of: sensorWords.union(["id", "name", "number", "no", "nr", "index", "type"]))
  }

  private static let sensorWords: Set = [
    "instance", "imu", "sensor", "device", "node", "addr", "address", "mac",
  ]

  /// Takes the unit of times in the heading of their column.
  mutating func takeTimeUnit() {
    guard let word = columns.first(where: { $0.channel == nil })?.unit else { return }
    if let form = ImportTimeForm(word: word) {
      timeForm = timeForm.changed(to: form)
    } else if !ImportTimeForm.epochs.contains(word.lowercased().filter { $0 != " " }) {
      strangeTimeUnit = ImportText.shown(word.utf8)
    }
  }

  /// Takes the units of the headings, then those of the dialect; the columns of a group must agree. Where the dialect has none,
  /// columns without one have that of the first that has.
  mutating func setUnits(of dialect: ImportDialect, isUncalibrated: Bool = false) {
    func strange(_ group: ImportGroup, _ problem: ImportLineProblem) {
      if strangeUnits[group] == nil { strangeUnits[group] = problem }
    }
    for column in columns {
      guard let channel = column.channel else { continue }
      let group = ImportGroup(channel: channel)
      var unit = isUncalibrated && group == .accelerometer ? nil : dialect.unit(of: group)
      if dialect.isOwn, column.unit == nil { unit = nil }
      if let word = column.unit {
        guard let named = ImportUnit(word: word), named.measures(group) else {
          strange(
            group, .unknownUnit(column: column.index + 1, name: column.name, choices: group.choices)
          )
          continue
        }
        unit = named
      } else if unit == nil, !dialect.isOwn {
        unit = columns.lazy.filter { $0.channel.map(ImportGroup.init(channel:)) == group }
          .compactMap { $0.unit.flatMap { ImportUnit(word: $0) } }.first { $0.measures(group) }
      }
      let isFirst = !columns.contains {
        $0.index < column.index && $0.channel.map(ImportGroup.init(channel:)) == group
      }
      if isFirst {
        units[group] = unit
      } else if units[group] != unit {
        strange(group, .mixedUnits(column: column.index + 1, name: column.name))
      }
    }
  }

  /// 0 if the axes x, y and z are an accelerometer's, 3 if they are a gyroscope's.
  private static func shift(_ headings: [ImportHeading], _ dialect: ImportDialect, _ file: String)
    throws(ImportFieldError) -> Int
  {
    let unit = headings.first { dialect.axes[$0.name] != nil }?.unit.flatMap {
      ImportUnit(word: $0)
    }
    if let unit { return unit.measures(.gyroscope) ? 3 : 0 }
    let name = lastPart(of: file)
    // A part of another word, such as "accurate", is none.
    let words = name.split { !$0.isLetter }
    func has(_ long: String, _ short: String) -> Bool {
      words.contains { $0.parts(around: long) != nil || $0.hasSuffix(short) }
    }
    if has("gyro", "gyr") { return 3 }
    guard has("accel", "acc") else { throw ImportFieldError(.unknownSensor) }
    return 0
  }

  private static func lastPart(of file: String) -> String {
    (file.split { "/:".contains($0) }.last ?? "").lowercased()
  }

  private static func leftOut(_ names: [String]) -> String {
    let shown = names.prefix(4).map { "\"\($0)\"" }.joined(separator: ", ")
    let rest = names.count > 4 ? " and \(names.count - 4) more" : ""
    return "\(names.count == 1 ? "a column is" : "columns are") left out: \(shown)\(rest)"
  }

  /// Columns of this program's tables that a log cannot hold.
  private static let ignored = Set(ExportedNames.bounds + ExportedNames.derived)
  /// Those of labels and of rows of gaps.
  private static let ownOthers: Set<String> = ["label", gapName, ticksName]
  /// Those with the cause of a gap and the number of its ticks, and their keys in JSON.
  static let gapName = "gap"
  static let ticksName = "gap_ticks"
}

/// An error in a line, without the name of the file and the number of the line.
struct ImportFieldError: Error {
  let problem: ImportLineProblem

  init(_ problem: ImportLineProblem) {
    self.problem = problem
  }
}
