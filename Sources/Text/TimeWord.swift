// SPDX-License-Identifier: Apache-2.0

/// How far a time or a rate can be relied on.
public enum TimeWord: String, CaseIterable, Sendable {
  /// It cannot be wrong under the stated assumptions.
  case proved
  /// Measured, without a bound.
  case estimated
  /// Another says so: the file that was imported, the kernel of its wall clock, the user of the rate.
  case claimed

  /// The word for each key, column and fact that is a time or a rate: the only table of them.
  ///
  /// Where a name has another word in one object, the object's key stands before it. Settings have none: what was set is
  /// not measured.
  private static let lists: [(word: TimeWord, names: String)] = [
    (
      .proved,
      """
      t_lo_ns t_hi_ns chipTimes.least_hz chipTimes.most_hz halfWidth.median_ns halfWidth.p99_ns halfWidth.maximum_ns \
      m_lo_ns m_hi_ns findings.from_ns findings.to_ns epochs.from_ns epochs.to_ns rateError_ppm bracket_ns monotonic_ns \
      t_error_ns t_error_p50_ns t_error_p99_ns proved_to_us apart_ns takeDelay_ns
      """
    ),
    (
      .estimated,
      """
      t_ns t_grid_ns t_s duration_s duration_ns still_s still_ns moving_s from_s to_s tau_s \
      achieved_hz mean_hz least_hz most_hz opening_hz chip_rate_hz chipClock.rate_hz uncertainty_ns \
      median_ns p99_ns maximum_ns lateness_p99_ns worstFlush_ns sinceLast_s change_ppm rateDrift_ppm \
      resolution_hz frequency_hz raw_ns boottime_ns clockOffset_ns clock_offset_seconds round_duration_seconds \
      measured_hz loaded_hz bus_slowest_hz bus_fastest_hz late_at_most_us p50_ms p99_ms worst_ms worst_at_most_ms
      """
    ),
    (
      .claimed,
      """
      rate_hz outputDataRate_hz configured_hz drift_ppm_s jitter_ns labels.from_ns labels.to_ns \
      t unix_s time_utc time_local started started_ms wall made changed removed expires seen lastRecording \
      last_seen_timestamp_seconds last_recording_timestamp_seconds round_timestamp_seconds
      """
    ),
  ]

  /// The same by name, and then by object; an empty one stands for all others.
  private static let table: [String: [String: TimeWord]] = {
    var table: [String: [String: TimeWord]] = [:]
    for (word, names) in lists {
      for name in names.split(separator: " ") {
        let parts = name.split(separator: ".").map(String.init)
        table[parts[parts.count - 1], default: [:]][parts.count > 1 ? parts[0] : ""] = word
      }
    }
    return table
  }()

  /// The word for a name wherever it is; `nil` for what is not a time or a rate.
  public static func of(_ name: String) -> TimeWord? { table[name]?[""] }

  /// The word for a name, and whether it is that of this object alone; `nil` for what is not a time or a rate.
  fileprivate static func of(_ name: String, in object: String) -> (word: TimeWord, isOwn: Bool)? {
    guard let words = table[name] else { return nil }
    return words[object].map { ($0, !object.isEmpty) } ?? words[""].map { ($0, false) }
  }
}

/// The words for the times and rates of one document, or of one file's columns and facts.
public struct TimeWords: Sendable {
  private var found: [String: TimeWord] = [:]
  /// Whether nothing in it was measured by this program, as in an imported recording: what is otherwise estimated is claimed.
  public var areClaimed = false

  /// No words.
  public init() {}

  /// Adds the word for a name, if it is that of a time or a rate.
  public mutating func note(_ name: String, in object: String = "") {
    guard let (word, isOwn) = TimeWord.of(name, in: object) else { return }
    found[isOwn ? "\(object).\(name)" : name] = word
  }

  /// Sets the word for a name where it differs from the table's.
  public mutating func note(_ name: String, as word: TimeWord) { found[name] = word }

  /// The word for one name; `nil` for what is not a time or a rate.
  public subscript(name: String) -> TimeWord? {
    found[name].map { areClaimed && $0 == .estimated ? .claimed : $0 }
  }

  /// All words, by name.
  public var all: [(name: String, word: TimeWord)] {
    found.keys.sorted().compactMap { name in self[name].map { (name, $0) } }
  }
}
