// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Text

@testable import Import

@Suite("Times are read in the common spellings")
struct TimesTests {
  private func parse(_ text: String, _ form: TimeForm, date: String = "") throws -> Int64? {
    var parser = TimeParser(form, mark: UInt8(ascii: "."))
    return try Array(text.utf8).withUnsafeBytes { field in
      try Array(date.utf8).withUnsafeBytes { try parser.parse(field, date: $0) }
    }
  }

  private func forms(_ text: String) -> Set<TimeForm> {
    Array(text.utf8).withUnsafeBytes { TimeParser.forms(of: $0) }
  }

  /// Of 2026-11-21T02:38:07Z, by `date -u -d 2026-11-21T02:38:07 +%s`.
  private static let second: Int64 = 1_795_228_687

  @Test(
    "dates are the same instant in each",
    arguments: [
      ("2026-11-21T02:38:07", .ymd, false, 0),
      (" 2026-11-21 02:38:07.5 ", .ymd, false, 500_000_000),
      ("2026/11/21 2:38:07,25", .ymd, false, 250_000_000), ("2026.11.21  02:38:07", .ymd, false, 0),
      ("2026-11-21_02:38:07:125", .ymd, false, 125_000_000), ("20261121_023807", .ymd, false, 0),
      ("20261121T023807.123456789", .ymd, false, 123_456_789),
      ("20261121_023807250", .ymd, false, 250_000_000),
      ("20261121 02:38:07", .ymd, false, 0), ("21.11.2026 02:38:07", .dmy, false, 0),
      ("21/11/2026 2:38:07 AM", .dmy, false, 0),
      ("11/21/2026 02:38:07.5 am", .mdy, false, 500_000_000),
      ("11-21-2026 02:38:07", .mdy, false, 0), ("2026-11-21T02:38:07Z", .ymd, true, 0),
      ("2026-11-21 03:38:07 +0100", .ymd, true, 0), ("2026-11-20 22:38:07-04", .ymd, true, 0),
      ("2026-11-21T08:08:07.001+05:30", .ymd, true, 1_000_000),
      ("2026-11-21 02:38:07 UTC", .ymd, true, 0),
      ("21.11.2026 02:38:07 GMT", .dmy, true, 0), ("20261121T033807+0100", .ymd, true, 0),
      ("11/20/2026 9:38:07 PM -0500", .mdy, true, 0), ("11/21/2026, 2:38:07 AM", .mdy, false, 0),
    ] as [(String, DateOrder, Bool, Int64)])
  func dates(_ text: String, _ order: DateOrder, _ zone: Bool, _ fraction: Int64) throws {
    let form = TimeForm.date(order, zone: zone)
    #expect(try parse(text, form) == Self.second * 1_000_000_000 + fraction)
    #expect(forms(text) == [form])
  }

