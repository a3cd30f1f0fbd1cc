// SPDX-License-Identifier: Apache-2.0

/// A chip's own oscillator, by which the chip times everything.
///
///     host's time ─► wandering ─► rate, which may step ─► ticks
///
/// It ticks at the fastest rate at which the chip can make samples, from one origin. A sample is made at each tick whose
/// number is a multiple of the chosen rate's divider, so the newest sample follows from the time alone.
struct Oscillator: Sendable, BitwiseCopyable {
  /// The instant of tick 0 in nanoseconds.
  let origin: Int64
  /// An instant at which the wandering rate is in the middle and rises.
  private let middle: Int64
  /// The amplitude of the wandering, as a part of the rate.
  private let wander: Double

  // Between steps the rate is constant but for the wandering: from `starts[i]` on, which is tick `phases[i]`, it is
  // `rates[i]` ticks a second.
  private static let capacity = 4
  private var count = 1
  private var starts = SIMD4<Int64>(repeating: 0)
  private var phases = SIMD4<Double>(repeating: 0)
  private var rates = SIMD4<Double>(repeating: 0)

  /// The period of the wandering in nanoseconds, that of the temperature in ``Motion/tumble``.
  private static let wanderingTime = 120e9

  /// An oscillator with tick 0 at `instant` and `hertz` ticks a second by the host's clock. The rate wanders to each side by
  /// `wander` parts per million; `middle` is the beginning of the motion.
  init(origin instant: Int64, hertz: Double, wander: Int, middle: Int64) {
    origin = instant
    self.middle = middle
    self.wander = Double(wander) * 1e-6
    starts[0] = instant
    rates[0] = hertz
  }

  /// From `instant` on, which is after all steps before, the rate is `factor` times what it was.
  mutating func step(at instant: Int64, factor: Double) {
    precondition(count < Self.capacity, "an oscillator steps three times")
    starts[count] = max(instant, starts[count - 1])
    phases[count] = phase(at: starts[count])
    rates[count] = rates[count - 1] * factor
    count += 1
  }

  /// The last tick at or before `nanoseconds`; 0 for instants before the origin. Constant time.
  func tick(at nanoseconds: Int64) -> Int64 {
    guard nanoseconds > origin else { return 0 }
    var tick = Int64(phase(at: nanoseconds))
    // The estimate may miss by one where a tick falls between two nanoseconds.
    while instant(ofTick: tick) > nanoseconds { tick -= 1 }
    while instant(ofTick: tick + 1) <= nanoseconds { tick += 1 }
    return tick
  }

  /// Ticks, and the part of the next one, that have passed at `nanoseconds`; 0 before the origin.
  func phase(at nanoseconds: Int64) -> Double {
    guard nanoseconds > origin else { return 0 }
    var piece = count - 1
    while starts[piece] > nanoseconds { piece -= 1 }
    let time =
      Double(nanoseconds - starts[piece]) + gain(until: nanoseconds) - gain(until: starts[piece])
    return phases[piece] + time * rates[piece] / 1e9
  }

  /// The first whole nanosecond at or after `tick`.
  func instant(ofTick tick: Int64) -> Int64 {
    var piece = count - 1
    while piece > 0, phases[piece] > Double(tick) { piece -= 1 }
    let time = (Double(tick) - phases[piece]) * 1e9 / rates[piece]
    guard wander != 0 else { return starts[piece] + Int64(time.rounded(.up)) }
    // What the wandering gains is known at the instant that is sought: each round divides the error by 1/wander.
    var found = time
    let before = gain(until: starts[piece])
    for _ in 0..<5 {
      found = time + before - gain(until: starts[piece] + Int64(found.rounded(.up)))
    }
    return starts[piece] + Int64(found.rounded(.up))
  }

  /// How far the wandering rate is ahead of a constant one, in nanoseconds.
  private func gain(until nanoseconds: Int64) -> Double {
    guard wander != 0 else { return 0 }
    let turns = Double(nanoseconds - middle) / Self.wanderingTime
    return wander * Self.wanderingTime / (2 * Double.pi) * (1 - Sinusoid.cosine(turns: turns))
  }
}
