// SPDX-License-Identifier: Apache-2.0

import Testing
import Text

@Suite("Dates as RFC 3339")
struct RFC3339Tests {
  @Test(
    "known instants",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
      (951_782_400_000_000_000, "2000-02-29T00:00:00Z"),
      (951_868_799_999_000_000, "2000-02-29T23:59:59.999Z"),
      (4_107_542_400_000_000_000, "2100-03-01T00:00:00Z"),
      (1_795_228_687_123_456_000, "2026-11-21T02:38:07.123456Z"),
      (1_795_228_687_000_000_001, "2026-11-21T02:38:07.000000001Z"),
      (1_795_228_687_100_000_000, "2026-11-21T02:38:07.100Z"),
      (Int64.max, "2262-04-11T23:47:16.854775807Z"),
      (Int64.min, "1677-09-21T00:12:43.145224192Z"),
    ] as [(Int64, String)])
  func known(_ nanoseconds: Int64, _ text: String) {
    #expect(RFC3339.text(nanoseconds: nanoseconds) == text)
    if nanoseconds > .min / 2, nanoseconds < .max / 2 {
      #expect(RFC3339.nanoseconds(text) == nanoseconds)
    }
  }

  @Test("every day of 220 years follows the one before it")
  func everyDay() {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var (year, month, day) = (1890, 1, 1)
    var instant: Int64 = -2_524_521_600_000_000_000
    var wrong: [String] = []
    while year < 2111 {
      func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
      let expected = "\(year)-\(padded(month))-\(padded(day))T00:00:00Z"
      if RFC3339.text(nanoseconds: instant) != expected { wrong.append(expected) }
      if RFC3339.nanoseconds(expected) != instant { wrong.append(expected) }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      day += 1
      if day > lengths[month - 1] + (month == 2 && isLeap ? 1 : 0) { (day, month) = (1, month + 1) }
      if month > 12 { (month, year) = (1, year + 1) }
      instant += 86_400_000_000_000
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(3))")
  }

  @Test(
    "offsets from UTC and short fractions are read",
    arguments: [
      ("2026-11-21T02:38:07+09:00", -32_400), ("2026-11-21t02:38:07-00:30", 1800),
      ("2026-11-21 02:38:07z", 0),
    ] as [(String, Int64)])
  func offsets(_ text: String, _ seconds: Int64) {
    #expect(RFC3339.nanoseconds(text) == 1_795_228_687_000_000_000 + seconds * 1_000_000_000)
    #expect(RFC3339.nanoseconds("1970-01-01T00:00:00.5Z") == 500_000_000)
  }

  @Test(
    "everything else is refused",
    arguments: [
      "", "2026-11-21", "2026-11-21T02:38:07", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-21T24:00:00Z",
      "2026-11-21T02:60:00Z", "2026-11-21T02:38:60Z", "2026-11-21T02:38:07.Z",
      "2026-11-21T02:38:07.1234567890Z", "2026-11-21T02:38:07ZZ", "+026-11-21T02:38:07Z",
      "1600-01-01T00:00:00Z", "2026-11-21T02:38:07+9:00", "２026-11-21T02:38:07Z",
    ])
  func refused(_ text: String) {
    #expect(RFC3339.nanoseconds(text) == nil)
  }
}

@Suite("Local times")
struct LocalTimeTests {
  @Test("beyond the calendar have no text, and are those of UTC")
  func beyond() {
    #expect(LocalTime.text(seconds: .max) == "?" && LocalTime.offset(at: .max) == 0)
  }
}
