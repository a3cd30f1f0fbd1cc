import Glibc
public import Testing

/// Keeps the start of programs apart from work with locks of files.
///
/// A program that is being started has, until it runs, copies of all that this process has open, and with them the locks
/// (flock(2)): one that a test of the store has let go of in that moment is still held, and a recording that nobody
/// writes any more counts as live.
public enum ProgramStart {
  /// Starts a program: nobody is inside of ``excluded(_:)`` meanwhile.
  public static func perform<Result>(_ start: () throws -> Result) rethrows -> Result {
    Gate.shared.enter(asStart: true)
    defer { Gate.shared.leave(asStart: true) }
    return try start()
  }

  /// Works while no program is being started. Not to be entered twice by one test: a start between the two would wait
  /// for the first and hold up the second.
  public static func excluded<Result>(_ work: () throws -> Result) rethrows -> Result {
    Gate.shared.enter(asStart: false)
    defer { Gate.shared.leave(asStart: false) }
    return try work()
  }
}

/// Runs tests while no program is being started; for short ones, because programs have to wait for their end.
public struct ExcludesProgramStarts: SuiteTrait, TestTrait, TestScoping {
  /// A suite's tests have it, too.
  public let isRecursive = true

  /// Lets a test run when no program is being started.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    Gate.shared.enter(asStart: false)
    defer { Gate.shared.leave(asStart: false) }
    try await function()
  }
}

extension Trait where Self == ExcludesProgramStarts {
  /// The tests let go of locks and look whether they are free.
  public static var excludesProgramStarts: ExcludesProgramStarts { ExcludesProgramStarts() }
}

/// One start, or any number of others; a start that waits goes before others that come later.
///
/// `@unchecked Sendable`: the counts are only touched while `lock` is held, and the pointers never change. Not one of
/// POSIX's, because a test may go on on another thread than it began on.
private final class Gate: @unchecked Sendable {
  static let shared = Gate()

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isStarting = false
  private var waitingStarts = 0
  private var others = 0

  private init() {
    pthread_mutex_init(lock, nil)
    pthread_cond_init(change, nil)
  }

  func enter(asStart: Bool) {
    pthread_mutex_lock(lock)
    if asStart {
      waitingStarts += 1
      while isStarting || others > 0 { pthread_cond_wait(change, lock) }
      waitingStarts -= 1
      isStarting = true
    } else {
      while isStarting || waitingStarts > 0 { pthread_cond_wait(change, lock) }
      others += 1
    }
    pthread_mutex_unlock(lock)
  }

  func leave(asStart: Bool) {
    pthread_mutex_lock(lock)
    if asStart { isStarting = false } else { others -= 1 }
    pthread_cond_broadcast(change)
    pthread_mutex_unlock(lock)
  }
}
