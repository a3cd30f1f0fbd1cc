// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Glibc

/// Why a file could not be imported.
public enum ImportError: Error, Equatable, Sendable {
  /// The file could not be opened or read; `code` is the kernel's errno.
  case file(name: String, code: Int32)
  /// It is a directory, a pipe or a device: it cannot be read twice.
  case notARegularFile(name: String)
  /// It is empty.
  case empty(name: String)
  /// It is text in another encoding, such as UTF-16, or no text.
  case notUTF8(name: String)
  /// An error in a line of a table, or in a value of JSON.
  case line(name: String, line: ImportPlace, problem: ImportLineProblem)
  /// A table has more than one sample, but its times stand still, so that they give no rate.
  case noRate(name: String)
  /// The times of a table are so far apart, or so close, that no log can hold their rate.
  case rateBeyondLog(name: String)
  /// The samples of a table without times last too long at the rate that was given, decimal hertz.
  case rateTooLow(name: String, given: String)
  /// The rate that was given is not that of a table's times; both are decimal hertz.
  case otherRate(name: String, given: String, found: String)
  /// The file was changed by another program while it was read.
  case changed(name: String)
  /// The phone apps do not write such a document; `what` is a clause that says why.
  case document(name: String, what: String)
  /// A recording has no samples.
  case noSamples(name: String)
  /// It begins with bytes of 0, `count` of them or more, or has no others.
  case zeros(name: String, count: UInt64, areAll: Bool)
  /// Nothing says in which unit the values of a sensor are; `choices` are those for `--units`.
  case unitsUnknown(name: String, what: String, choices: String)
  /// An error in a ZIP archive, at a byte of it; `what` is a clause.
  case zip(name: String, offset: UInt64, what: String)
  /// A value needs more than 16 bits in the scale that was given.
  case beyondScale(name: String, what: String, found: String)
  /// The unit that is assumed for a sensor makes values that no chip measures.
  case guessBeyondChips(name: String, what: String, unit: String, reached: String, choices: String)
  /// A table has no column of times, and no rate was given.
  case noTimes(name: String)
  /// Every row lacks a value; the first of them is in `line`.
  case noWholeRow(name: String, rows: UInt64, line: ImportPlace)
  /// A known kind of file that is not read, or not as the given kind; `remedy` is a clause.
  case otherFormat(name: String, format: String, remedy: String, as: ImportFormat? = nil)
  /// Lines end with CR alone.
  case carriageReturns(name: String)
  /// A document of a later version of this program.
  case newerDocument(name: String, schema: String)
  /// Two tables are not one recording.
  case notJoined(first: String, second: String, why: String)
  /// An error that a wrong guess may have caused; `guess` is the remark about it.
  indirect case guessed(ImportError, guess: String)
}

