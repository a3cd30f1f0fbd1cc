import Glibc

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

  /// Waits for the thread and lets go of what was shared with it; called exactly once.
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
