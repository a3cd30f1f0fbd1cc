public import IMUModel

/// A change of the button's level, as the kernel stamped it.
public struct ButtonEdge: Equatable, Sendable {
  /// Whether the button was pressed from here on.
  public var isPressed: Bool
  /// When the level changed.
  public var time: MonotonicTime

  /// A change to pressed, or to released, at `time`.
  public init(isPressed: Bool, time: MonotonicTime) {
    self.isPressed = isPressed
    self.time = time
  }
}
