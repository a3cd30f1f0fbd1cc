public import IMUModel

/// A change of a GPIO input.
public struct LineEdge: Equatable, Sendable {
  /// Whether the line is active from then on.
  public var isActive: Bool
  /// When, by the kernel's CLOCK_MONOTONIC stamp.
  public var time: MonotonicTime

  /// An edge.
  public init(isActive: Bool, time: MonotonicTime) {
    self.isActive = isActive
    self.time = time
  }
}

/// Makes the kernel's edges alternate again where some were lost.
///
/// The kernel numbers a line's edges and keeps a limited count of them; when there are more, the
/// oldest go. An edge that does not change the level can only follow a lost one, which is put in
/// front of it, at the same time for want of a better one:
///
///     reported  up 1   ·   ·   up 4          number 2 and 3 lost: down, and up or nothing
///     given     up     down    up
package struct EdgeSequence {
  /// The level after the last edge.
  package private(set) var isActive: Bool
  /// Edges that the kernel had no room for.
  package private(set) var lost: UInt64 = 0
  private var next: UInt32 = 1

  /// Begins at a level; the kernel's first edge has number 1.
  package init(isActive: Bool) { self.isActive = isActive }

  /// Appends `edge`, which the kernel numbered `number`, to `edges`, and what it must have followed.
  package mutating func append(_ edge: LineEdge, number: UInt32, to edges: inout [LineEdge]) {
    let missing = number &- next
    lost += UInt64(missing)
    next = number &+ 1
    if edge.isActive == isActive {
      // Without a lost edge it is a repetition, of the level that was read at the beginning.
      guard missing > 0 else { return }
      edges.append(LineEdge(isActive: !edge.isActive, time: edge.time))
    }
    edges.append(edge)
    isActive = edge.isActive
  }
}
