import IMUModel

/// How long the chip has been giving the same sample, and how long it may.
struct Repetition: Sendable, BitwiseCopyable {
  private var sample = RawSample()
  private var since: MonotonicTime
  private var count = 0
  private var patience = Repetition.shortest
  /// The sample for which the chip was given up, while it is not known whether that was right.
  private var suspect: RawSample?
  /// New samples until the suspicion was right: none of them was the suspect.
  private var trial = 0

  /// Nothing seen yet.
  init(at now: MonotonicTime) {
    since = now
  }

  private static var shortest: Int64 { 500_000_000 }
  private static var longest: Int64 { 64_000_000_000 }
  /// Equal samples that are no chance, and new ones that are an answer.
  private static var samples: Int { 5 }

  /// The last sample has no count that is not 0.
  var isZero: Bool { count > 0 && sample == RawSample() }

  /// Whether the same sample came for longer than a living chip gives it.
  func isFrozen(at now: MonotonicTime) -> Bool {
    count >= Repetition.samples && now - since >= patience
  }

  /// Takes a new sample down.
  mutating func notice(_ new: RawSample, at now: MonotonicTime) {
    judge(new)
    if count > 0, new == sample {
      count += 1
    } else {
      sample = new
      since = now
      count = 1
    }
  }

  /// The chip is given up, because of this sample or of something else.
  mutating func giveUp(isFrozen: Bool) {
    suspect = isFrozen ? sample : nil
    trial = Repetition.samples
  }

  /// The chip was set up again.
  mutating func restart(at now: MonotonicTime) {
    since = now
    count = 0
  }

  /// Was the chip really frozen, or only at rest?
  private mutating func judge(_ new: RawSample) {
    guard let suspect else { return }
    if new == suspect {
      patience = min(2 * patience, Repetition.longest)
      self.suspect = nil
    } else {
      trial -= 1
      guard trial == 0 else { return }
      patience = Repetition.shortest
      self.suspect = nil
    }
  }
}
