import Glibc

/// Dates and times as the user's clock shows them, with the zone's offset.
public enum LocalTime {
  /// Such as `2026-11-21 15:04:11 +01:00`, of an instant in seconds since 1970; `?` for what no calendar has.
  public static func text(seconds: Int64) -> String {
    let (time, zone) = parts(seconds: seconds)
    return zone.isEmpty ? time : time + " " + zone
  }

  /// Date and time, and the zone's offset at that time.
  public static func parts(seconds: Int64) -> (time: String, zone: String) {
    var time = time_t(seconds)
    var parts = tm()
    guard localtime_r(&time, &parts) != nil else { return ("?", "") }
    let date = "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    let offset = parts.tm_gmtoff / 60
    let sign = offset < 0 ? "-" : "+"
    let zone = "\(two(Int32(abs(offset) / 60))):\(two(Int32(abs(offset) % 60)))"
    return ("\(date) \(clock)", sign + zone)
  }

  private static func two(_ value: Int32) -> String { (value < 10 ? "0" : "") + "\(value)" }
}
