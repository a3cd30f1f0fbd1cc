// SPDX-License-Identifier: Apache-2.0

/// Keeps the start of programs apart from work with locks of files.
///
/// A program that is being started has, until it runs, copies of all that this process has open, and with them the locks
/// (flock(2)): one that a test of the store has released in that moment is still held, and a recording that no one
/// writes any more counts as live.
public enum ProgramStart {
  /// Starts a program: no one is inside of ``excluded(_:)`` meanwhile.
  public static func perform<Result: ~Copyable>(
    _ start: () throws -> Result
  ) rethrows -> Result {
    ProgramStartGate.shared.enter(asStart: true)
    defer { ProgramStartGate.shared.leave(asStart: true) }
    return try start()
  }

  /// Works while no program is being started. Not to be entered twice by one test: a start between the two would wait
  /// for the first and hold up the second.
  public static func excluded<Result>(_ work: () throws -> Result) rethrows -> Result {
    ProgramStartGate.shared.enter(asStart: false)
    defer { ProgramStartGate.shared.leave(asStart: false) }
    return try work()
  }
}
