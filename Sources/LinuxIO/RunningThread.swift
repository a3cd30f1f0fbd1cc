import CLinuxIO
import Glibc
import IMUModel

/// A thread at work, with the value that was moved into it.
///
/// A value that is dropped waits for its thread.
public struct RunningThread<Payload: ~Copyable>: ~Copyable {
  private let core: Unmanaged<ThreadCore>
  private let identifier: pthread_t
  // Safe: the thread alone uses the memory until it has been joined, this value alone afterwards.
  private let payload: UnsafeMutablePointer<Payload>

  init(
    core: Unmanaged<ThreadCore>, identifier: pthread_t, payload: UnsafeMutablePointer<Payload>
  ) {
    self.core = core
    self.identifier = identifier
    self.payload = payload
  }

  /// What the kernel granted.
  public var scheduling: SchedulingReport { core.takeUnretainedValue().report }

  /// Whether the work is done, so that ``join()`` returns at once.
  public var isFinished: Bool {
    core.takeUnretainedValue().isFinished.load(ordering: .acquiring)
  }

  deinit { finish().deinitialize(count: 1).deallocate() }

  /// Waits for the end of the work and gives back what was moved in.
  ///
  /// Nothing makes the work end sooner; ask it to end by means of your own.
  public consuming func join() -> Payload {
    let memory = finish()
    discard self
    // Safe: the thread has ended, and the memory is left exactly once.
    defer { memory.deallocate() }
    return memory.move()
  }

  /// Waits for the end of the work, but no longer than this; then the thread is left behind, to end when it will: for
  /// work that may hang in the kernel, which nothing can interrupt.
  ///
  /// The corresponding C function is `pthread_clockjoin_np`, with CLOCK_MONOTONIC: a wall clock that is set meanwhile
  /// changes nothing.
  ///
  /// - Returns: Whether the work is done. What was moved in goes with its end; a thread that is left behind keeps it.
  @discardableResult
  public consuming func join(within nanoseconds: Int64) -> Bool {
    let deadline = SystemClock().now() + max(0, nanoseconds)
    guard clinuxio_join_until(identifier, deadline.nanoseconds) == 0 else {
      pthread_detach(identifier)
      core.release()
      // Safe: the memory is not freed, so the thread may use it for as long as it lives.
      discard self
      return false
    }
    core.release()
    // Safe: the thread has ended, and the memory is left exactly once.
    payload.deinitialize(count: 1).deallocate()
    discard self
    return true
  }

  /// Waits for the thread and releases what was shared with it; called exactly once.
  private func finish() -> UnsafeMutablePointer<Payload> {
    pthread_join(identifier, nil)
    core.release()
    return payload
  }
}

extension RunningThread where Payload == Void {
  /// Lets the thread end when it will: for work that may hang in the kernel, which nothing can interrupt.
  public consuming func leaveBehind() {
    pthread_detach(identifier)
    core.release()
    // Safe: the thread has the pointer too, but a `Void` has no bytes to touch.
    payload.deallocate()
    discard self
  }
}
