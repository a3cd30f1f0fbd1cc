/// A chip's own oscillator, which everything that the chip does on its own keeps time by.
///
/// It ticks at the fastest rate at which the chip can make samples, for ever and from one origin. A
/// sample is made at each tick whose number is a multiple of the chosen rate's divider, so the
/// newest sample follows from the time alone, however long no one looked.
struct Oscillator: Sendable, BitwiseCopyable {
  /// The instant of tick 0 in nanoseconds.
  let origin: Int64
  /// Ticks a second by the host's clock: the nominal frequency times the chip's error.
  let hertz: Double

  /// The last tick at or before `nanoseconds`; 0 for instants before the origin.
  ///
  /// - Complexity: O(1).
  func tick(at nanoseconds: Int64) -> Int64 {
    guard nanoseconds > origin else { return 0 }
    var tick = Int64(Double(nanoseconds - origin) * hertz / 1e9)
    // The estimate may miss by one where a tick falls between two nanoseconds.
    while instant(ofTick: tick) > nanoseconds { tick -= 1 }
    while instant(ofTick: tick + 1) <= nanoseconds { tick += 1 }
    return tick
  }

  /// The first whole nanosecond at or after `tick`.
  func instant(ofTick tick: Int64) -> Int64 {
    origin + Int64((Double(tick) * 1e9 / hertz).rounded(.up))
  }
}
