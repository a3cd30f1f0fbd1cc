// SPDX-License-Identifier: Apache-2.0

/// Names of times and rates, as keys of JSON, columns and facts have them.
public enum TimeNames {
  /// What a person sets, or what follows from it alone, is not measured.
  private static let settings: Set<String> = [
    "syncInterval_s", "above_hz", "window_s", "preTrigger_s", "postTrigger_s", "pause_s",
    "nextTurn_s", "wake_up_us", "tauAcc_s", "tauMag_s", "longestBridge_s", "timeUnit_ns", "zero_ns",
    "range_ns", "range.from_ns", "range.to_ns", "bands.from_hz", "bands.to_hz",
  ]
  private static let units = ["_ns", "_us", "_ms", "_s", "_hz", "_ppm", "_ppm_s", "_seconds"]
  /// Of velocities and densities.
  private static let otherUnits = ["_mm_s", "_g2_hz", "_dps2_hz"]
  private static let instants: Set<String> = [
    "t", "started", "wall", "made", "changed", "removed", "expires", "seen", "lastRecording",
    "unix_s", "time_utc", "time_local",
  ]

  /// Whether what has this name in this object must have a word: proved, estimated or claimed.
  public static func needWord(_ name: String, in object: String = "") -> Bool {
    guard !settings.contains(name), !settings.contains("\(object).\(name)") else { return false }
    return instants.contains(name)
      || units.contains(where: name.hasSuffix) && !otherUnits.contains(where: name.hasSuffix)
  }
}
