import IMUModel

extension Motion {
  /// The recording in the bytes of a CSV file.
  ///
  ///     t_us,ax,ay,az,gx,gy,gz,temp
  ///     0,426,-1496,-8280,-1321,915,-697,-4000
  ///
  /// Whole numbers; `t_us` (or `t_ns`) never decreases, and time counts from the first line; `temp`
  /// may be absent, the chip then has 25 °C. Lines end in LF or CR LF; empty lines at the end are
  /// ignored. The counts go into the registers as they are, whatever range is set.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - name: What errors call the file.
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
    self.init(kind: .recording(rows: rows, hasTemperature: layout.columns.count == 8))
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
