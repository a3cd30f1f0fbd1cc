// SPDX-License-Identifier: Apache-2.0

import Glibc
import Text

/// The first rows of a table, which tell what its header does not: the decimal mark, the unit of times, and whether
/// values are counts.
struct ImportSniff {
  /// Rows that are looked at, without those of gaps.
  static let limit = 64

  /// Those so far.
  private(set) var rows = 0

  private var times: [[UInt8]] = []
  /// The values of the first row that has all of them.
  private var values: [[UInt8]]?
  private var hasComma = false
  /// The first value that may have a comma between thousands, such as `1,160`; whether one has a decimal comma.
  private var thousands: [UInt8]?
  /// The temperatures.
  private var temperatures: [[UInt8]] = []
  private var hasDecimalComma = false
  /// Whether a value is no whole number of 16 bits.
  private var hasOther = false

  /// The texts that followed each other in columns that may tell of which sensor a row is, by the column's place; one that
  /// comes back is there again.
  private var turns: [Int: [[UInt8]]] = [:]
  /// Sensors whose rows may follow each other: of more texts, the column has values.
  private static let mostSensors = 16

  /// Adds the fields of a row.
  mutating func add(_ cells: [UnsafeRawBufferPointer], _ layout: ImportLayout) {
    for index in layout.instances.lazy.map(\.index) where index < cells.count {
      let text = ImportSniff.unquoted(ImportText.trimmed(cells[index]))
      if !text.isEmpty, text != turns[index]?.last { turns[index, default: []].append(text) }
    }
    guard let last = layout.columns.last, last.index < cells.count else {
      rows += 1
      return
    }
    var values: [[UInt8]] = []
    for column in layout.columns {
      let cell = ImportSniff.unquoted(cells[column.index])
      if column.channel == nil {
        if times.count < ImportSniff.limit { times.append(cell) }
        if layout.separator != UInt8(ascii: ","), cell.contains(UInt8(ascii: ",")),
          case .number = cell.withUnsafeBytes({ ImportNumber($0, mark: UInt8(ascii: ",")) })
        {
          takeComma(cell)
        }
      } else {
        values.append(cell)
        if column.channel.map(ImportGroup.init(channel:)) == .temperature, !cell.isEmpty {
          temperatures.append(cell)
        }
        if layout.separator != UInt8(ascii: ",") { takeComma(cell) }
      }
    }
    let isWhole = values.allSatisfy { cell -> Bool in
      switch cell.withUnsafeBytes({ ImportNumber($0, mark: hasComma ? 0x2C : 0x2E) }) {
      case .number(let number):
        if !ImportSniff.isWhole(cell) || !(-32768...32767).contains(number.value) {
          hasOther = true
        }
        return true
      case .tooLarge:
        hasOther = true
        return true
      case .missing, .none: return false
      }
    }
    // Rows of gaps have none.
    guard values.contains(where: { !$0.isEmpty }) else { return }
    rows += 1
    if self.values == nil, isWhole || layout.isStrict { self.values = values }
  }

  /// Refuses rows of several sensors, which take turns, unless the user names the columns.
  private func refuseSeveral(_ layout: inout ImportLayout) throws(ImportFieldError) {
    for column in layout.instances {
      let turns = turns[column.index] ?? []
      var names: [[UInt8]] = []
      for name in turns where !names.contains(name) { names.append(name) }
      // Of a column that names no sensor, a text that comes back but once may be that of another part of the recording.
      let isVague = ["i", "id"].contains(column.name.lowercased())
      let most = isVague ? 2 * names.count : names.count
      guard names.count <= ImportSniff.mostSensors, turns.count > most else { continue }
      let shown = names.map { "\"\(ImportText.shown($0))\"" }.joined(separator: ", ")
      guard layout.areNamed else {
        throw ImportFieldError(
          .severalSensors(column: column.index + 1, name: column.name, found: shown))
      }
      layout.remarks.append(
        "rows with \(shown) in column \(column.index + 1) (\(column.name)) take turns: if they are of several sensors, take those "
          + "of one into a table of its own")
    }
  }

  private mutating func takeComma(_ cell: [UInt8]) {
    guard let place = cell.firstIndex(of: UInt8(ascii: ",")) else { return }
    hasComma = true
    let digits = cell[..<place].drop { "+-".utf8.contains($0) }
    let isThousands =
      1...3 ~= digits.count && digits.first != UInt8(ascii: "0") && cell.count - place == 4
      && digits.allSatisfy(ImportText.isDigit)
      && cell[(place + 1)...].allSatisfy(ImportText.isDigit)
    if !isThousands {
      hasDecimalComma = true
    } else if thousands == nil {
      thousands = cell
    }
  }