  @Test("the order of day and month is open where both can be a month, and 24:00 is the next day")
  func orders() throws {
    #expect(forms("03/04/2026 00:00") == [.date(.dmy, zone: false), .date(.mdy, zone: false)])
    #expect(forms("03/21/2021") == [.dayAndTime(.mdy)])
    #expect(forms("2026-11-21") == [.dayAndTime(.ymd)])
    // Hours and minutes, or minutes and seconds.
    #expect(forms("02:38") == [])
    #expect(forms("-3.5e2") == [.number(power: 0)])
    #expect(forms("20261121023807") == [.number(power: 0)])
    #expect(
      try parse("2026-12-31 24:00:00", .date(.ymd, zone: false))
        == parse("2027-01-01 00:00", .date(.ymd, zone: false)))
  }

  @Test("random dates are those that RFC 3339 has")
  func random() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      // From 1678 to 2261.
      let time = Int64.random(
        in: -9_214_560_000_000_000_000...9_214_646_399_999_999_999, using: &generator)
      let text = RFC3339.text(nanoseconds: time)
      #expect(try parse(text, .date(.ymd, zone: true)) == time, "\(text)")
    }
  }

  @Test(
    "times of day count from midnight",
    arguments: [
      ("14:05:59.25", 50_759_250_000_000), (" 02:38:07 PM", 52_687_000_000_000),
      ("12:00:00 AM", 0), ("12:00:01 pm", 43_201_000_000_000), ("6:20:10,500", 22_810_500_000_000),
      ("23:59:59:999", 86_399_999_000_000),
    ])
  func timesOfDay(_ text: String, _ time: Int64) throws {
    #expect(try parse(text, .timeOfDay) == time)
    #expect(forms(text) == [.timeOfDay])
    // 2021-03-21 is day 18,707.
    #expect(
      try parse(text, .dayAndTime(.mdy), date: "03/21/2021")
        == 18_707 * 86_400_000_000_000 + time)
  }

  @Test("digits below a nanosecond are rounded")
  func rounding() throws {
    let form = TimeForm.date(.ymd, zone: false)
    let base = Self.second * 1_000_000_000
    #expect(
      try parse("2026-11-21 02:38:07.123456789000", form) == base + 123_456_789
    )
    #expect(
      try parse("2026-11-21 02:38:07.1234567895", form) == base + 123_456_790)
    #expect(
      try parse("2026-11-21 02:38:07.999999999999", form)
        == base + 1_000_000_000)
    #expect(try parse("0.0000000014", .seconds) == 1)
    #expect(try parse("1.5", .number(power: 9, factor: 60)) == 90_000_000_000)
    #expect(
      try parse("-1650000000.006187", .seconds) == -1_650_000_000_006_187_000)
  }

  @Test(
    "another text has no form, and is refused",
    arguments: [
      "2026-11-31 00:00:00", "2026-13-01 00:00:00", "2026-02-29 1:00", "31/04/2026 00:00",
      "2026-11-21T", "2026-11-21 25:00:00",
      "2026-11-21 24:00:01", "2026-11-21 02:60:00", "2026-11-21 02:38:60", "2026-11-21 02:38:07.",
      "2026-11-21 02:38:07.1234567890123",
      "2026-11/21 02:38:07", "2026-11-21 02:38:07 CET", "2026-11-21 02:38:07 +1",
      "2026-11-21 02:38:07+01:", "2026-11-21 02:38:07 +01:60",
      "21.11.26 02:38:07", "2026-11-21 13:00:00 PM", "2026-11-21 0:30:00 AM", "2026-11-21x02:38:07",
      "2026-11-21 2:3:4",
      "2026-11-21 02:38:07 Zulu", "20261121_0238", "2026-11-21 02:38:07 extra",
      "Sat Nov 21 02:38:07 2026",
    ])
  func wrong(_ text: String) {
    #expect(forms(text) == [])
    for order in [DateOrder.ymd, .mdy, .dmy] {
      for zone in [false, true] {
        #expect(throws: FieldError.self) { try parse(text, .date(order, zone: zone)) }
      }
    }
  }

  @Test("a time that is written in another way than those before it is refused")
  func mixed() throws {
    func problem(_ text: String, _ form: TimeForm) -> String? {
      (#expect(throws: FieldError.self) { try parse(text, form) })?.problem
    }
    let words = "is not written like the times before it"
    #expect(
      problem("2026-11-21 02:38:07Z", .date(.ymd, zone: false))
        == "\"2026-11-21 02:38:07Z\" \(words)")
    #expect(problem("2026-11-21 02:38:07", .date(.ymd, zone: true))?.hasSuffix(words) == true)
    #expect(problem("2026-11-21 02:38:07", .seconds)?.hasSuffix(words) == true)
    #expect(problem("1.5", .timeOfDay)?.hasSuffix(words) == true)
    #expect(
      problem("1600-01-01 00:00:00", .date(.ymd, zone: false))?.hasSuffix("is not a time") == true)
    var parser = TimeParser(.timeOfDay, mark: UInt8(ascii: "."))
    #expect(
      try Array("11:59:59 AM".utf8).withUnsafeBytes { try parser.parse($0) } == 43_199_000_000_000)
    #expect(throws: FieldError.self) {
      try Array("12:00:00".utf8).withUnsafeBytes { try parser.parse($0) }
    }
  }

  @Test("a missing time is not read as 0", arguments: ["", "  ", "NaN"])
  func missing(_ text: String) throws {
    for form in [TimeForm.seconds, .date(.ymd, zone: false), .timeOfDay] {
      #expect(try parse(text, form) == nil)
    }
    #expect(try parse("02:38:07", .dayAndTime(.ymd), date: text) == nil)
  }

  @Test(
    "numbers beyond a log's times and words are refused",
    arguments: ["1e30", "99999999999999999999", "inf", "Time", "1,5"])
  func numbers(_ text: String) {
    let error = #expect(throws: FieldError.self) { try parse(text, .seconds) }
    let isBeyond = error?.problem.contains("beyond the times") == true
    #expect(isBeyond == !["Time", "1,5"].contains(text))
  }
}
