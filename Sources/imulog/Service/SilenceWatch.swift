import IMUModel

/// Tells when samples cease to come, and when they come again.
struct SilenceWatch {
  private let patience: Int64
  private var heard: UInt64 = 0
  private var heardAt: MonotonicTime
  private(set) var isSilent = false

  /// Samples at `rate` are expected from `start` on. Silence is 2 s without one, or three periods of a slow rate:
  /// longer than a chip takes that loses its supply for an instant and is set up again.
  init(_ rate: SampleRate, start: MonotonicTime) {
    patience = max(2_000_000_000, 3 * rate.periodNanoseconds)
    heardAt = start
  }

  /// Whether ``isSilent`` is another than before, when `count` samples have been read until `now`.
  mutating func notice(_ count: UInt64, now: MonotonicTime) -> Bool {
    if count != heard { (heard, heardAt) = (count, now) }
    let was = isSilent
    isSilent = now - heardAt > patience
    return isSilent != was
  }
}
