// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
import Synchronization

/// The state that a thread and its owner share: the thread waits at a gate for its work.
///
/// Safe (`@unchecked Sendable`): `name` and `priority` never change. The thread writes `report` before it posts `ready`,
/// and the owner reads it after it waited for `ready`. The owner writes `work` before it posts `go`, and the thread reads
/// it after it waited for `go`. A semaphore's post happens before the wait it ends (POSIX, 4.12 Memory Synchronization).
final class ThreadCore: @unchecked Sendable {
  let name: String
  let priority: Int32?
  var report = SchedulingReport()
  var work: (() -> Void)?
  /// Stored (releasing) by the thread when its work is done, loaded (acquiring) by the owner, who sees what the work wrote.
  let isFinished = Atomic<Bool>(false)
  private let ready = Gate()
  private let go = Gate()

  init(name: String, priority: Int32?) {
    self.name = name
    self.priority = priority
  }

  /// On the thread: sets its name and class, reports to the owner, waits at the gate, works.
  func run() {
    clinuxio_set_thread_name(name)
    blockSignals()
    report = .schedule(priority: priority)
    // The first deep call must not wait for the kernel to find a page.
    if priority != nil { clinuxio_touch_stack() }
    ready.open()
    go.wait()
    work?()
    work = nil
    isFinished.store(true, ordering: .releasing)
  }

  /// On the owner's thread: waits, once, until the thread has reported.
  func waitUntilReady() { ready.wait() }

  /// On the owner's thread: starts the thread's `work`, or ends the thread when it is `nil`.
  func open(_ work: (() -> Void)?) {
    self.work = work
    go.open()
  }

  /// Signals are for the main thread; none interrupts a system call of this one.
  private func blockSignals() {
    var set = sigset_t()
    sigfillset(&set)
    // Raised by the thread's own instructions; blocked, they would hide a crash.
    let own = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE]
    for signal in own { sigdelset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }
}

/// A semaphore that starts closed. The corresponding C functions are `sem_wait` and `sem_post`.
private struct Gate: ~Copyable {
  // Safe: allocated and initialised here, destroyed with the value, which its class owns for as long as a thread may
  // wait: both the thread and the owner hold the class.
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open() { sem_post(semaphore) }

  func wait() {
    while sem_wait(semaphore) != 0 && errno == EINTR {}
  }
}

/// The function that `pthread_create` calls. Global, so that no actor is assumed to run it.
func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  // Safe: the pointer is the core that the owner retained for this thread alone.
  Unmanaged<ThreadCore>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}

/// The scheduling that the kernel granted to a thread.
public struct SchedulingReport: Equatable, Sendable, CustomStringConvertible {
  /// The requested real-time priority, 1...99; `nil` for none.
  public var asked: Int32?
  /// The real-time priority (SCHED_FIFO) the thread has; `nil` for ordinary scheduling.
  public var granted: Int32?
  /// Why it was not granted as requested.
  public var refusal: Refusal?

  /// A few words, such as `fifo 80`, `fifo 50 instead of 80` or `no fifo 80`.
  public var description: String {
    switch (asked, granted) {
    case (let asked?, let granted?):
      return asked == granted ? "fifo \(granted)" : "fifo \(granted) instead of \(asked)"
    case (let asked?, nil): return "no fifo \(asked)"
    case (nil, _): return "ordinary scheduling"
    }
  }

  /// Requests SCHED_FIFO for the calling thread; if the priority is refused, the highest one that the user's limit
  /// permits; if that is refused too, timers without slack.
  static func schedule(priority asked: Int32?) -> SchedulingReport {
    var report = SchedulingReport(asked: asked)
    guard let asked else { return report }
    let answer = clinuxio_set_fifo(asked)
    if answer == 0 {
      report.granted = asked
      return report
    }
    // The limit may be raised to permit it, or permit a lower priority.
    if answer == -EPERM { report.granted = applyHighestPermitted(upTo: asked) }
    if report.granted != asked { report.refusal = refusal(-answer, asked) }
    // Ordinary threads wake up to 50 µs late on purpose. Cannot fail for the thread itself and a positive number.
    if report.granted == nil { _ = clinuxio_set_timer_slack(1) }
    return report
  }

  private static func applyHighestPermitted(upTo asked: Int32) -> Int32? {
    var soft: UInt64 = 0
    var hard: UInt64 = 0
    guard clinuxio_realtime_limit(&soft, &hard) == 0, hard > 0 else { return nil }
    let permitted = Int32(min(UInt64(max(asked, 0)), min(hard, 99)))
    guard permitted > 0 else { return nil }
    if soft < UInt64(permitted), clinuxio_set_realtime_limit(UInt64(permitted), hard) < 0 {
      return nil
    }
    return clinuxio_set_fifo(permitted) == 0 ? permitted : nil
  }

  private static func refusal(_ code: Int32, _ priority: Int32) -> Refusal {
    Refusal(
      what: "real-time scheduling (SCHED_FIFO \(priority))", errno: code,
      remedy: code == EINVAL
        ? "Priorities are 1 to 99."
        : "In a systemd unit set LimitRTPRIO=\(priority); in a shell raise `ulimit -r`.")
  }
}
