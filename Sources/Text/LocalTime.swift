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
    let date = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return ("\(date) \(clock)", zone(Int64(parts.tm_gmtoff) / 60 * 60))
  }

  /// Seconds by which the machine's time zone is ahead of UTC at an instant, in whole minutes, as a date's text has them;
  /// 0 where the C library knows none. Before there was standard time, zones were off by seconds: then the text's clock
  /// is off by less than a minute, so that clock and offset give the instant.
  package static func offset(at second: Int64) -> Int64 {
    broken(second).map { Int64($0.tm_gmtoff) / 60 * 60 } ?? 0
  }

  /// An offset from UTC as a date's text has it: `+01:00`.
  package static func zone(_ offset: Int64) -> String {
    let minutes = Int32(clamping: offset.magnitude / 60)
    return "\(offset < 0 ? "-" : "+")\(two(minutes / 60)):\(two(minutes % 60))"
  }

  private static func broken(_ second: Int64) -> tm? {
    var time = time_t(second)
    var parts = tm()
    return localtime_r(&time, &parts) == nil ? nil : parts
  }

  private static func two(_ value: Int32) -> String { (value < 10 ? "0" : "") + "\(value)" }
}