  /// Completes a layout by the rows, after the units that the user names.
  ///
  /// - Throws: That the header has a unit of times that is not known, where they are numbers, or that it has none and they
  ///   do not tell.
  func complete(_ layout: inout ImportLayout, _ units: ImportUnits?) throws(ImportFieldError) {
    try refuseSeveral(&layout)
    if hasComma { layout.decimalMark = UInt8(ascii: ",") }
    if let thousands, !hasDecimalComma {
      layout.remarks.append(
        "\"\(ImportText.shown(thousands))\" is taken as a number with a decimal comma; if the comma is between thousands, "
          + "remove it")
    }
    if let time = units?.time {
      let form = layout.timeForm.changed(to: time)
      if case .number = layout.timeForm, layout.timeForm != form {
        layout.remarks.append(
          ImportSniff.contradiction("times", layout.timeForm.undated.name, time.name))
      }
      layout.timeForm = form
    } else if let word = layout.strangeTimeUnit, !numbers(layout).isEmpty {
      let column = layout.timeColumn
      throw ImportFieldError(
        .unknownTimeUnit(column: column.index + 1, name: column.name, found: word))
    }
    let isTimeGuessed = layout.timeForm == .unknown
    if isTimeGuessed { try guessTime(&layout) }
    if layout.timeForm == .date {
      let first = times.first { $0.withUnsafeBytes { ImportTimeParser.date($0) } != nil }
      layout.hasZone = first?.withUnsafeBytes { ImportTimeParser.hasZone($0) }
    }
    if layout.program != "imulog", layout.hasZone == false {
      layout.remarks.append("its dates name no time zone: they are taken as UTC")
    }
    settleDated(&layout, isGuess: isTimeGuessed)
    let areWhole = values?.allSatisfy(ImportSniff.isWhole) ?? true
    for group in layout.groups {
      if let problem = layout.strangeUnits[group] {
        // Two units are two scales, whatever is given for both.
        if case .mixedUnits = problem { throw ImportFieldError(problem) }
        guard let unit = units?[group] else { throw ImportFieldError(problem) }
        layout.remarks.append(
          "the unit of its \(group.name) in the header is not known: they are taken in \(unit.sign), as --units says"
        )
        layout.units[group] = unit
      } else if let unit = units?[group] {
        if let named = layout.facts.units[group] ?? layout.units[group], named != unit {
          layout.remarks.append(ImportSniff.contradiction(group.name, named.sign, unit.sign))
        }
        layout.units[group] = unit
      } else if let unit = layout.facts.units[group] {
        layout.units[group] = unit
      } else if layout.units[group] == nil,
        areWhole || group == .temperature && areTemperaturesCounts(layout)
      {
        layout.units[group] = .count
        // A gcsv says what its counts are.
        if !layout.isStrict || !areWhole, layout.program != "Gyroflow" {
          layout.remarks.append(ImportSniff.guess(group))
          layout.guessedCounts.insert(group)
        }
      } else if group == .temperature, layout.units[group] == nil, areBeyondChips(layout) {
        layout.remarks.append(
          "its temperatures are taken in °C, and no chip has such ones: if they are of another unit, leave their column out"
        )
      }
    }
    if layout.program == "Gyroflow" { settleGyroflow(&layout, units) }
  }

  /// Whether temperatures beside other values are counts: whole ones that no chip has in °C.
  private func areTemperaturesCounts(_ layout: ImportLayout) -> Bool {
    temperatures.allSatisfy(ImportSniff.isWhole) && areBeyondChips(layout)
  }

  private func areBeyondChips(_ layout: ImportLayout) -> Bool {
    temperatures.contains { cell in
      guard
        case .number(let number) = cell.withUnsafeBytes({
          ImportNumber($0, mark: layout.decimalMark)
        })
      else { return false }
      return abs(number.value) > ImportGroup.temperature.mostOfAnyChip
    }
  }

