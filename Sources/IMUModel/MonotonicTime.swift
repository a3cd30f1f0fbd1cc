/// An instant on the machine's monotonic clock, in nanoseconds since an arbitrary origin
/// (on Linux `CLOCK_MONOTONIC`, which counts from boot and is never stepped).
///
/// Arithmetic traps on overflow, which takes 292 years.
public struct MonotonicTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// The instant `nanoseconds` after the clock's origin.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Orders instants from earlier to later.
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant `nanoseconds` after `time`.
  public static func + (time: MonotonicTime, nanoseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds + nanoseconds)
  }

  /// Nanoseconds from `right` to `left`; negative when `left` is the earlier one.
  public static func - (left: MonotonicTime, right: MonotonicTime) -> Int64 {
    left.nanoseconds - right.nanoseconds
  }
}
