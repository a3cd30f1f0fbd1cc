public import IMUModel

/// What a person did with the button. Each carries the stamp of the press's going down, of a double press the
/// first one's.
public enum Gesture: Equatable, Sendable {
  /// A short press was released. Reported at once; ``settled(at:)`` or ``double(at:)`` follows and is the first to.
  case press(at: MonotonicTime)
  /// A second short press followed the one of ``press(at:)``; reported at its release.
  case double(at: MonotonicTime)
  /// No second press followed the one of ``press(at:)``.
  case settled(at: MonotonicTime)
  /// A long press was released.
  case long(at: MonotonicTime)
  /// The button has been held for the time of a long press. Whether it becomes a long or a very long one is
  /// still open; a sign for the light.
  case holding(at: MonotonicTime)
  /// The button has been held for the time of a very long press; its release means nothing.
  case veryLong(at: MonotonicTime)
  /// The end of a press is not known and never will be, so that the press means nothing.
  case forgotten(at: MonotonicTime)
}
