// SPDX-License-Identifier: Apache-2.0

/// How often, and for how long, a chip must give identical outputs to be proved stuck: both limits must be reached.
public struct LifeLimit: Equatable, Sendable, BitwiseCopyable {
  /// Looks with equal outputs, the first one included.
  public var looks: Int
  /// From the first look to the last, in nanoseconds.
  public var time: Int64

  /// A limit of `looks` equal looks over `time` nanoseconds.
  public init(looks: Int, time: Int64) {
    (self.looks, self.time) = (looks, time)
  }
}

/// The noise of three axes after a chip's filter.
struct NoisyAxes {
  /// Standard deviation in counts.
  let deviation: Double
  /// Of the filter, in hertz.
  let bandwidth: Double

  /// An upper bound on the probability that all axes repeat their counts: the peak density 1/(σ·√2π), over one count.
  var repetition: Double {
    let axis = min(1, 0.4 / deviation)
    return axis * axis * axis
  }
}

extension LifeLimit {
  /// The limit for a chip at rest whose sensors in use have this noise; `nil` when noise proves nothing within a second.
  ///
  /// Chance repeats the counts over that many looks once in 3.6 · 10^13 times: once in ten thousand years at 100 Hz. Noise
  /// in a band of B hertz changes its value over 1/(4 B) seconds (Rice: each axis leaves a count of σ some 2 · B times a
  /// second), so closer looks add nothing, and the time must pass as well. At least a quarter of a second, because clones
  /// may update their registers less often than they claim.
  init?(_ sensors: [NoisyAxes]) {
    let telling = sensors.filter { $0.repetition < 1 }
    guard let bandwidth = telling.map(\.bandwidth).min() else { return nil }
    let each = telling.map(\.repetition).reduce(1, *)
    var chance = 1.0
    var looks = 1
    while chance > 2.8e-14 {
      chance *= each
      looks += 1
      guard looks <= 40 else { return nil }
    }
    let time = Double(looks - 1) / (4 * bandwidth) * 1e9
    self.init(
      looks: max(5, looks), time: Int64(min(max(time, 250_000_000), LifeLimit.longest)))
  }

  /// The longest time to notice within a second that also holds the time until the first look, in nanoseconds.
  private static let longest = 800_000_000.0
}
