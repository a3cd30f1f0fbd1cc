import IMUModel

/// Parses the lines of a table after its header.
struct ImportRowParser {
  let columns: ImportColumns

  /// The time and counts of a line.
  ///
  /// - Complexity: one pass over the line, without allocation unless something is wrong.
  func parse(_ line: UnsafeRawBufferPointer) throws(ImportFieldError) -> (
    time: Int64, sample: RawSample
  ) {
    var sample = RawSample()
    var time: Int64 = 0
    var begin = 0
    let count = columns.kinds.count
    for index in 0..<count {
      var end = begin
      while end < line.count, line[end] != UInt8(ascii: ",") { end += 1 }
      let isLastField = end == line.count
      guard isLastField == (index == count - 1) else { throw fieldCount(line) }
      let field = UnsafeRawBufferPointer(rebasing: line[begin..<end])
      switch columns.kinds[index] {
      case .channel(let channel): sample[channel] = try self.count(field, index)
      case .time(let unit): time = try self.time(field, unit, index)
      case .seconds: time = try seconds(field, index)
      }
      begin = end + 1
    }
    return (time, sample)
  }

  /// Whether a line is blank.
  static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    line.allSatisfy(isBlank)
  }

  private func fieldCount(_ line: UnsafeRawBufferPointer) -> ImportFieldError {
    let commas = line.reduce(0) { $0 + ($1 == UInt8(ascii: ",") ? 1 : 0) }
    return ImportFieldError(.fieldCount(found: commas + 1, expected: columns.kinds.count))
  }

  private func count(_ field: UnsafeRawBufferPointer, _ index: Int) throws(ImportFieldError)
    -> Int16
  {
    switch ImportRowParser.integer(field) {
    case .value(let value):
      if let count = Int16(exactly: value) { return count }
      throw outOfRange(field, index)
    case .tooLarge: throw outOfRange(field, index)
    case .none: throw notAnInteger(field, index)
    }
  }

  private func time(_ field: UnsafeRawBufferPointer, _ unit: Int64, _ index: Int)
    throws(ImportFieldError) -> Int64
  {
    switch ImportRowParser.integer(field) {
    case .value(let value):
      let (time, overflow) = value.multipliedReportingOverflow(by: unit)
      if !overflow { return time }
      throw outOfRange(field, index)
    case .tooLarge: throw outOfRange(field, index)
    case .none: throw notAnInteger(field, index)
    }
  }

  /// Decimal seconds, by filling the decimals up to nine and reading the digits as nanoseconds.
  private func seconds(_ field: UnsafeRawBufferPointer, _ index: Int) throws(ImportFieldError)
    -> Int64
  {
    let text = ImportRowParser.trimmed(field)
    let parts = text.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? Array(parts[1]) : []
    guard let whole = parts.first, whole.last.map(ImportRowParser.isDigit) == true,
      parts.count == 1 || (1...9).contains(fraction.count)
    else { throw notSeconds(field, index) }
    let zeros = repeatElement(UInt8(ascii: "0"), count: 9 - fraction.count)
    let digits = Array(whole) + fraction + zeros
    switch digits.withUnsafeBytes({ ImportRowParser.integer($0) }) {
    case .value(let value): return value
    case .tooLarge: throw outOfRange(field, index)
    case .none: throw notSeconds(field, index)
    }
  }

  private enum Number {
    case value(Int64)
    case tooLarge
    case none
  }

  /// A whole number with an optional minus sign, blanks around it allowed.
  private static func integer(_ field: UnsafeRawBufferPointer) -> Number {
    let text = trimmed(field)
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = isNegative ? UnsafeRawBufferPointer(rebasing: text[1...]) : text
    guard !digits.isEmpty else { return .none }
    // Counted downwards, since there is one more negative number than positive ones.
    var value: Int64 = 0
    var isTooLarge = false
    for byte in digits {
      guard isDigit(byte) else { return .none }
      let (shifted, first) = value.multipliedReportingOverflow(by: 10)
      let (next, second) = shifted.subtractingReportingOverflow(Int64(byte &- UInt8(ascii: "0")))
      isTooLarge = isTooLarge || first || second
      value = next
    }
    guard !isTooLarge, isNegative || value != .min else { return .tooLarge }
    return .value(isNegative ? value : -value)
  }

  private static func trimmed(_ field: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var (begin, end) = (0, field.count)
    while begin < end, isBlank(field[begin]) { begin += 1 }
    while end > begin, isBlank(field[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: field[begin..<end])
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private func notAnInteger(_ field: UnsafeRawBufferPointer, _ index: Int) -> ImportFieldError {
    ImportFieldError(
      .notAnInteger(column: index + 1, name: columns.names[index], found: ImportText.shown(field)))
  }

  private func notSeconds(_ field: UnsafeRawBufferPointer, _ index: Int) -> ImportFieldError {
    ImportFieldError(
      .notSeconds(column: index + 1, name: columns.names[index], found: ImportText.shown(field)))
  }

  private func outOfRange(_ field: UnsafeRawBufferPointer, _ index: Int) -> ImportFieldError {
    ImportFieldError(
      .outOfRange(column: index + 1, name: columns.names[index], found: ImportText.shown(field)))
  }
}
