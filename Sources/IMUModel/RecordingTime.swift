// SPDX-License-Identifier: Apache-2.0

/// The times that a recording can have.
public enum RecordingTime {
  /// Times of a recording, in nanoseconds since tick 0's deadline, are nearer to 0 than this, 2⁶² ns or 146 years. So no
  /// difference or sum of two of them overflows.
  public static let limit: Int64 = 1 << 62

  /// Whether a recording can have this time.
  @inlinable
  public static func contains(_ nanoseconds: Int64) -> Bool { nanoseconds.magnitude < limit }

  /// The time of a recording that is nearest to this one.
  package static func clamped(_ nanoseconds: Int64) -> Int64 {
    min(max(nanoseconds, 1 - limit), limit - 1)
  }
}
