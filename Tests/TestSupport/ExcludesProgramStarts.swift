// SPDX-License-Identifier: Apache-2.0

public import Testing

/// Runs tests while no program is being started; for short ones, because programs have to wait for their end.
///
/// The tests must not suspend (no `await` in them, no time limit): a start holds a thread while it waits for them, and
/// so do tests that wait for the start, so that none might be left for one that wants to continue.
public struct ExcludesProgramStarts: SuiteTrait, TestTrait, TestScoping {
  /// A suite's tests have it, too.
  public let isRecursive = true

  /// Lets a test run when no program is being started.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    ProgramStartGate.shared.enter(asStart: false)
    defer { ProgramStartGate.shared.leave(asStart: false) }
    try await function()
  }
}

extension Trait where Self == ExcludesProgramStarts {
  /// The tests release locks and look whether they are free.
  public static var excludesProgramStarts: ExcludesProgramStarts { ExcludesProgramStarts() }
}
