import IMUDrivers
import IMUModel

/// How long the chip has been giving the very same outputs.
struct Repetition: Sendable, BitwiseCopyable {
  private var outputs = SensorOutputs()
  private var since: MonotonicTime
  /// Looks that gave them, the first one included.
  private(set) var looks = 0
  private let limit: LifeLimit?

  /// Nothing seen yet.
  init(limit: LifeLimit?, at now: MonotonicTime) {
    self.limit = limit
    since = now
  }

  /// Whether a living chip would have given other outputs by now.
  func isFrozen(at now: MonotonicTime) -> Bool {
    guard let limit else { return false }
    return looks >= limit.looks && now - since >= limit.time
  }

  /// Whether the last look may be of a chip that is stuck.
  var isSuspicious: Bool { looks > 1 && limit != nil }

  /// Takes down what a look gave.
  mutating func notice(_ new: SensorOutputs, at now: MonotonicTime) {
    if looks > 0, new == outputs {
      looks += 1
    } else {
      outputs = new
      since = now
      looks = 1
    }
  }

  /// The chip was set up again: looks before that prove nothing of it.
  mutating func restart() { looks = 0 }
}