/// An error in a line of a table. Columns are counted from 1.
public enum ImportLineProblem: Equatable, Sendable {
  /// The header names no column for the time; `found` is the line.
  case noTimeColumn(found: String)
  /// A row of JSON has no key for the time; `found` is the row.
  case noTimeKey(found: String)
  /// The header names axes and no time.
  case noTime
  /// The header names no axis.
  case noAxis
  /// The header names an unknown column.
  case unknownColumn(column: Int, found: String)
  /// The header names a column again, or a second time column.
  case repeatedColumn(column: Int, found: String)
  /// Fewer or more values than the header names columns.
  case fieldCount(found: Int, expected: Int)
  /// A blank line with samples after it.
  case blank
  /// A value that is not a whole number.
  case notAnInteger(column: Int, name: String, found: String)
  /// A time that is not a number.
  case notATime(column: Int, name: String, found: String)
  /// A count beyond 16 bits.
  case outOfRange(column: Int, name: String, found: String)
  /// A value that no sensor has.
  case valueOutOfRange(column: Int, name: String, found: String)
  /// Text that is not JSON.
  case notJSON
  /// JSON of another kind than the one that must be there.
  case otherKind(of: String, expected: String, found: String)
  /// Bytes of 0 in a line.
  case zeros
  /// A line in which quotes are odd in number.
  case openQuote
  /// The file ends within a value or a list.
  case endsInside
  /// An object lacks a member.
  case noMember(String)
  /// A value that was not there in an earlier pass.
  case changed
  /// A row of a gap whose cause is unknown, or whose ticks are no number.
  case notAGap(found: String)
  /// A time beyond 292 years.
  case timeOutOfRange(column: Int, name: String, found: String)
  /// A value that is not a number.
  case notANumber(column: Int, name: String, found: String)
  /// A time that is not a date.
  case notADate(Int, name: String, found: String)
  /// A date in a year that no log can hold.
  case yearOutOfRange(Int, name: String, found: String)
  /// A date in a leap second.
  case leapSecond(Int, name: String, found: String)
  /// A time whose unit nothing says; `choices` are those that are likely, a clause.
  case timeUnitUnknown(Int, name: String, choices: String?)
  /// About twice as many values as columns, as decimal commas between commas make.
  case decimalComma(found: Int, expected: Int)
  /// A column whose unit is not one of its sensor.
  case unknownUnit(column: Int, name: String, choices: String)
  /// A column in another unit than one of the same sensor before it.
  case mixedUnits(column: Int, name: String)
  /// The file states an unknown unit for a column, or one of another sensor.
  case unknownStatedUnit(column: String, found: String, choices: String)
  /// The file states another unit for a column than for `other`, a column of the same sensor or the preamble.
  case mixedStatedUnits(column: String, found: String, other: String, unit: String)
  /// Columns that look like a sensor's would be left out; `columns` are their names.
  case sensorLeftOut(columns: String, sensor: String)
  /// The header names x, y and z, and the file's name does not say of which sensor.
  case unknownSensor
  /// The header lacks a column that the user named.
  case noColumn(String)
  /// The axes are in an unknown order.
  case unknownOrientation(found: String)
  /// A time before that of the row before it.
  case timeGoesBack(column: Int, name: String, found: String)
  /// On the grid of this rate, decimal hertz, the sample has the same tick as that of the row before it.
  case sharesTick(hertz: String)
  /// On the grid of this rate, decimal hertz, the sample is the first of many that are far from their ticks.
  case late(hertz: String)
  /// The samples from line `since` to this one come at `found` Hz, on a grid of `hertz`; both are decimal. If times are
  /// rounded to about a period, the grid may be a wrong guess.
  case drifts(hertz: String, since: ImportPlace, found: String, areRounded: Bool)
  /// More ticks are missing before the sample than a log can count.
  case holeTooLong
  /// The line is longer than any line of a table.
  case tooLong(limit: Int)
}

extension ImportError: CustomStringConvertible {
  /// One sentence with the remedy where there is one.
  public var description: String {
    switch self {
    case .file(let name, let code):
      return "cannot read \(name): \(Errno.meaning(code))"
    case .notARegularFile(let name):
      return "\(name) is not a regular file: save its contents to a file and import that"
    case .empty(let name):
      return "\(name) is empty: there is nothing to import"
    case .notUTF8(let name):
      return "\(name) is not text in UTF-8: save it in that encoding and import that"
    case .line(let name, let line, let problem):
      let place = line.byte == nil ? problem.column : problem.key
      return "\(name), \(line)\(place): \(problem.sentence)"
    case .noRate(let name):
      return "all times in \(name) are the same, so they give no sample rate: give it with --rate"
    case .rateBeyondLog(let name):
      return
        "the times in \(name) make a rate that no log can hold, which is 1/\(UInt32.max) to \(UInt32.max) Hz: "
        + "correct the times, or give the rate with --rate"
    case .rateTooLow(let name, let given):
      return
        "at \(given) Hz the samples of \(name) last longer than the 292 years of a log: give a higher --rate"
    case .otherRate(let name, let given, let found):
      return
        "the times in \(name) are those of about \(found) Hz and not of \(given) Hz: "
        + "correct --rate or leave it out"
    case .changed(let name):
      return "\(name) was changed while it was read: import it again when no program writes to it"
    case .document(let name, let what):
      return "\(name) is not a recording of the phone apps: \(what)"
    case .noSamples(let name):
      return "the recording in \(name) has no samples: there is nothing to import"
    case .zeros(let name, let count, let areAll):
      return
        "\(name) \(areAll ? "consists of" : "begins with") \(count) bytes of 0, as blocks that a card "
        + "lost have: fetch the file again, or restore it from another copy"
    case .unitsUnknown(let name, let what, let choices):
      return
        "nothing in \(name) says in which unit its \(what) are: name it with --units: \(choices), or si, g-dps"
    case .zip(let name, let offset, let what):
      return "\(name), byte \(offset): \(what)"
    case .beyondScale(let name, let what, let found):
      return
        "\(what) of \(name) reach \(found), which needs more than 16 bits in the given scale: give fewer counts a "
        + "unit, or leave the option out"
    case .guessBeyondChips(let name, let what, let unit, let reached, let choices):
      return
        "\(what) of \(name) in \(unit), which is assumed, would reach \(reached), which no chip measures: name "
        + "their unit with --units: \(choices), or si, g-dps"
    case .noTimes(let name):
      return
        "\(name) has no column of times that is known: give with --rate the rate at which the samples were taken, "
        + "or name the column with --columns"
    case .noWholeRow(let name, let rows, let line):
      return
        "the recording in \(name) has no samples: \(rows == 1 ? "its row has" : "each of its \(rows) rows has") a column "
        + "without a value, the first is \(line); if sensors have rows of their own, import those of one with "
        + "--columns"
    case .otherFormat(let name, let format, let remedy, let given):
      let how = given.map { " as \($0.rawValue)" } ?? ""
      return "\(name) is \(format), which import does not read\(how): \(remedy)"
    case .carriageReturns(let name):
      return "the lines of \(name) end with CR alone: save it with LF or CR LF and import that"
    case .newerDocument(let name, let schema):
      return
        "\(name) is of schema \(schema), which a later version of imulog writes: import it with that version"
    case .notJoined(let first, let second, let why):
      return
        "\(first) and \(second) are not two tables of one recording: \(why); import them separately"
    case .guessed(let error, let guess):
      return "\(error); \(guess)"
    }
  }
}

