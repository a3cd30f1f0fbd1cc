// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

/// The slots at which the watermark of a model's FIFO is best, so that each drain passes it, and none does before it has
/// ended; `nil` where a drain takes so long that the words which come meanwhile reach it, and where there is none.
///
/// It is at three quarters of what comes between two drains, or in the middle of what comes between the end of a drain and
/// the next one. Dither moves each drain by up to a slot.
///
/// - Parameter configuration: One that is valid for the model, and reads its FIFO.
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
/// When all words were taken out, the level is below the watermark, and its next edge comes with the word that reaches it.
/// An edge is an observation, not to be trusted alone: the kernel may stamp it late, lose it, or see noise. So it is of use
/// only when it is the only one between two drains, after a drain for which the same held. A late stamp makes a weak bound,
/// not a wrong one.
@usableFromInline
package struct WatermarkEdges: Sendable, BitwiseCopyable {
  /// The first edge since the last drain, and how many there were.
  private var edge = MonotonicTime(nanoseconds: 0)
  private var count = 0
  private var hasLoss = false
  /// The end of the last drain; `nil` when it did not take out all that was counted.
  private var emptied: MonotonicTime?
  /// Drains until edges are trusted: an edge that is missing may come late, after the next drain.
  private var doubtful = 2

  @usableFromInline
  package init() {}

  /// Notes an edge that waited.
  ///
  /// While a burst takes words out, the level falls below the watermark, and a sample that comes then lifts it again: an
  /// edge in a burst says nothing.
  @usableFromInline
  package mutating func note(_ edge: InterruptEdge) {
    hasLoss = hasLoss || edge.followsLoss
    if let emptied, edge.time <= emptied { return }
    if count == 0 { self.edge = edge.time }
    count += 1
  }

  /// Notes a drain that took out all that was counted.
  ///
  /// `passed` says whether the words taken out reached the watermark, `counted` is the instant after the count was read, and
  /// `end` that after the words were taken out.
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

  /// What is in the FIFO is not known any more.
  @usableFromInline
  package mutating func forget() { self = WatermarkEdges() }
}
