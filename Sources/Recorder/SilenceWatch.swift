public import IMUModel

/// Says when samples cease to come, and when they come again.
///
///     samples   │ │ │ │ │ │                              │ │ │ │
///               └─────────┴─ patience ─┐                 ┌───────
///     silent                           └─────────────────┘
public struct SilenceWatch: Sendable {
  private let patience: Int64
  private var heard: UInt64 = 0
  private var lastSampleAt: MonotonicTime
  /// Whether samples have ceased to come.
  public private(set) var isSilent = false

  /// Samples at `rate` are expected from `start` on. Silence is more than 2 s without one, or three periods of a slow
  /// rate: longer than a chip takes that loses its supply for an instant and is set up again.
  public init(_ rate: SampleRate, start: MonotonicTime) {
    patience = max(2_000_000_000, 3 * rate.periodNanoseconds)
    lastSampleAt = start
  }

  /// Whether ``isSilent`` is another than before, when `count` samples have come until `now`.
  ///
  /// - Parameter isBlocked: Whether samples could not come: a full ring is no silence of the chip.
  public mutating func notice(
    _ count: UInt64, isBlocked: Bool = false, now: MonotonicTime
  ) -> Bool {
    if count != heard || isBlocked { (heard, lastSampleAt) = (count, now) }
    let was = isSilent
    isSilent = now - lastSampleAt > patience
    return isSilent != was
  }
}