extension ImportLineProblem {
  /// Where it is in a line of a table.
  var column: String {
    guard let (column, name) = field else { return "" }
    return name.map { ", column \(column) (\($0))" } ?? ", column \(column)"
  }

  /// Where it is in an object of JSON, which has no columns.
  var key: String { field?.name.map { ", key \($0)" } ?? "" }

  /// The column that it is about, and its name, if the sentence does not have it.
  private var field: (column: Int, name: String?)? {
    switch self {
    case .unknownColumn(let column, _), .repeatedColumn(let column, _): return (column, nil)
    case .notAnInteger(let column, let name, _), .notATime(let column, let name, _),
      .outOfRange(let column, let name, _), .timeGoesBack(let column, let name, _),
      .valueOutOfRange(let column, let name, _), .timeOutOfRange(let column, let name, _),
      .notANumber(let column, let name, _), .notADate(let column, let name, _),
      .yearOutOfRange(let column, let name, _), .leapSecond(let column, let name, _),
      .timeUnitUnknown(let column, let name, _), .unknownUnit(let column, let name, _),
      .mixedUnits(let column, let name):
      return (column, name)
    case .noTimeColumn, .noTimeKey, .noTime, .openQuote, .noAxis, .fieldCount, .blank, .sharesTick,
      .late, .drifts,
      .holeTooLong, .notAGap,
      .tooLong, .changed, .notJSON, .otherKind, .zeros, .endsInside, .noMember, .decimalComma,
      .unknownSensor,
      .sensorLeftOut, .unknownStatedUnit, .mixedStatedUnits,
      .noColumn, .unknownOrientation:
      return nil
    }
  }

