// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LinuxIO

/// Recognises gestures in the button's edges, by their stamps: a press means the same however late the program wakes.
///
///      level       ▁▁▁▔▔▔▁▁▁▁▁▁▁▁▁▁▁▁    ▁▁▁▔▔▔▁▁▁▔▔▔▁▁    ▁▁▁▔▔▔▔▔▔▔▔▔▁▁    ▁▁▁▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
///                     │  └─window─┤         │  │  │  │        └─long─┤ │        └─────very long──┤
///      inputs       down press  single    down press double      holding long        holding  veryLong
///
/// Every limit belongs to the longer gesture: a press of exactly ``long`` is a long one. An edge that repeats a level is
/// ignored, so that a lost edge neither doubles a press nor loses the next one. Stamps that run backwards count as zero
/// elapsed time. Pass all waiting edges before you call ``elapse(to:)``, which reports what is due until then.
package struct GestureRecogniser: Sendable {
  private enum Phase {
    /// Released, and nothing is pending.
    case idle
    /// Pressed, and its release means nothing.
    case ignored
    /// Pressed; `first` is the short press just before it, `isLong` once ``RecorderInput/holding(at:)`` was reported.
    case pressed(down: MonotonicTime, first: MonotonicTime?, isLong: Bool)
    /// Released after a short press; a second one may follow.
    case released(down: MonotonicTime, up: MonotonicTime)
  }

  /// Nanoseconds of a long press at least.
  private static var long: Int64 { 1_500_000_000 }
  /// Nanoseconds after which a press is a very long one, which is reported while the button is still held.
  private static var veryLong: Int64 { 6_000_000_000 }
  /// Nanoseconds from the release of a press within which a second one makes it a double press.
  private static var doubleWindow: Int64 { 400_000_000 }

  private var phase: Phase

  /// - Parameter isHeldAtStart: Whether the button is pressed already: that press means nothing.
  package init(isHeldAtStart: Bool) {
    phase = isHeldAtStart ? .ignored : .idle
  }

  /// When ``elapse(to:)`` will have an input unless an edge comes first; `nil` when never.
  package var deadline: MonotonicTime? {
    switch phase {
    case .idle, .ignored: return nil
    case .pressed(let down, _, isLong: false): return down.later(by: Self.long)
    case .pressed(let down, _, isLong: true): return down.later(by: Self.veryLong)
    case .released(_, let up): return up.later(by: Self.doubleWindow)
    }
  }

  /// The inputs of an edge, after those that were due by its stamp.
  package mutating func handle(_ edge: LineEdge) -> [RecorderInput] {
    elapse(to: edge.time) + (edge.isActive ? press(edge.time) : release(edge.time))
  }

  /// The inputs that became due by `now`, in their order; each is reported once.
  package mutating func elapse(to now: MonotonicTime) -> [RecorderInput] {
    var inputs: [RecorderInput] = []
    while let deadline, now >= deadline { inputs += passDeadline() }
    return inputs
  }

  /// Whether an input that is due by `now` assumes that the button is still down: the release may have been lost.
  package func isHoldDue(by now: MonotonicTime) -> Bool {
    guard case .pressed = phase, let deadline else { return false }
    return now >= deadline
  }

  /// Forgets a press whose release is lost; one that was released keeps its meaning.
  package mutating func forget() -> [RecorderInput] {
    switch phase {
    case .idle, .released: return []
    case .ignored:
      phase = .idle
      return []
    case .pressed(let down, _, _):
      phase = .idle
      return [.forgotten(at: down)]
    }
  }

  /// Each phase has fewer deadlines left than the one before it, so that ``elapse(to:)`` ends.
  private mutating func passDeadline() -> [RecorderInput] {
    switch phase {
    case .idle, .ignored:
      return []
    case .pressed(let down, let first, isLong: false):
      phase = .pressed(down: down, first: nil, isLong: true)
      // A long press does not make a double one with the press before it.
      return (first.map { [.single(at: $0)] } ?? []) + [.holding(at: down)]
    case .pressed(let down, _, isLong: true):
      phase = .ignored
      return [.veryLong(at: down)]
    case .released(let down, _):
      phase = .idle
      return [.single(at: down)]
    }
  }

  private mutating func press(_ time: MonotonicTime) -> [RecorderInput] {
    switch phase {
    case .idle: phase = .pressed(down: time, first: nil, isLong: false)
    case .released(let down, _): phase = .pressed(down: time, first: down, isLong: false)
    case .ignored, .pressed: return []
    }
    return [.buttonDown(at: time)]
  }

  private mutating func release(_ time: MonotonicTime) -> [RecorderInput] {
    switch phase {
    case .idle, .released:
      return []
    case .ignored:
      phase = .idle
      return []
    case .pressed(_, let first?, _):
      phase = .idle
      return [.double(at: first)]
    // Reported as held by a clock that is ahead of the stamps: the stamps decide.
    case .pressed(let down, nil, let isLong):
      if isLong, time >= down.later(by: Self.long) {
        phase = .idle
        return [.long(at: down)]
      }
      phase = .released(down: down, up: time)
      return [.press(at: down)]
    }
  }
}

extension MonotonicTime {
  /// The instant `nanoseconds` later, saturated: stamps and lengths come from outside and must not trap.
  func later(by nanoseconds: Int64) -> MonotonicTime {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }
}
