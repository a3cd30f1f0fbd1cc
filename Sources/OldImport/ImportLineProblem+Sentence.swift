// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

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
      .dateAmongNumbers(let column, let name, _, _),
      .yearOutOfRange(let column, let name, _), .leapSecond(let column, let name, _),
      .timeUnitUnknown(let column, let name, _), .unknownUnit(let column, let name, _),
      .unknownTimeUnit(let column, let name, _), .severalSensors(let column, let name, _),
      .quotedComma(let column, let name, _),
      .mixedZones(let column, let name, _, _),
      .beyondScaledCounts(let column, let name, _), .otherMark(let column, let name, _),
      .mixedUnits(let column, let name):
      return (column, name)
    case .noTimeColumn, .noTimeKey, .noTime, .openQuote, .noAxis, .fieldCount, .blank, .sharesTick,
      .notAtRate,
      .late, .drifts,
      .holeTooLong, .notAGap, .gapBeyondTimes,
      .tooLong, .changed, .notJSON, .otherKind, .zeros, .endsInside, .noMember, .decimalComma,
      .unknownSensor,
      .sensorLeftOut, .otherSensor, .unknownStatedUnit, .mixedStatedUnits,
      .noColumn, .sharedName, .unknownOrientation, .noteTooLong:
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
        "\(Plain.count(found, "value")) where the header names \(expected) columns: "
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
      return "\(quoted(found)) is beyond any sensor: correct it or take the row out"
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
    case .gapBeyondTimes(let ticks, let fitting, let hertz):
      let ticks = "its gap has \(Plain.count(ticks, "tick")), "
      guard let fitting else {
        return ticks + "more than a log can count: correct the number, or take the gap out"
      }
      return
        ticks
        + "and at \(hertz) Hz the times around it leave \(fitting): correct the number, the times or --rate, or take the gap out"
    case .noMember(let name):
      return
        "the object has no \(quoted(name)) that is a number or a text: complete it, or take it out"
    case .changed:
      return
        "the value is another one than before: import the file again when no program writes to it"
    case .timeOutOfRange(_, _, let found):
      return
        "\(quoted(found)) is beyond the times that a log can hold: correct it or take the row out"
    case .notANumber(_, _, let found):
      return found.isEmpty
        ? missing("value") : "\(quoted(found)) is not a number: correct it or take the row out"
    case .notADate(_, _, let found):
      return
        "\(quoted(found)) is not a date and a time of day such as 2026-11-21 02:38:07.123 or 2026-11-21T02:38:07+01:00, in 24 "
        + "hours: write times so, or as seconds"
    case .dateAmongNumbers(_, let name, let found, let unit):
      return
        "\(quoted(found)) is a date, and the column \(quoted(name)) has numbers, which are \(unit) by its header or its first "
        + "rows: if all times are dates, rename the column to time; else write this one as a number"
    case .noteTooLong(let bytes, let limit):
      return
        "its note has \(bytes) bytes, and \(limit) fit into a recording: give a shorter one with --note, or shorten it"
    case .yearOutOfRange(_, _, let found):
      return "\(quoted(found)) is not in the years that a log holds, 1678 to 2261: correct it"
    case .leapSecond(_, _, let found):
      return
        "\(quoted(found)) is a leap second, which times since 1970 have no place for: write it as second 59, or as "
        + "second 0 of the next minute"
    case .timeUnitUnknown(_, _, let choices):
      return
        "nothing says in which unit times are\(choices.map { ", and \($0)" } ?? ""): name it with --units "
        + ImportTimeForm.choices
    case .mixedZones(_, _, let found, let hasZone):
      return
        "the date \(quoted(found)) has \(hasZone ? "an" : "no") offset from UTC, and those before it have \(hasZone ? "none" : "one"): "
        + "write one in all rows, or in none"
    case .quotedComma(_, _, let found):
      return
        "\(quoted(found)) has a decimal comma, and commas are between the values: write the table with decimal points, or "
        + "with semicolons between values"
    case .otherMark(_, _, let found):
      let (mark, other) = found.contains(",") ? ("comma", "points") : ("point", "commas")
      return
        "\(quoted(found)) has a decimal \(mark), and the first rows of the table have decimal \(other) or none: write all "
        + "numbers with one mark"
    case .beyondScaledCounts(_, _, let found):
      return
        "\(quoted(found)) is not within -32768 to 32767, and the values before it are counts of 16 bits: write values "
        + "with a decimal point, as 70000.0, for another scale than the file's"
    case .notAtRate(let hertz, let isShared):
      return
        (isShared
        ? "at \(hertz) Hz, the given rate, its sample and that of the row before it fall on one tick"
        : "at \(hertz) Hz, the given rate, its sample and many others come later than half a period after their ticks")
        + ": the times are too coarse or too uneven for that rate, or it is another one; correct --rate, or leave the "
        + "times out by naming the axes alone with --columns, so that --rate places the samples"
    case .severalSensors(_, _, let found):
      return
        "rows of several sensors follow each other, \(found): take those of one into a table of its own, or name the columns "
        + "with --columns if they are of one"
    case .unknownTimeUnit(_, _, let found):
      return
        "the unit \(quoted(found)) of times is unknown: name it with --units \(ImportTimeForm.choices); if it is none of these, "
        + "convert the times, or name the axes alone with --columns and give --rate"
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
    case .sensorLeftOut(let columns, let sensor, let choice):
      return
        "the columns \(columns) look like a sensor's \(sensor), under names that are not known: name all columns to "
        + "import with --columns, such as --columns \(choice)"
    case .otherSensor(let columns, let sensor, let first, let other):
      return
        "the columns \(columns) look like the \(sensor) of another sensor, and a recording has one sensor: import each by "
        + "itself, with --columns \(first) and with --columns \(other)"
    case .unknownSensor:
      return
        "the header names x, y and z, and the file's name does not say of which sensor: name the columns, such as "
        + "--columns time=time,ax=x,ay=y,az=z"
    case .noColumn(let found) where found.first != "\"":
      return
        "there is no column \(found) of --columns: count them from 1, as commas, semicolons, tabs or single blanks separate "
        + "them"
    case .sharedName(let found, let columns):
      return
        "the header has \(found) of --columns in columns \(columns): give the number of the right one"
    case .noColumn(let found):
      return
        "no column \(found) of --columns is in the header: give names as the header writes them, or numbers from 1"
    case .unknownOrientation(let found):
      return "the orientation \(quoted(found)) is not three of the letters x, y and z, each once"
    case .timeGoesBack(_, _, let found):
      return
        "the time \(quoted(found)) is before that of the row before it: where a clock was set back or a counter began "
        + "again, import what is before and from here separately; if only rows are out of order, sort them by time"
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
        "a log holds 146 years before and after 0, and 2⁵⁸ ticks, and it is further: correct it, or import the parts separately"
    case .tooLong(let limit):
      return
        "this is longer than \(limit) bytes, and so no table of samples: import the table itself, with a line for each "
        + "sample"
    }
  }

  private func missing(_ what: String) -> String {
    "the \(what) is missing: complete the row or take it out"
  }

  private func quoted(_ text: String) -> String { "\"\(text)\"" }
}
