// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

/// The slots at which the watermark of a model's FIFO is best, so that the level passes it once between two drains; `nil`
/// where the words that come during a drain already reach it, and where there is none.
///
/// It is at three quarters of what comes between two drains, or in the middle of what comes between the end of a drain and
/// the next one. Dither moves each drain by up to a slot. The configuration must be valid for the model.
public func watermark(of model: SensorModel, _ configuration: SensorConfiguration) -> Int? {
  guard model.hasWatermark, let (capacity, share) = model.drains(of: configuration) else {
    return nil
  }
  let hertz = configuration.rate.hertz
  let slots = Double(DrainPace(hertz: hertz, capacity: capacity).interval) * hertz * 1e-9
  let mark = max(1, Int(slots * max(0.75, (1 + share) / 2)))
  return share * (slots + 2) < Double(mark) ? mark : nil
}

/// Which edge of the FIFO's watermark shows when a slot was whole.
///
///     words      drain      edge   drain
///     watermark ┄┄┄│┄┄┄┄┄┄┄┄┄╱┄┄┄┄┄│
///               ╱  │     ╱         │  ╱
///                  │ ╱             │╱
///
/// After a drain the level is below the watermark, and its next edge comes with the word that reaches it. The kernel may
/// stamp an edge late, lose it, or see noise. So an edge counts only when it is the only one between two drains, after a
/// drain for which the same held. A late stamp makes a weak bound, not a wrong one.
@usableFromInline
package struct WatermarkEdges: Sendable, BitwiseCopyable {
  /// The first edge since the last drain, and how many there were.
  private var edge = MonotonicTime(nanoseconds: 0)
  private var count = 0
  private var hasLoss = false
  /// The end of the last drain; `nil` when it did not take out all that was counted.
  private var emptied: MonotonicTime?
  /// Drains until edges are trusted: a missing edge may come late, after the next drain.
  private var doubtful = 2

  @usableFromInline
  package init() {}

  /// Notes an edge that waited. One during a burst is ignored: the level falls while words are taken out, and a sample
  /// that comes then lifts it again.
  @usableFromInline
  package mutating func note(_ edge: InterruptEdge) {
    hasLoss = hasLoss || edge.followsLoss
    if let emptied, edge.time <= emptied { return }
    if count == 0 { self.edge = edge.time }
    count += 1
  }

  /// Notes a drain that took out all that was counted: `passed`, the words reached the watermark; `counted` and `end`, the
  /// instants after the count was read and after the words were taken out.
  ///
  /// - Returns: When the watermark was reached, at the latest; `nil` when no edge shows it.
  @usableFromInline
  package mutating func drain(passed: Bool, counted: MonotonicTime, end: MonotonicTime)
    -> MonotonicTime?
  {
    let before = emptied
    defer {
      (count, hasLoss) = (0, false)
      emptied = end
    }
    guard let before else { return nil }
    let isRight =
      !hasLoss && count == (passed ? 1 : 0) && (count == 0 || (edge > before && edge <= counted))
    guard isRight else {
      doubtful = 2
      return nil
    }
    guard doubtful == 0 else {
      doubtful -= 1
      return nil
    }
    return passed ? edge : nil
  }

  /// The FIFO's contents are no longer known.
  @usableFromInline
  package mutating func forget() { self = WatermarkEdges() }
}