  var sentence: String {
    switch self {
    case .noTimeColumn(let found):
      return
        "no header that is known, but \(quoted(found)): the first line must name the columns, such as "
        + "t_us,ax,ay,az,gx,gy,gz,temp; name those of another program with --columns"
    case .noTimeKey(let found):
      return
        "no keys that are known, but \(quoted(found)): a row must name its values, such as {\"t_us\":0,\"ax\":1,\"ay\":2}; "
        + "name the keys of another program with --columns"
    case .noTime:
      return
        "the header names axes and no time: give with --rate the rate at which the samples were taken, or name the "
        + "time's column with --columns"
    case .noAxis:
      return "the header names no axis: ax, ay, az, gx, gy, gz or temp"
    case .unknownColumn(_, let found):
      return
        "unknown column \(quoted(found)): columns are t_us, t_ns, t_ms or t, and ax, ay, az, gx, gy, gz, temp; choose "
        + "those of another program with --columns"
    case .repeatedColumn(_, let found):
      return
        "\(quoted(found)) is a second column of its kind: name the one to import with --columns"
    case .fieldCount(let found, let expected):
      return
        "\(found) \(found == 1 ? "value" : "values") where the header names \(expected) columns: "
        + "complete the line or take it out"
    case .blank:
      return "the line is blank, and samples follow it: take it out"
    case .notAnInteger(_, _, let found):
      if found.isEmpty { return missing("value") }
      return
        "\(quoted(found)) is not a whole number: samples are the sensor's counts (--units raw)"
    case .notATime(_, _, let found):
      return found.isEmpty
        ? missing("time")
        : "\(quoted(found)) is not a time: times are numbers, or dates in a column with such a name; correct it"
    case .outOfRange(_, _, let found):
      return
        "\(quoted(found)) is not within -32768 to 32767: counts have 16 bits; if values are in units, name them with "
        + "--units"
    case .valueOutOfRange(_, _, let found):
      return "\(quoted(found)) is beyond any sensor"
    case .notJSON:
      return "this is not valid JSON: correct it, or fetch the file again"
    case .otherKind(let value, let expected, let found):
      return "\(value) must be \(expected), and \(found) is there: correct it"
    case .openQuote:
      return "a quote here has no other half: correct it; a value is never on several lines"
    case .zeros:
      return
        "there are bytes of 0 here, as blocks that a card lost have: fetch the file again, or take them out"
    case .endsInside:
      return "the file ends here, inside a value or a list: it is cut off, so fetch it again"
    case .notAGap(let found):
      return
        "\(quoted(found)) is no gap: its cause must be one of \(GapCause.allCases.map(\.name).joined(separator: ", ")), and "
        + "its ticks a whole number above 0"
    case .noMember(let name):
      return
        "the object has no \(quoted(name)) that is a number or a text: complete it, or take it out"
    case .changed:
      return
        "the value is another one than before: import the file again when no program writes to it"
    case .timeOutOfRange(_, _, let found):
      return "\(quoted(found)) is beyond the times that a log can hold"
    case .notANumber(_, _, let found):
      return found.isEmpty
        ? missing("value") : "\(quoted(found)) is not a number: correct it or take the row out"
    case .notADate(_, _, let found):
      return
        "\(quoted(found)) is not a date and a time of day such as 2026-11-21 02:38:07.123 or 2026-11-21T02:38:07+01:00, in 24 "
        + "hours: write times so, or as seconds"
    case .yearOutOfRange(_, _, let found):
      return "\(quoted(found)) is not in the years that a log holds, 1678 to 2261: correct it"
    case .leapSecond(_, _, let found):
      return
        "\(quoted(found)) is a leap second, which times since 1970 have no place for: write it as second 59, or as "
        + "second 0 of the next minute"
    case .timeUnitUnknown(_, _, let choices):
      return
        "nothing says in which unit times are\(choices.map { ", and \($0)" } ?? ""): name it with --units s, ms, us or ns"
    case .decimalComma(let found, let expected):
      return
        "\(found) values where the header names \(expected) columns, as decimal commas between commas make: write the "
        + "table with decimal points, or with semicolons between values"
    case .unknownUnit(_, _, let choices):
      return "the unit of the column is unknown: units are \(choices)"
    case .mixedUnits:
      return "the unit of the column is not that of the same sensor's column before it"
    case .unknownStatedUnit(let column, let found, let choices):
      return
        "the unit \(quoted(found)) of \(column) is none of its sensor: units are \(choices); correct it"
    case .mixedStatedUnits(let column, let found, let other, let unit):
      return
        "the unit of \(column) is \(quoted(found)) and that of \(other) is \(quoted(unit)): a sensor's columns have one "
        + "unit; correct it"
    case .sensorLeftOut(let columns, let sensor):
      return
        "the columns \(columns) look like a sensor's \(sensor), under names that are not known: name all columns to "
        + "import with --columns"
    case .unknownSensor:
      return
        "the header names x, y and z, and the file's name does not say of which sensor: name the columns, such as "
        + "--columns time=time,ax=x,ay=y,az=z"
    case .noColumn(let found):
      return
        "no column \(found) of --columns is in the header: give names as the header writes them, or numbers from 1"
    case .unknownOrientation(let found):
      return "the orientation \(quoted(found)) is not three of the letters x, y and z, each once"
    case .timeGoesBack(_, _, let found):
      return
        "the time \(quoted(found)) is before that of the row before it: sort the rows by time, or import the parts "
        + "separately"
    case .sharesTick(let hertz):
      return
        "at \(hertz) Hz its sample and that of the row before it fall on one tick: if it is there twice, leave one "
        + "out; if samples jitter, or their rate is another one, give with --rate the rate at which they were taken"
    case .late(let hertz):
      return
        "at \(hertz) Hz its sample and many others come later than half a period after their ticks: the "
        + "times are those of no fixed rate; give with --rate the rate at which the samples were taken"
    case .drifts(let hertz, let since, let found, let areRounded):
      return
        "from \(since) to here samples come at about \(found) Hz and not at \(hertz) Hz: "
        + (areRounded
          ? "the times are rounded to about a period; give with --rate the rate at which the samples were taken"
          : "the times are those of no fixed rate; import the parts of the table separately")
    case .holeTooLong:
      return
        "more ticks are missing before its sample than a log can count: import the two parts separately"
    case .tooLong(let limit):
      return "this is longer than \(limit) bytes, and so no table of samples"
    }
  }

  private func missing(_ what: String) -> String {
    "the \(what) is missing: complete the row or take it out"
  }

  private func quoted(_ text: String) -> String { "\"\(text)\"" }
}
