// SPDX-License-Identifier: Apache-2.0

public import IMUModel

extension Motion {
  /// The recording in the bytes of a whole CSV file, which errors call `name`.
  ///
  ///     t_us,ax,ay,az,gx,gy,gz,temp
  ///     0,426,-1496,-8280,-1321,915,-697,-4000
  ///
  /// Whole numbers; `t_us` (or `t_ns`) never decreases, and time counts from the first line; `temp`
  /// may be absent, the chip then has 25 °C. Lines end in LF or CR LF; empty lines at the end are
  /// ignored. The counts go into the registers as they are, whatever range is set.
  ///
  /// - Throws: ``MotionFileError`` with the first bad line.
  public init(csv bytes: some Sequence<UInt8>, named name: String) throws(MotionFileError) {
    var lines = Array(bytes).split(separator: 0x0A, omittingEmptySubsequences: false).map {
      $0.last == 0x0D ? $0.dropLast() : $0
    }
    while let last = lines.last, last.isEmpty { lines.removeLast() }
    let layout = try MotionFileLayout(file: name, header: lines.first ?? [])
    guard lines.count > 1 else { throw MotionFileError(file: name, line: 1, problem: .empty) }
    var rows: [Row] = []
    rows.reserveCapacity(lines.count - 1)
    var origin: Int64?
    for (index, line) in lines.enumerated().dropFirst() {
      var row = try layout.row(line, number: index + 1)
      let (time, overflow) = row.time.subtractingReportingOverflow(origin ?? row.time)
      guard !overflow, time >= rows.last?.time ?? 0 else {
        throw layout.error(index + 1, .time(found: layout.text(line.prefix { $0 != 0x2C })))
      }
      origin = origin ?? row.time
      row.time = time
      rows.append(row)
    }
    self.init(shape: .recording(hasTemperature: layout.columns.count == 8), rows: rows)
  }
}

/// The columns of a file of motion.
private struct MotionFileLayout {
  let file: String
  let columns: [String]
  let nanosecondsPerUnit: Int64

  init(file: String, header: ArraySlice<UInt8>) throws(MotionFileError) {
    let header = String(decoding: header, as: UTF8.self)
    self.file = file
    columns = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    nanosecondsPerUnit = columns.first == "t_ns" ? 1 : 1000
    let names = columns.dropFirst()
    guard columns.first == "t_us" || columns.first == "t_ns",
      names.elementsEqual(ChannelSet.names) || names.elementsEqual(ChannelSet.names.dropLast())
    else { throw MotionFileError(file: file, line: 1, problem: .header(found: header)) }
  }

  func row(_ line: ArraySlice<UInt8>, number: Int) throws(MotionFileError) -> Motion.Row {
    let fields = line.split(separator: 0x2C, omittingEmptySubsequences: false)
    guard fields.count == columns.count else {
      throw error(number, .fieldCount(expected: columns.count, found: fields.count))
    }
    let units: Int64 = try value(fields[0], column: 0, line: number)
    let (time, overflow) = units.multipliedReportingOverflow(by: nanosecondsPerUnit)
    guard !overflow else { throw error(number, .time(found: text(fields[0]))) }
    var counts = RawSample()
    for column in 1..<columns.count {
      counts[column - 1] = try value(fields[column], column: column, line: number)
    }
    return Motion.Row(time: time, counts: counts)
  }

  private func value<Number: FixedWidthInteger>(
    _ field: ArraySlice<UInt8>, column: Int, line: Int
  ) throws(MotionFileError) -> Number {
    guard let value = Number(text(field)) else {
      throw error(line, .number(column: columns[column], found: text(field)))
    }
    return value
  }

  func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  func error(_ line: Int, _ problem: MotionFileError.Problem) -> MotionFileError {
    MotionFileError(file: file, line: line, problem: problem)
  }
}

/// An error in a file of motion, and its place.
public struct MotionFileError: Error, Equatable, Sendable {
  /// The kinds of error.
  public enum Problem: Equatable, Sendable {
    /// The first line is not `t_us,ax,ay,az,gx,gy,gz`, with `t_ns` for `t_us` or `,temp` at the end.
    case header(found: String)
    /// A line has another number of fields than the header.
    case fieldCount(expected: Int, found: Int)
    /// A field is not a whole number, or the number does not fit: −32768 to 32767 for counts.
    case number(column: String, found: String)
    /// The time is earlier than that of the line before, or differs from the first by over 292 years.
    case time(found: String)
    /// There is nothing after the header.
    case empty
  }

  /// The file's name, as given.
  public var file: String
  /// The line, from 1.
  public var line: Int
  /// The kind of error.
  public var problem: Problem

  /// An error in a line of a file.
  public init(file: String, line: Int, problem: Problem) {
    self.file = file
    self.line = line
    self.problem = problem
  }
}

extension MotionFileError: CustomStringConvertible {
  /// One clause, such as `motion.csv, line 3: gy is "x", not a whole number from -32768 to 32767`.
  public var description: String {
    "\(file), line \(line): \(problem.meaning)"
  }
}

extension MotionFileError.Problem {
  private var header: String { "t_us,ax,ay,az,gx,gy,gz[,temp]" }

  fileprivate var meaning: String {
    switch self {
    case .header(let found):
      return "the header is \"\(found)\"; \(header) is needed (or t_ns)"
    case .fieldCount(let expected, let found):
      return "\(found) fields, but the header has \(expected)"
    case .number("t_us", let found), .number("t_ns", let found):
      return "the time is \"\(found)\", not a whole number"
    case .number(let column, let found):
      return "\(column) is \"\(found)\", not a whole number from -32768 to 32767"
    case .time(let found):
      return "the time \(found) is earlier than the line before, or too far from the first line"
    case .empty:
      return "no samples follow the header"
    }
  }
}

extension MotionFileError: StatusError {
  /// The file holds no valid motion.
  public var exitStatus: ExitStatus { .damagedData }
}
