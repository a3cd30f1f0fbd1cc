// SPDX-License-Identifier: Apache-2.0

import Text

/// Parses lines of plain numbers, as nearly all of a table are.
///
///     0.010,-12,8190,"x",9.81E-3     digits, a sign before them, a point among them, a power of ten after them
///
/// What is unusual in any way (quotes, blanks, a missing value, an error) is left to ``RowParser``,
/// which knows what it means.
struct PlainRow {
  fileprivate enum Kind {
    case other
    /// The cause of a gap, which a row of values does not have.
    case empty
    case time
    case count
    case value
  }

  fileprivate struct Field {
    var kind = Kind.other
    var channel = 0
    var isReversed = false
  }

  /// By the field's place in a row.
  private let fields: [Field]
  private let separator: UInt8
  private let mark: UInt8
  /// Of ten, from the unit of times to nanoseconds.
  private let power: Int
  private let hasTime: Bool

  /// `nil` for rows of other shapes, for dates and scaled times, and for rows that state more than a time and values.
  init?(
    _ syntax: Syntax, _ columns: [Understanding.Column], _ units: [Group: Unit], _ times: TimeForm?
  ) {
    guard syntax.shape == .lines, case .number(let power, factor: 1) = times ?? .nanoseconds else {
      return nil
    }
    (separator, mark, self.power) = (syntax.separator, syntax.decimalMark, power)
    hasTime = times != nil
    var fields = [Field](repeating: Field(), count: syntax.fieldCount)
    for column in columns {
      switch column.role {
      case .time where times != nil: fields[column.index].kind = .time
      case .channel(let channel, let isReversed):
        let isCount = units[Group(channel: channel)] == .count
        fields[column.index] = Field(
          kind: isCount ? .count : .value, channel: channel, isReversed: isReversed)
      case .gap: fields[column.index].kind = .empty
      case .tick, .mark: return nil
      case .time, .date, .gapTicks, .leftOut, .open: break
      }
    }
    self.fields = fields
  }

  /// The time of a line, whose values are then in `numbers`; `nil` if something is unusual.
  func parse(_ line: UnsafeRawBufferPointer, _ numbers: inout [Decimal]) -> Int64? {
    var (place, time) = (0, hasTime ? nil : 0 as Int64?)
    for (index, field) in fields.enumerated() {
      guard passBefore(index, line, &place) else { return nil }
      guard field.kind != .other else {
        guard pass(line, &place) else { return nil }
        continue
      }
      guard field.kind != .empty else {
        guard isEnd(of: line, place) else { return nil }
        continue
      }
      guard let number = number(line, &place) else { return nil }
      switch field.kind {
      case .time:
        guard let found = nanoseconds(number) else { return nil }
        time = found
      case .count:
        guard number.exponent == 0, !number.hasMark, !number.isScientific else { return nil }
        let digits = field.isReversed ? -number.digits : number.digits
        guard Int16(exactly: digits) != nil else { return nil }
        numbers[field.channel] = Decimal(digits: digits, exponent: 0)
      case .value, .other, .empty:
        let digits = field.isReversed ? -number.digits : number.digits
        let value = Decimal(
          digits: digits, exponent: number.exponent, isScientific: number.isScientific)
        let isSmall = number.exponent <= 0 && digits.magnitude < 1_000_000_000
        guard isSmall || value.value.magnitude < 1e9 else { return nil }
        numbers[field.channel] = value
      }
    }
    return place == line.count ? time : nil
  }

  /// The time of a line, of which nothing after it is looked at; `nil` if something is unusual.
  func time(_ line: UnsafeRawBufferPointer) -> Int64? {
    guard hasTime else { return 0 }
    var place = 0
    for (index, field) in fields.enumerated() {
      guard passBefore(index, line, &place) else { return nil }
      if field.kind == .time {
        guard let number = number(line, &place), isEnd(of: line, place) else { return nil }
        return nanoseconds(number)
      }
      guard field.kind != .empty || isEnd(of: line, place) else { return nil }
      guard pass(line, &place) else { return nil }
    }
    return nil
  }

  /// Whether a field ends at a place.
  private func isEnd(of line: UnsafeRawBufferPointer, _ place: Int) -> Bool {
    place == line.count || line[place] == separator
  }

  private struct Number {
    var digits: Int64
    var exponent: Int
    var hasMark: Bool
    var isScientific: Bool
  }

  /// Up to 18 digits, up to the next separator or the end.
  @inline(__always)
  private func number(_ line: UnsafeRawBufferPointer, _ place: inout Int) -> Number? {
    var (digits, count, decimals) = (Int64(0), 0, -1)
    let isNegative = place < line.count && line[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    while place < line.count {
      let byte = line[place]
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10 {
        digits = digits &* 10 &+ Int64(digit)
        count += 1
        if decimals >= 0 { decimals += 1 }
      } else if byte == mark, decimals < 0 {
        decimals = 0
      } else {
        // What must be there is compared next.
        break
      }
      place += 1
    }
    guard count > 0, count <= 18 else { return nil }
    var number = Number(
      digits: isNegative ? -digits : digits, exponent: -max(0, decimals), hasMark: decimals >= 0,
      isScientific: false)
    if place < line.count, line[place] | 0x20 == UInt8(ascii: "e") {
      guard let power = power(line, &place) else { return nil }
      number.exponent += power
      number.isScientific = true
    }
    return number
  }

  /// The power of ten at an `e`: one to three digits.
  @inline(__always)
  private func power(_ line: UnsafeRawBufferPointer, _ place: inout Int) -> Int? {
    place += 1
    guard place < line.count else { return nil }
    let isNegative = line[place] == UInt8(ascii: "-")
    if isNegative || line[place] == UInt8(ascii: "+") { place += 1 }
    var (power, count) = (0, 0)
    while place < line.count, count < 4 {
      let digit = line[place] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      power = power * 10 + Int(digit)
      count += 1
      place += 1
    }
    guard (1...3).contains(count) else { return nil }
    return isNegative ? -power : power
  }

  /// Whether what is before a field is here.
  @inline(__always)
  private func passBefore(_ field: Int, _ line: UnsafeRawBufferPointer, _ place: inout Int) -> Bool
  {
    guard field > 0 else { return true }
    guard place < line.count, line[place] == separator else { return false }
    place += 1
    return true
  }

  /// Whether a field that is not imported has no quotes, among which a separator could be.
  @inline(__always)
  private func pass(_ line: UnsafeRawBufferPointer, _ place: inout Int) -> Bool {
    while place < line.count, line[place] != separator {
      if line[place] == UInt8(ascii: "\"") { return false }
      place += 1
    }
    return true
  }

  private func nanoseconds(_ number: Number) -> Int64? {
    let shift = power + number.exponent
    guard shift <= 18, shift >= -18 else { return nil }
    if shift < 0 {
      let (time, rest) = number.digits.quotientAndRemainder(
        dividingBy: Decimal.wholePowers[-shift])
      // What is rounded is said elsewhere.
      return rest == 0 ? time : nil
    }
    let (time, overflow) = number.digits.multipliedReportingOverflow(
      by: Decimal.wholePowers[shift])
    return overflow ? nil : time
  }
}
