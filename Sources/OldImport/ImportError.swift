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
  /// A sensor's scale is so large or so small that exports could not write its values; `given` is the option that has it, if
  /// it is not the file's.
  case scaleBeyondExports(name: String, what: String, scale: String, given: String?)
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
  /// An error whose remedy is an option for tables, in a file of an archive, for which that option is refused.
  indirect case packed(ImportError)
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
  /// A gap that has more ticks than there are at the rate, decimal hertz, between the samples around it; `fitting` is `nil`
  /// where it has more than a log can count.
  case gapBeyondTimes(ticks: UInt64, fitting: UInt64?, hertz: String)
  /// A note that a log has no room for.
  case noteTooLong(bytes: Int, limit: Int)
  /// A date where times are numbers; `unit` is that which the header names, if it does.
  case dateAmongNumbers(Int, name: String, found: String, unit: String)
  /// A time beyond 292 years.
  case timeOutOfRange(column: Int, name: String, found: String)
  /// A value that is not a number.
  case notANumber(column: Int, name: String, found: String)
  /// A time that is not a date.
  case notADate(Int, name: String, found: String)
  /// A date in a year that no log can hold.
  case yearOutOfRange(Int, name: String, found: String)
  /// A date with an offset from UTC among dates without one, or the other way round.
  case mixedZones(column: Int, name: String, found: String, hasZone: Bool)
  /// A date in a leap second.
  case leapSecond(Int, name: String, found: String)
  /// A time whose unit nothing says; `choices` are those that are likely, a clause.
  case timeUnitUnknown(Int, name: String, choices: String?)
  /// A number with a decimal comma, in quotes between commas.
  case quotedComma(column: Int, name: String, found: String)
  /// A number with another decimal mark than the first rows of the table, which have the other one or none.
  case otherMark(column: Int, name: String, found: String)
  /// A whole number beyond 16 bits, where the file states a scale and those before it are counts.
  case beyondScaledCounts(column: Int, name: String, found: String)
  /// On the grid of the user's rate, decimal hertz, samples share ticks or are far from them.
  case notAtRate(hertz: String, isShared: Bool)
  /// A column of times whose unit, `found`, is none that is known.
  case unknownTimeUnit(column: Int, name: String, found: String)
  /// Rows of several sensors follow each other, which a column tells.
  case severalSensors(column: Int, name: String, found: String)
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
  /// Columns that look like a sensor's would be left out; `columns` are their names, `choice` the text for `--columns`
  /// that names all to import.
  case sensorLeftOut(columns: String, sensor: String, choice: String)
  /// Columns look like those of a further device; the texts for `--columns` are those of the first device and of this one.
  case otherSensor(columns: String, sensor: String, first: String, other: String)
  /// The header names x, y and z, and the file's name does not say of which sensor.
  case unknownSensor
  /// The header lacks a column that the user named, or no line has one with its number.
  case noColumn(String)
  /// The header has the name of a column that the user named in several `columns`.
  case sharedName(String, columns: String)
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
        "at \(given) Hz the samples of \(name) last longer than the 146 years of a log: give a higher --rate"
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
    case .scaleBeyondExports(let name, let what, let scale, let given):
      return
        "\(what) of \(name) have the scale \(scale) a count, in which exports cannot write them: "
        + (given.map { "give other counts a unit with \($0)" } ?? "correct it in the file")
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
    case .packed(let error):
      return "\(error); --columns is for a table, so unpack the archive, and import that"
    }
  }
}
