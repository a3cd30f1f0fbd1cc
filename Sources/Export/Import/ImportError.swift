// SPDX-License-Identifier: Apache-2.0

public import IMUModel
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
  /// An error in a line of a table, counted from 1.
  case line(name: String, line: Int, problem: ImportLineProblem)
  /// A table has more than one sample, but its times stand still, so that they give no rate.
  case noRate(name: String)
  /// The times of a table are so far apart, or so close, that no log can hold their rate.
  case rateBeyondLog(name: String)
  /// The rate that was given is not that of a table's times; both are decimal hertz.
  case otherRate(name: String, given: String, found: String)
  /// The file was changed by another program while it was read.
  case changed(name: String)
  /// The phone apps do not write such a document; `what` is a clause that says why.
  case document(name: String, what: String)
  /// A recording of the phone apps has no samples.
  case noSamples(name: String)
}

/// An error in a line of a table. Columns are counted from 1.
public enum ImportLineProblem: Equatable, Sendable {
  /// The header names no column for the time; `found` is the line.
  case noTimeColumn(found: String)
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
  /// A time that is not a number of seconds with at most nine decimals.
  case notSeconds(column: Int, name: String, found: String)
  /// A count beyond 16 bits, or a time beyond 292 years.
  case outOfRange(column: Int, name: String, found: String)
  /// A time before that of the line before it.
  case timeGoesBack(column: Int, name: String, found: String)
  /// On the grid of this rate, decimal hertz, the sample has the same tick as that of the line before it.
  case sharesTick(hertz: String)
  /// On the grid of this rate, decimal hertz, the sample is the first of many that are far from their ticks.
  case late(hertz: String)
  /// The samples from line `since` to this one come at `found` Hz, on a grid of `hertz`; both are decimal. If times are
  /// rounded to about a period, the grid may be a wrong guess.
  case drifts(hertz: String, since: Int, found: String, areRounded: Bool)
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
      return "\(name), line \(line)\(problem.place): \(problem.sentence)"
    case .noRate(let name):
      return "all times in \(name) are the same, so they give no sample rate: give it with --rate"
    case .rateBeyondLog(let name):
      return
        "the times in \(name) make a rate that no log can hold, which is 1/\(UInt32.max) to \(UInt32.max) Hz: "
        + "correct the times, or give the rate with --rate"
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
    }
  }
}

extension ImportLineProblem {
  var place: String {
    switch self {
    case .unknownColumn(let column, _), .repeatedColumn(let column, _): return ", column \(column)"
    case .notAnInteger(let column, let name, _), .notSeconds(let column, let name, _),
      .outOfRange(let column, let name, _), .timeGoesBack(let column, let name, _):
      return ", column \(column) (\(name))"
    case .noTimeColumn, .noAxis, .fieldCount, .blank, .sharesTick, .late, .drifts, .holeTooLong,
      .tooLong:
      return ""
    }
  }

  var sentence: String {
    switch self {
    case .noTimeColumn(let found):
      return
        "no header with a column t_us, t_ns, t_ms or t, but \(quoted(found)): the first line must name the "
        + "columns, such as t_us,ax,ay,az,gx,gy,gz,temp"
    case .noAxis:
      return "the header names no axis: ax, ay, az, gx, gy, gz or temp"
    case .unknownColumn(_, let found):
      return
        "unknown column \(quoted(found)): columns are t_us, t_ns, t_ms or t, and ax, ay, az, gx, gy, gz, temp"
    case .repeatedColumn(_, let found):
      return "\(quoted(found)) is a second column of its kind"
    case .fieldCount(let found, let expected):
      return
        "\(found) \(found == 1 ? "value" : "values") where the header names \(expected) columns"
    case .blank:
      return "the line is blank, and samples follow it"
    case .notAnInteger(_, let name, let found):
      if found.isEmpty { return "the value is missing" }
      let remedy =
        name.hasPrefix("t_")
        ? "a time with decimals goes, in seconds, into a column t"
        : "samples are the sensor's counts (--units raw)"
      return "\(quoted(found)) is not a whole number: \(remedy)"
    case .notSeconds(_, _, let found):
      return found.isEmpty
        ? "the time is missing"
        : "\(quoted(found)) is not a time in seconds with at most nine decimals"
    case .outOfRange(_, let name, let found):
      return name.hasPrefix("t_") || name == "t"
        ? "\(quoted(found)) is beyond the times that a log can hold"
        : "\(quoted(found)) is not within -32768 to 32767"
    case .timeGoesBack(_, _, let found):
      return "the time \(quoted(found)) is before that of the line before it"
    case .sharesTick(let hertz):
      return
        "at \(hertz) Hz its sample and that of the line before it fall on one tick: if it is there twice, leave one "
        + "out; if samples jitter, or their rate is another one, give with --rate the rate at which they were taken"
    case .late(let hertz):
      return
        "at \(hertz) Hz its sample and many others come later than half a period after their ticks: the "
        + "times are those of no fixed rate; give with --rate the rate at which the samples were taken"
    case .drifts(let hertz, let since, let found, let areRounded):
      return
        "from line \(since) to here samples come at about \(found) Hz and not at \(hertz) Hz: "
        + (areRounded
          ? "the times are rounded to about a period; give with --rate the rate at which the samples were taken"
          : "the times are those of no fixed rate; import the parts of the table separately")
    case .holeTooLong:
      return
        "more ticks are missing before its sample than a log can count: import the two parts separately"
    case .tooLong(let limit):
      return "the line is longer than \(limit) bytes: this is no table of samples"
    }
  }

  private func quoted(_ text: String) -> String { "\"\(text)\"" }
}

extension ImportError: StatusError {
  /// Whether the file cannot be read, changes, or holds no samples.
  public var exitStatus: ExitStatus {
    switch self {
    case .file(_, let code): code == ENOENT ? .noInput : .inputOutput
    case .notARegularFile: .noInput
    case .changed: .tryAgain
    default: .damagedData
    }
  }
}
