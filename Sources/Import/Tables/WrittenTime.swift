// SPDX-License-Identifier: Apache-2.0

import Text

/// The parts of a date, a time of day, or both, as they are written.
///
///     2026-11-21T02:38:07.5+01:00   2026/11/21 2:38   20261121_023807.5
///     21.11.2026 02:38:07,5         11/21/2026 02:38:07.5 PM -0400
///     14:05:59.25                   14:05:59:250
struct WrittenTime {
  /// Those of a date, as they follow each other.
  private var numbers: (Int64, Int64, Int64)?
  /// Nanoseconds since midnight; `nil` for a date alone.
  private(set) var time: Int64?
  /// Seconds that the time is ahead of UTC.
  private(set) var offset: Int64?
  /// Whether AM or PM is written.
  private(set) var hasHalf = false
  var hasDate: Bool { numbers != nil }

  private let text: UnsafeRawBufferPointer
  private var place = 0

  /// `nil` if the text, without blanks around it, has none of the forms.
  init?(_ text: UnsafeRawBufferPointer) {
    self.text = text
    let width = digits
    if width > 2 || width == text.count || text[width] != UInt8(ascii: ":") {
      guard width == 8 ? takeCompactDate() : takeDate() else { return nil }
      if place == text.count { return }
      let isMarked = pass("Tt_")
      _ = isMarked || pass(",")
      guard isMarked || passBlanks() else { return nil }
      guard takeTime(isCompact: width == 8 && digits >= 6), takeOffset() else { return nil }
    } else if !takeTime(isCompact: false) {
      return nil
    }
    guard place == text.count else { return nil }
  }

  /// Days since 1970 of the date in an order; `nil` where it is not a date from 1678 to 2261, the years of a log.
  func days(_ order: DateOrder) -> Int64? {
    guard let (first, second, third) = numbers else { return nil }
    let (year, month, day) =
      switch order {
      case .ymd: (first, second, third)
      case .mdy: (third, first, second)
      case .dmy: (third, second, first)
      }
    guard (1678...2261).contains(year) else { return nil }
    return CivilDate.days(year: year, month: month, day: day)
  }

  private mutating func takeDate() -> Bool {
    guard let first = take(1...4), place < text.count, case let mark = text[place],
      "-/.".utf8.contains(mark)
    else { return false }
    place += 1
    guard let second = take(1...2), place < text.count, text[place] == mark else { return false }
    place += 1
    guard let third = take(1...4) else { return false }
    numbers = (first, second, third)
    return true
  }

  /// `20261121`, which must have a time behind it: alone it is a number.
  private mutating func takeCompactDate() -> Bool {
    guard let number = take(8...8) else { return false }
    numbers = (number / 10_000, number / 100 % 100, number % 100)
    return place < text.count
  }

  private mutating func takeTime(isCompact: Bool) -> Bool {
    var (second, fraction): (Int64, Int64) = (0, 0)
    guard let hour = take(isCompact ? 2...2 : 1...2), isCompact || pass(":"),
      let minute = take(2...2)
    else { return false }
    if isCompact || pass(":") {
      guard let found = take(2...2) else { return false }
      second = found
      // A third colon is before milliseconds.
      let isColon = pass(":")
      if isColon || pass(".,") || isCompact && digits > 0 {
        let width = digits
        guard isColon ? width == 3 : (1...12).contains(width), let value = take(width...width)
        else { return false }
        fraction = Decimal(digits: value, exponent: -width).whole(tenTo: 9)?.value ?? 0
      }
    } else if numbers == nil {
      // Hours and minutes, or minutes and seconds.
      return false
    }
    guard let hours = takeHalf(hour), minute < 60, second < 60,
      hours < 24 || minute == 0 && second == 0 && fraction == 0
    else { return false }
    time = ((hours * 60 + minute) * 60 + second) * 1_000_000_000 + fraction
    return true
  }

  /// The hour in 24 of one that may have AM or PM behind it; 24 is the end of the day.
  private mutating func takeHalf(_ hour: Int64) -> Int64? {
    let begin = place
    _ = passBlanks()
    let isAfternoon = place < text.count && text[place] | 0x20 == UInt8(ascii: "p")
    guard pass("aApP"), pass("mM") else {
      place = begin
      return hour <= 24 ? hour : nil
    }
    hasHalf = true
    return (1...12).contains(hour) ? hour % 12 + (isAfternoon ? 12 : 0) : nil
  }

  /// Takes nothing, `Z`, `UTC`, `GMT`, `+01`, `+0100` or `+01:00`, each after blanks or none.
  private mutating func takeOffset() -> Bool {
    _ = passBlanks()
    let rest = String(decoding: text[place...], as: UTF8.self).lowercased()
    if ["", "z", "utc", "gmt"].contains(rest) {
      (offset, place) = (rest.isEmpty ? nil : 0, text.count)
      return true
    }
    let isWest = rest.hasPrefix("-")
    guard pass("+-"), let hours = take(2...2), hours < 24 else { return false }
    var minutes: Int64 = 0
    if place < text.count {
      _ = pass(":")
      guard let found = take(2...2), found < 60 else { return false }
      minutes = found
    }
    offset = (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    return true
  }

  private var digits: Int { text[place...].prefix(while: FieldText.isDigit).count }

  /// A number with so many digits; those after it are left.
  private mutating func take(_ width: ClosedRange<Int>) -> Int64? {
    let count = min(digits, width.upperBound)
    guard count >= width.lowerBound else { return nil }
    defer { place += count }
    return text[place..<place + count].reduce(Int64(0)) {
      $0 * 10 + Int64($1 &- UInt8(ascii: "0"))
    }
  }

  /// Whether one of these bytes was here.
  private mutating func pass(_ bytes: String) -> Bool {
    guard place < text.count, bytes.utf8.contains(text[place]) else { return false }
    place += 1
    return true
  }

  private mutating func passBlanks() -> Bool {
    let begin = place
    while place < text.count, FieldText.isBlank(text[place]) { place += 1 }
    return place > begin
  }
}
