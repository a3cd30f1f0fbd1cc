import CLinuxIO
import Glibc
import Synchronization

/// What a thread and its owner share: the thread waits at a gate until it is given its work.
///
/// Safe (`@unchecked Sendable`): `name` and `priority` never change. `report` is
/// written by the thread before it posts `ready` and read by the owner after it waited for `ready`.
/// `work` is written by the owner before it posts `go` and read by the thread after it waited for
/// `go`. A semaphore's post happens before the wait it ends (POSIX, 4.12 Memory Synchronization).
final class ThreadCore: @unchecked Sendable {
  let name: String
  let priority: Int32?
  var report = SchedulingReport()
  var work: (() -> Void)?
  /// Pairs: stored (releasing) by the thread when its work is done, loaded (acquiring) by the
  /// owner, who then sees what the work wrote.
  let isFinished = Atomic<Bool>(false)
  private let ready = Gate()
  private let go = Gate()

  init(name: String, priority: Int32?) {
    self.name = name
    self.priority = priority
  }

  /// On the thread: takes its name and class, reports to the owner, waits at the gate, works.
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

  /// On the owner's thread: what the thread was granted, once.
  func waitUntilReady() { ready.wait() }

  /// On the owner's thread: lets the thread begin with `work`, or end when it is `nil`.
  func open(_ work: (() -> Void)?) {
    self.work = work
    go.open()
  }

  /// Signals are for the main thread; a system call of this one must not be interrupted by them.
  private func blockSignals() {
    var set = sigset_t()
    sigfillset(&set)
    // Raised by what the thread itself does; blocked, they would hide a crash.
    let own = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE]
    for signal in own { sigdelset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }
}

/// A semaphore that starts closed. The corresponding C functions are `sem_wait` and `sem_post`.
private struct Gate: ~Copyable {
  // Safe: allocated here, initialised once, destroyed with the value, which its class owns for as
  // long as a thread may wait: both the thread and the owner hold the class.
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

/// What `pthread_create` calls. A function of this file, so that no actor is assumed to run it.
func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  // Safe: the pointer is the core that the owner retained for this thread alone.
  Unmanaged<ThreadCore>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}