  /// Settles whether times count from 1970: they do from 10⁹ s on, which is in 2001, whatever names their column, since no
  /// computer runs for 31 years. Shorter ones are from anywhere, but for this program's own seconds since 1970.
  private func settleDated(_ layout: inout ImportLayout, isGuess: Bool) {
    guard case .number(let power, let factor, let isNamed) = layout.timeForm,
      let first = numbers(layout).first
    else { return }
    if factor > 1, layout.program != "Gyroflow" {
      layout.remarks.append(
        "its times are in \(layout.timeForm.undated.name), each \(factor) s long, and converted exactly"
      )
    }
    let seconds = first.value * Double(factor) * pow(10, Double(power - 9))
    if seconds >= 1e9 {
      layout.timeForm = layout.timeForm.dated
      // A gcsv's date is that of its first time, which is a date itself here.
      if layout.program == "Gyroflow", let date = layout.facts.started {
        layout.facts.started = nil
        if abs(Double(date) / 1e9 - seconds) > 1 {
          layout.remarks.append(
            "it has two dates: its timestamp is \(RFC3339.text(nanoseconds: date)), and its times are later or earlier; the "
              + "times are taken")
        }
      }
    } else if layout.program != "imulog" {
      layout.timeForm = layout.timeForm.undated
    }
    let name = layout.timeForm.name
    if isGuess {
      let remark =
        "the unit of its times is not named: they are taken as \(name); if they are others, name the unit with --units "
        + ImportTimeForm.choices
      layout.remarks.append(remark)
      layout.timeGuess = remark
    } else if layout.isDated, !isNamed {
      layout.remarks.append("its times are so large that they are taken as \(name)")
    }
  }

  /// The values of a gcsv are counts if the first rows' are whole numbers of 16 bits; other numbers are multiplied with
  /// the scales that it states. What the user names counts for more.
  private func settleGyroflow(_ layout: inout ImportLayout, _ units: ImportUnits?) {
    let rate = layout.facts.rateScale
    let acceleration = layout.facts.accelerationScale
    if !hasOther {
      layout.facts.gyroscopeScale = ImportRatio.nearest(
        to: (rate?.value ?? 1) * 180 / .pi, among: ImportKnownScales.gyroscope)
      layout.facts.accelerometerScale = ImportRatio.nearest(
        to: acceleration?.value ?? 1, among: ImportKnownScales.accelerometer)
      layout.units.gyroscope = units?.gyroscope ?? .count
      layout.units.accelerometer = units?.accelerometer ?? .count
      return
    }
    if units?.gyroscope == nil {
      let areDegrees = rate.map { abs($0.value * 180 / .pi - 1) < 1e-5 } ?? false
      layout.units.gyroscope = areDegrees ? .degreePerSecond : .radianPerSecond
      if !areDegrees, rate?.value != 1 { layout.valueFactors[.gyroscope] = rate }
    }
    if units?.accelerometer == nil {
      layout.units.accelerometer = .g
      if acceleration?.value != 1 { layout.valueFactors[.accelerometer] = acceleration }
    }
  }

  /// Takes times as dates, or in the unit that ``ImportTimeGuess`` finds.
  ///
  /// - Throws: That two units are as likely.
  private func guessTime(_ layout: inout ImportLayout) throws(ImportFieldError) {
    guard let first = times.first else { return layout.timeForm = .seconds }
    if first.withUnsafeBytes({ ImportTimeParser.date($0) }) != nil {
      return layout.timeForm = .date
    }
    let guess = ImportTimeGuess(
      numbers(layout).map(\.value), areWhole: times.allSatisfy(ImportSniff.isWhole))
    guard let form = guess.form else {
      let column = layout.timeColumn
      throw ImportFieldError(
        .timeUnitUnknown(column.index + 1, name: column.name, choices: guess.choices))
    }
    layout.timeForm = form
  }

  /// The times of the rows that are numbers.
  private func numbers(_ layout: ImportLayout) -> [ImportDecimal] {
    times.compactMap { time in
      guard
        case .number(let number) = time.withUnsafeBytes({
          ImportNumber($0, mark: layout.decimalMark)
        })
      else { return nil }
      return number
    }
  }

  private static func contradiction(_ what: String, _ named: String, _ given: String) -> String {
    "its \(what) are in \(named) by its header, its facts or its kind; --units says \(given), which is taken"
  }

  private static func guess(_ group: ImportGroup) -> String {
    "the unit of its \(group.name) is not named, and they are whole numbers: they are taken as counts; if they are "
      + "others, name the unit with --units: \(group.choices)"
  }

  private static func isWhole(_ cell: [UInt8]) -> Bool {
    guard case .number(let number) = cell.withUnsafeBytes({ ImportNumber($0) }) else {
      return !cell.contains(UInt8(ascii: ","))
    }
    return !number.isScientific && !cell.contains(UInt8(ascii: "."))
  }

  private static func unquoted(_ cell: UnsafeRawBufferPointer) -> [UInt8] {
    cell.filter { $0 != UInt8(ascii: "\"") }
  }
}
