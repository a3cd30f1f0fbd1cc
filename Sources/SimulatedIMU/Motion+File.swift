// SPDX-License-Identifier: Apache-2.0

public import IMUModel

extension Motion {
  /// The recording in the bytes of a whole CSV file, which errors call `name`.
  ///
  ///     t_us,ax,ay,az,gx,gy,gz,temp
  ///     0,426,-1496,-8280,-1321,915,-697,-4000
  ///
  /// Whole numbers; `t_us` (or `t_ns`) never decreases, and time counts from the first line; without `temp` the chip has
  /// 25 °C. Lines end in LF or CR LF; empty lines at the end are ignored. The counts go into the registers as they are,
  /// whatever range is set and however the chip's axes lie.
  ///
  /// - Throws: ``MotionFileError`` with the first bad line.
  public init(csv bytes: some Sequence<UInt8>, named name: String) throws(MotionFileError) {
    var lines = Array(bytes).split(separator: 0x0A, omittingEmptySubsequences: false).map {
      $0.last == 0x0D ? $0.dropLast() : $0
    }
    while let last = lines.last, last.isEmpty { lines.removeLast() }
    let layout = try MotionFileLayout(file: name, header: lines.first ?? [])
    guard lines.count > 1 else { throw layout.error(1, "no samples follow the header") }
    var rows: [Row] = []
    rows.reserveCapacity(lines.count - 1)
    var origin: Int64?
    for (index, line) in lines.enumerated().dropFirst() {
      var row = try layout.row(line, number: index + 1)
      let (time, overflow) = row.time.subtractingReportingOverflow(origin ?? row.time)
      guard !overflow, time >= rows.last?.time ?? 0 else {
        throw layout.timeError(line.prefix { $0 != 0x2C }, line: index + 1)
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
    else {
      throw error(
        1, "the header is \"\(header)\"; t_us,ax,ay,az,gx,gy,gz[,temp] is needed (or t_ns)")
    }
  }

  func row(_ line: ArraySlice<UInt8>, number: Int) throws(MotionFileError) -> Motion.Row {
    let fields = line.split(separator: 0x2C, omittingEmptySubsequences: false)
    guard fields.count == columns.count else {
      throw error(number, "\(fields.count) fields, but the header has \(columns.count)")
    }
    let units: Int64 = try value(fields[0], column: 0, line: number)
    let (time, overflow) = units.multipliedReportingOverflow(by: nanosecondsPerUnit)
    guard !overflow else { throw timeError(fields[0], line: number) }
    var counts = RawSample()
    for column in 1..<columns.count {
      counts[column - 1] = try value(fields[column], column: column, line: number)
    }
    return Motion.Row(time: time, counts: counts)
  }

  private func value<Number: FixedWidthInteger>(
    _ field: ArraySlice<UInt8>, column: Int, line: Int
  ) throws(MotionFileError) -> Number {
    let text = String(decoding: field, as: UTF8.self)
    guard let value = Number(text) else {
      throw error(
        line,
        column == 0
          ? "the time is \"\(text)\", not a whole number"
          : "\(columns[column]) is \"\(text)\", not a whole number from -32768 to 32767")
    }
    return value
  }

  func timeError(_ field: ArraySlice<UInt8>, line: Int) -> MotionFileError {
    let text = String(decoding: field, as: UTF8.self)
    return error(
      line, "the time \(text) is earlier than the line before, or too far from the first line")
  }

  func error(_ line: Int, _ problem: String) -> MotionFileError {
    MotionFileError(file: file, line: line, problem: problem)
  }
}

/// An error in a file of motion, and its place.
public struct MotionFileError: StatusError {
  let file: String
  /// From 1.
  let line: Int
  let problem: String

  /// One clause, such as `motion.csv, line 3: gy is "x", not a whole number from -32768 to 32767`.
  public var description: String { "\(file), line \(line): \(problem)" }

  /// The file holds no valid motion.
  public var exitStatus: ExitStatus { .damagedData }
}
