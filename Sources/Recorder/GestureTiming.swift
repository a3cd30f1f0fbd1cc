/// The lengths of time, in nanoseconds, that tell one gesture from another.
public struct GestureTiming: Equatable, Sendable {
  /// A press of at least this length is a long one.
  public var long: Int64 = 1_500_000_000
  /// A press of this length is a very long one, and is reported while the button is still held.
  public var veryLong: Int64 = 6_000_000_000
  /// A second press that goes down less than this after the first one's release makes it a double one.
  public var doubleWindow: Int64 = 400_000_000

  /// The times of the program: 1.5 s, 6 s and 0.4 s.
  public init() {}
}
