public import IMUModel

/// One instant on the monotonic and on the wall clock.
public struct ClockReading: Equatable, Sendable {
  /// On the monotonic clock.
  public var monotonic: MonotonicTime
  /// Nanoseconds since 1970.
  public var wall: Int64
  /// What the kernel says of its wall clock.
  public var isSynchronised: Bool

  /// A reading.
  public init(monotonic: MonotonicTime, wall: Int64, isSynchronised: Bool) {
    self.monotonic = monotonic
    self.wall = wall
    self.isSynchronised = isSynchronised
  }
}
