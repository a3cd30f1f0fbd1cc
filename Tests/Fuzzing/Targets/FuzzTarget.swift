// SPDX-License-Identifier: Apache-2.0

/// A target for a fuzzer; `swift test` feeds it the corpus again.
///
/// A target traps on any fault.
public protocol FuzzTarget: AnyObject {
  /// The name, also of the corpus' directory.
  static var name: String { get }
  /// A target for one thread.
  init()
  /// Tries one input.
  func run(_ input: UnsafeRawBufferPointer)
}

/// All targets but those of screens, which only tests see.
public enum FuzzTargets {
  /// By name.
  public static var all: [any FuzzTarget.Type] {
    [
      PageTarget.self, LogTarget.self, ExportTarget.self, ImportTarget.self, RequestTarget.self,
      AnalysisTarget.self, TextTarget.self,
    ]
  }
}
