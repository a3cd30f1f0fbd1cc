/// A moment that the user marked during a recording.
public struct Mark: Equatable, Sendable {
  /// Nanoseconds since tick 0's deadline.
  public var time: Int64
  /// The user's words, at most 200 bytes of UTF-8; empty for a press of the button.
  public var label: String

  /// A mark at `time`.
  public init(time: Int64, label: String = "") {
    self.time = time
    self.label = label
  }
}
