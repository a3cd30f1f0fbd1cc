/// What a fuzzer feeds, and what `swift test` feeds its corpus again.
///
/// A target traps when something is not as it should be.
public protocol FuzzTarget: AnyObject {
  /// The name, also of the corpus' directory.
  static var name: String { get }
  /// A target for one thread.
  init()
  /// Tries one input.
  func run(_ input: UnsafeRawBufferPointer)
}

/// All targets.
public enum FuzzTargets {
  /// By name.
  public static var all: [any FuzzTarget.Type] {
    [PageTarget.self, LogTarget.self, ExportTarget.self, RequestTarget.self]
  }
}
