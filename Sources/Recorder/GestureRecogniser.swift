public import IMUModel
public import LinuxIO

/// Tells gestures from the button's edges. Knows only the edges' stamps and the instants it is given, so that a
/// press means the same however late the program wakes.
///
///      level       ▁▁▁▔▔▔▁▁▁▁▁▁▁▁▁▁▁▁    ▁▁▁▔▔▔▁▁▁▔▔▔▁▁    ▁▁▁▔▔▔▔▔▔▔▔▔▁▁    ▁▁▁▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
///                        └─window─┤            │     │        └─long─┤ │        └─────very long──┤
///      reported          press  settled      press double       holding long        holding  veryLong
///
/// Every limit belongs to the longer gesture: a press of just ``GestureTiming/long`` is a long one. Edges that
/// repeat a level are ignored, so that an edge the kernel lost neither doubles a press nor loses the next one.
/// Stamps that run backwards count as no time at all.
///
/// - Note: Hand over all edges that are waiting before calling ``elapse(to:)``; an edge with a stamp before that
///   instant is still understood, but what was due has been reported by then.
public struct GestureRecogniser: Sendable {
  /// What the button is at.
  private enum Phase {
    /// Released, and nothing is pending.
    case idle
    /// Pressed, and its release means nothing.
    case ignored
    /// Pressed; `first` is the short press just before it, `isLong` once ``Gesture/holding(at:)`` was reported.
    case pressed(down: MonotonicTime, first: MonotonicTime?, isLong: Bool)
    /// Released after a short press; a second one may follow.
    case released(down: MonotonicTime, up: MonotonicTime)
  }

  private let timing: GestureTiming
  private var phase: Phase

  /// A recogniser that has seen no edge yet.
  ///
  /// - Parameter isHeldAtStart: The button is pressed already: that press means nothing.
  public init(timing: GestureTiming = GestureTiming(), isHeldAtStart: Bool) {
    self.timing = timing
    phase = isHeldAtStart ? .ignored : .idle
  }

  /// When ``elapse(to:)`` will have something to report if no edge comes before; `nil` when never.
  public var deadline: MonotonicTime? {
    switch phase {
    case .idle, .ignored: return nil
    case .pressed(let down, _, isLong: false): return down.later(by: timing.long)
    case .pressed(let down, _, isLong: true): return down.later(by: timing.veryLong)
    case .released(_, let up): return up.later(by: timing.doubleWindow)
    }
  }

  /// What an edge brings, after what was due by its stamp.
  public mutating func handle(_ edge: LineEdge) -> [Gesture] {
    elapse(to: edge.time) + (edge.isActive ? press(edge.time) : release(edge.time))
  }

  /// What became due by `now`, in the order in which it did; each is reported once.
  public mutating func elapse(to now: MonotonicTime) -> [Gesture] {
    var gestures: [Gesture] = []
    while let deadline, now >= deadline { gestures += fallDue() }
    return gestures
  }

  /// Whether what is due by `now` rests on a button that is still down: the release may have been lost.
  public func isHoldDue(by now: MonotonicTime) -> Bool {
    guard case .pressed = phase, let deadline else { return false }
    return now >= deadline
  }

  /// Forgets the press under way, because its release was lost or cannot be reported any more. A press that was
  /// released keeps its meaning.
  public mutating func forget() -> [Gesture] {
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

  /// What happens at the deadline. Each phase has fewer deadlines before it than the one it comes from.
  private mutating func fallDue() -> [Gesture] {
    switch phase {
    case .idle, .ignored:
      return []
    case .pressed(let down, let first, isLong: false):
      phase = .pressed(down: down, first: nil, isLong: true)
      // A long press makes no double one of the press before it.
      return (first.map { [.settled(at: $0)] } ?? []) + [.holding(at: down)]
    case .pressed(let down, _, isLong: true):
      phase = .ignored
      return [.veryLong(at: down)]
    case .released(let down, _):
      phase = .idle
      return [.settled(at: down)]
    }
  }

  private mutating func press(_ time: MonotonicTime) -> [Gesture] {
    switch phase {
    case .idle: phase = .pressed(down: time, first: nil, isLong: false)
    case .released(let down, _): phase = .pressed(down: time, first: down, isLong: false)
    case .ignored, .pressed: break
    }
    return []
  }

  private mutating func release(_ time: MonotonicTime) -> [Gesture] {
    switch phase {
    case .idle, .released:
      return []
    case .ignored:
      phase = .idle
      return []
    case .pressed(_, let first?, _):
      phase = .idle
      return [.double(at: first)]
    // Reported as held, but by a clock that ran ahead of the stamps: they decide.
    case .pressed(let down, nil, let isLong):
      if isLong, time >= down.later(by: timing.long) {
        phase = .idle
        return [.long(at: down)]
      }
      phase = .released(down: down, up: time)
      return [.press(at: down)]
    }
  }
}

extension MonotonicTime {
  /// The instant `nanoseconds` after this one, or the last there is: stamps come from outside and must not trap.
  fileprivate func later(by nanoseconds: Int64) -> MonotonicTime {
    let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }
}
