// SPDX-License-Identifier: Apache-2.0

import Text

struct TimeForm {
  /// As seconds or dates; `nil` for whole nanoseconds.
  var kind: ExportTime?
  /// Nanoseconds that are added to each time: those since 1970 at tick 0's deadline for dates, else 0.
  var origin: Int64 = 0
  /// Nanoseconds since 1970 at tick 0's deadline, for sentences; `nil` where they are not known.
  var started: Int64?
  var format = ExportFormat.csv

  /// Refuses a time that 64 bits do not hold with the origin: before 1677 and after 2262.
  func check(_ time: Int64) throws(ExportError) {
    guard time.addingReportingOverflow(origin).overflow else { return }
    throw .timeNotHeld(at: time, started: started, format: format)
  }
}

/// Writes times of samples, and keeps the digits of the whole seconds from one sample to the next.
struct TimeText {
  private var second: Int64 = -1
  private var head: PackedText.Words = (0, 0, 0)

  /// The most bytes that a time touches, whatever its form.
  static let room = 48

  /// Writes `nanoseconds` in decimal and returns the number of bytes.
  ///
  /// Safe: `output` must have ``room`` bytes and `groups` the 1000 words of `DecimalText.groups`. Whole
  /// seconds have at most 10 digits, copied as 16 bytes; three words of 4 bytes follow, the last of which
  /// ends one byte after the text: 10 + 9 + 1 and 16 are both within 24.
  @inline(__always)
  mutating func write(
    _ nanoseconds: Int64, to output: UnsafeMutableRawPointer, groups: UnsafePointer<UInt32>
  ) -> Int {
    guard nanoseconds >= 1_000_000_000 else {
      return DecimalText.write(nanoseconds, to: output, groups: groups)
    }
    let whole = UInt64(bitPattern: nanoseconds) / 1_000_000_000
    if Int64(bitPattern: whole) != second { remember(Int64(bitPattern: whole)) }
    let length = PackedText.copy(head, to: output)
    let rest = UInt32(truncatingIfNeeded: UInt64(bitPattern: nanoseconds) &- whole &* 1_000_000_000)
    let thousands = rest / 1000
    let first = groups[Int(thousands / 1000)].littleEndian
    let middle = groups[Int(thousands % 1000)].littleEndian
    let last = groups[Int(rest % 1000)].littleEndian
    output.storeBytes(of: first, toByteOffset: length, as: UInt32.self)
    output.storeBytes(of: middle, toByteOffset: length + 3, as: UInt32.self)
    output.storeBytes(of: last, toByteOffset: length + 6, as: UInt32.self)
    return length + 9
  }

  @inline(never)
  private mutating func remember(_ whole: Int64) {
    second = whole
    head = PackedText.words(String(whole))
  }
}

/// Writes times as seconds or dates, and keeps the text of the whole second from one sample to the next.
///
///     2026-11-21T02:38:07 │ .123456789 │ Z
///     -12                 │ .123456789 │
struct DateText {
  private let form: ExportTime
  /// The second that ``text`` is of: counted from 1970 or tick 0, towards zero for seconds, downwards for dates.
  private var second: Int64?
  private var isNegative = false
  private var head: (first: PackedText.Words, rest: PackedText.Words) = ((0, 0, 0), (0, 0, 0))
  private var zone: PackedText.Words = (0, 0, 0)

  init(_ form: ExportTime) {
    self.form = form
  }

  private var isNumber: Bool { form == .seconds || form == .unix }

  /// Writes a time, and returns the number of bytes.
  ///
  /// Safe: `output` must have ``TimeText/room`` bytes and `groups` the 1000 words of `DecimalText.groups`. A head has at
  /// most 20 characters, copied as 32 bytes; a point, nine decimals and the byte after them follow, then a zone of at most
  /// 6 characters copied as 16: 20 + 10 + 16 and 32 are both within 48.
  @inline(never)
  mutating func write(
    _ nanoseconds: Int64, to output: UnsafeMutableRawPointer, groups: UnsafePointer<UInt32>
  ) -> Int {
    var (whole, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if fraction < 0 {
      if isNumber {
        fraction = -fraction
      } else {
        (whole, fraction) = (whole - 1, fraction + 1_000_000_000)
      }
    }
    if second != whole || isNegative != (nanoseconds < 0) {
      remember(whole, isNegative: nanoseconds < 0)
    }
    var length = PackedText.copy(head.first, to: output)
    length += PackedText.copy(head.rest, to: output + length)
    output.storeBytes(of: UInt8(ascii: "."), toByteOffset: length, as: UInt8.self)
    length += 1
    for divisor: Int64 in [1_000_000, 1000, 1] {
      let group = groups[Int(fraction / divisor % 1000)].littleEndian
      output.storeBytes(of: group, toByteOffset: length, as: UInt32.self)
      length += 3
    }
    return length + PackedText.copy(zone, to: output + length)
  }

  private mutating func remember(_ whole: Int64, isNegative: Bool) {
    (second, self.isNegative) = (whole, isNegative)
    var text = "\(isNegative ? "-" : "")\(whole.magnitude)"
    if !isNumber {
      let offset = form == .local ? LocalTime.offset(at: whole) : 0
      // Within the years of an Int64 of nanoseconds, but for a time zone at their very end.
      text = RFC3339.text(second: whole + offset)
      zone = PackedText.words(form == .utc ? "Z" : LocalTime.zone(offset))
    }
    head = (PackedText.words(text.prefix(16)), PackedText.words(text.dropFirst(16)))
  }
}
