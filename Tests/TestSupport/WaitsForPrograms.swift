// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Testing

/// Runs tests on threads of their own, because they stand still while a program does something.
///
/// Without it a test that waits keeps one of the few threads that all other tests run on, one for each processor, and
/// the machine idles; and a test that expects a process to end has it looked for without a pause until a thread
/// is free.
///
/// A time limit of such tests counts from the start of all tests, the wait for one of these threads included: it has to
/// be longer than a whole run on a slow machine.
public struct WaitsForPrograms: SuiteTrait, TestTrait, TestScoping {
  /// A suite's tests have it, too.
  public let isRecursive = true

  /// Lets a test run on one of these threads.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitsForPrograms {
  /// The tests start processes and wait for them.
  public static var waitsForPrograms: WaitsForPrograms { WaitsForPrograms() }
}

/// A few threads that take jobs in the order in which they come.
///
/// `@unchecked Sendable`: `jobs` is only touched while `lock` is held, and the pointers never change.
private final class WaitingThreads: TaskExecutor, @unchecked Sendable {
  static let shared = WaitingThreads(count: 6)

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [UnownedJob] = []

  private init(count: Int) {
    pthread_mutex_init(lock, nil)
    pthread_cond_init(arrival, nil)
    for _ in 0..<count {
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil, { _ in WaitingThreads.shared.work() }, nil)
      precondition(code == 0, "no thread: errno \(code)")
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pthread_mutex_lock(lock)
    jobs.append(job)
    pthread_cond_signal(arrival)
    pthread_mutex_unlock(lock)
  }

  private func work() -> Never {
    while true {
      pthread_mutex_lock(lock)
      while jobs.isEmpty { pthread_cond_wait(arrival, lock) }
      let job = jobs.removeFirst()
      pthread_mutex_unlock(lock)
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
