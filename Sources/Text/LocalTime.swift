// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Dates and times as the user's clock shows them, with the zone's offset.
public enum LocalTime {
  /// Such as `2026-11-21 15:04:11 +01:00`, of an instant in seconds since 1970; `?` for one beyond the calendar.
  public static func text(seconds: Int64) -> String {
    let (time, zone) = parts(seconds: seconds)
    return zone.isEmpty ? time : time + " " + zone
  }

  /// Date and time, and the zone's offset at that time.
  public static func parts(seconds: Int64) -> (time: String, zone: String) {
    guard let parts = broken(seconds) else { return ("?", "") }
    let (year, month) = (Int(parts.tm_year) + 1900, parts.tm_mon + 1)
    let date = "\(year)-\(month.digits(2))-\(parts.tm_mday.digits(2))"
    let clock = "\(parts.tm_hour.digits(2)):\(parts.tm_min.digits(2)):\(parts.tm_sec.digits(2))"
    return ("\(date) \(clock)", zone(Int64(parts.tm_gmtoff) / 60 * 60))
  }

  /// Seconds by which the machine's time zone is ahead of UTC at an instant, in whole minutes as in a date's text; 0 where
  /// the C library knows none. Before standard time, zones were off by seconds: the text's clock is then off by less than a
  /// minute, so that clock and offset give the instant.
  package static func offset(at second: Int64) -> Int64 {
    broken(second).map { Int64($0.tm_gmtoff) / 60 * 60 } ?? 0
  }

  /// An offset from UTC as a date's text has it: `+01:00`.
  package static func zone(_ offset: Int64) -> String {
    let minutes = offset.magnitude / 60
    return "\(offset < 0 ? "-" : "+")\((minutes / 60).digits(2)):\((minutes % 60).digits(2))"
  }

  private static func broken(_ second: Int64) -> tm? {
    var time = time_t(second)
    var parts = tm()
    return localtime_r(&time, &parts) == nil ? nil : parts
  }
}
