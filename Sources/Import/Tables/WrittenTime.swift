// SPDX-License-Identifier: Apache-2.0

import Text

/// The parts of a date, a time of day, or both, as they are written.
///
///     2026-11-21T02:38:07.5+01:00   2026/11/21 2:38   20261121_023807.5
///     21.11.2026 02:38:07,5         11/21/2026 02:38:07.5 PM -0400
///     14:05:59.25                   14:05:59:250
struct WrittenTime {
  /// Those of a date, as they follow each other.
  private var numbers: (Int64, Int64, Int64) = (0, 0, 0)
  private var isYearFirst = false
  private(set) var hasDate = false
  /// Nanoseconds since midnight; `nil` for a date alone.
  private(set) var time: Int64?
  /// Seconds that the time is ahead of UTC.
  private(set) var offset: Int64?
  /// Whether AM or PM is written.
  private(set) var hasHalf = false
  /// Whether digits below a nanosecond were rounded.
  private(set) var isRounded = false
  private(set) var isLeap = false

  private let text: UnsafeRawBufferPointer
  private var place = 0

  /// `nil` if the text, without blanks around it, is none of the forms.
  init?(_ text: UnsafeRawBufferPointer) {
    self.text = text
    let digits = countDigits()
    let mark = digits < text.count ? text[digits] : 0
    if digits <= 2, mark == UInt8(ascii: ":") {
      guard takeTime(isCompact: false) else { return nil }
    } else {
      let isCompact = digits == 8
      guard isCompact ? takeCompactDate() : takeDate(mark) else { return nil }
      hasDate = true
      guard place < text.count else { return }
      guard passMark(), takeTime(isCompact: isCompact && countDigits() >= 6) else { return nil }
      takeOffset()
    }
    guard place == text.count else { return nil }
  }

  /// Days since 1970 of the date in an order: `nil` where it is none, `nil` within for a year that no log holds.
  func days(_ order: DateOrder) -> Int64?? {
    guard hasDate, isYearFirst == (order == .ymd) else { return .none }
    let (year, month, day) =
      switch order {
      case .ymd: (numbers.0, numbers.1, numbers.2)
      case .mdy: (numbers.2, numbers.0, numbers.1)
      case .dmy: (numbers.2, numbers.1, numbers.0)
      }
    guard let days = CivilDate.days(year: year, month: month, day: day) else { return .none }
    return .some((1678...2261).contains(year) ? days : nil)
  }

  private mutating func takeDate(_ mark: UInt8) -> Bool {
    let length = countDigits()
    guard length == 4 || length == 1 || length == 2,
      mark == UInt8(ascii: "-") || mark == UInt8(ascii: "/") || mark == UInt8(ascii: "."),
      let first = take(1...4), pass(mark), let second = take(1...2), pass(mark),
      let third = take(length == 4 ? 1...2 : 4...4)
    else { return false }
    (numbers, isYearFirst) = ((first, second, third), length == 4)
    return true
  }

  /// `20261121`, which must have a time behind it: alone it is a number.
  private mutating func takeCompactDate() -> Bool {
    guard let number = take(8...8), place < text.count else { return false }
    (numbers, isYearFirst) = ((number / 10_000, number / 100 % 100, number % 100), true)
    return true
  }

  /// Whether what stands between a date and a time is here: T, `_`, or blanks after a comma or none.
  private mutating func passMark() -> Bool {
    if passAny("Tt_") { return true }
    _ = pass(UInt8(ascii: ","))
    let begin = place
    passBlanks()
    return place > begin
  }

  private mutating func takeTime(isCompact: Bool) -> Bool {
    var second: Int64 = 0
    guard let hour = take(isCompact ? 2...2 : 1...2), isCompact || pass(UInt8(ascii: ":")),
      let minute = take(2...2)
    else { return false }
    var fraction: Int64 = 0
    if isCompact || pass(UInt8(ascii: ":")) {
      guard let found = take(2...2) else { return false }
      second = found
      let isMarked = passAny(".,")
      // A third colon is before milliseconds.
      if isMarked || isCompact && countDigits() > 0 {
        guard takeFraction(&fraction, 1...12) else { return false }
      } else if pass(UInt8(ascii: ":")) {
        guard takeFraction(&fraction, 3...3) else { return false }
      }
    }
    guard let hours = takeHalf(hour), minute < 60, second <= 60,
      hours < 24 || minute == 0 && second == 0 && fraction == 0
    else { return false }
    isLeap = second == 60
    time = ((hours * 60 + minute) * 60 + second) * 1_000_000_000 + fraction
    return true
  }

  private mutating func takeFraction(_ fraction: inout Int64, _ width: ClosedRange<Int>) -> Bool {
    let count = countDigits()
    guard width.contains(count), let value = take(count...count) else { return false }
    let unit = Decimal.wholePowers[abs(9 - count)]
    guard count > 9 else {
      fraction = value * unit
      return true
    }
    let (whole, rest) = value.quotientAndRemainder(dividingBy: unit)
    fraction = whole + (2 * rest >= unit ? 1 : 0)
    isRounded = rest != 0
    return true
  }

  /// The hour in 24 of one that may have AM or PM behind it; 24 is the end of the day.
  private mutating func takeHalf(_ hour: Int64) -> Int64? {
    let begin = place
    passBlanks()
    guard place + 1 < text.count, text[place + 1] | 0x20 == UInt8(ascii: "m"),
      case let letter = text[place] | 0x20,
      letter == UInt8(ascii: "a") || letter == UInt8(ascii: "p")
    else {
      place = begin
      return hour <= 24 ? hour : nil
    }
    place += 2
    hasHalf = true
    guard (1...12).contains(hour) else { return nil }
    return hour % 12 + (letter == UInt8(ascii: "p") ? 12 : 0)
  }

  /// Takes `Z`, `UTC`, `GMT`, `+01`, `+0100` or `+01:00`, each after blanks or none.
  private mutating func takeOffset() {
    passBlanks()
    let rest = text[place...]
    if ["z", "utc", "gmt"].contains(where: { $0.utf8.elementsEqual(rest.lazy.map { $0 | 0x20 }) }) {
      (offset, place) = (0, text.count)
      return
    }
    let isWest = rest.first == UInt8(ascii: "-")
    guard passAny("+-"), let hours = take(2...2) else { return }
    _ = pass(UInt8(ascii: ":"))
    let minutes = place == text.count && text[place - 1] != UInt8(ascii: ":") ? 0 : take(2...2)
    guard let minutes, hours < 24, minutes < 60 else { return place = 0 }
    offset = (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
  }

  private func countDigits() -> Int { text[place...].prefix(while: FieldText.isDigit).count }

  /// A number with so many digits; those after it are left.
  private mutating func take(_ width: ClosedRange<Int>) -> Int64? {
    let count = min(countDigits(), width.upperBound)
    guard count >= width.lowerBound else { return nil }
    let value = text[place..<place + count].reduce(Int64(0)) {
      $0 * 10 + Int64($1 &- UInt8(ascii: "0"))
    }
    place += count
    return value
  }

  private mutating func pass(_ byte: UInt8) -> Bool {
    guard place < text.count, text[place] == byte else { return false }
    place += 1
    return true
  }

  private mutating func passAny(_ bytes: String) -> Bool {
    guard place < text.count, bytes.utf8.contains(text[place]) else { return false }
    place += 1
    return true
  }

  private mutating func passBlanks() {
    while place < text.count, FieldText.isBlank(text[place]) { place += 1 }
  }
}
