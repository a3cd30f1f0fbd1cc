// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
import IMUModel

/// A kernel thread that has its name, stack and scheduling class, and waits for its work.
///
/// Making a thread and starting its work are two steps: a log's header states what the kernel granted before the first
/// sample, and nothing can fail any more once the work is moved in:
///
///     let thread = try RealTimeThread(name: "imu-sampler", priority: 80)
///     if let refusal = thread.scheduling.refusal { … }
///     let running = thread.run(moving: sampler) { sampler in sampler.run() }
///     let sampler = running.join()
///
/// A value that is dropped without work ends its thread.
public struct RealTimeThread: ~Copyable {
  private let core: Unmanaged<ThreadCore>
  private let identifier: pthread_t

  /// Starts a thread and returns when it has been scheduled. All signals but those of crashes are blocked in it.
  ///
  /// - Parameters:
  ///   - name: As `ps -L` and `top -H` show it; the kernel keeps 15 bytes.
  ///   - priority: SCHED_FIFO priority, 1...99, or `nil` for ordinary scheduling. A refusal does not throw: see
  ///     ``scheduling``. With a priority, the first 64 KiB of the stack are touched.
  ///   - stackSize: Bytes of stack: enough for the sampler, and small, because locked memory counts it whole.
  /// - Throws: ``LinuxIOError`` when the kernel creates no more threads.
  public init(
    name: String, priority: Int32? = nil, stackSize: Int = 256 * 1024
  ) throws(LinuxIOError) {
    var kept = name
    while kept.utf8.count > 15 { kept.removeLast() }
    let core = ThreadCore(name: kept, priority: priority)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    var identifier = pthread_t()
    let argument = Unmanaged.passRetained(core)
    var code = pthread_attr_setstacksize(&attributes, stackSize)
    if code == 0 {
      code = pthread_create(&identifier, &attributes, threadMain, argument.toOpaque())
    }
    guard code == 0 else {
      argument.release()
      throw Attempt(attempt: "starting a thread", place: name).refused(
        code,
        "Raise the limits on tasks and memory (`ulimit -u`, TasksMax= and MemoryMax= in a"
          + " systemd unit), or end other programs.")
    }
    self.core = Unmanaged.passRetained(core)
    self.identifier = identifier
    core.waitUntilReady()
  }

  /// What the kernel granted.
  public var scheduling: SchedulingReport { core.takeUnretainedValue().report }

  deinit {
    // Safe: the retain of `init` is given up once, here or in `run`.
    let core = core.takeRetainedValue()
    core.open(nil)
    pthread_join(identifier, nil)
  }

  /// Moves `payload` into the thread, where `body` works on it; ``RunningThread/join()`` returns it.
  public consuming func run<Payload: ~Copyable>(
    moving payload: consuming sending Payload, _ body: @escaping @Sendable (inout Payload) -> Void
  ) -> RunningThread<Payload> {
    // Safe: the value is alone in its memory; the thread alone uses it until it has been joined.
    let memory = UnsafeMutablePointer<Payload>.allocate(capacity: 1)
    memory.initialize(to: payload)
    let core = core
    let identifier = identifier
    discard self
    core.takeUnretainedValue().open { body(&memory.pointee) }
    return RunningThread(core: core, identifier: identifier, payload: memory)
  }

  /// The thread's work, when nothing has to be moved in.
  public consuming func run(_ body: @escaping @Sendable () -> Void) -> RunningThread<Void> {
    run(moving: ()) { _ in body() }
  }
}

/// A thread at work, with the value that was moved into it. A value that is dropped waits for its thread.
public struct RunningThread<Payload: ~Copyable>: ~Copyable {
  private let core: Unmanaged<ThreadCore>
  private let identifier: pthread_t
  // Safe: the thread alone uses the memory until it has been joined, this value alone afterwards.
  private let payload: UnsafeMutablePointer<Payload>

  fileprivate init(
    core: Unmanaged<ThreadCore>, identifier: pthread_t, payload: UnsafeMutablePointer<Payload>
  ) {
    (self.core, self.identifier, self.payload) = (core, identifier, payload)
  }

  /// What the kernel granted.
  public var scheduling: SchedulingReport { core.takeUnretainedValue().report }

  /// Whether the work is done, so that ``join()`` returns at once.
  public var isFinished: Bool {
    core.takeUnretainedValue().isFinished.load(ordering: .acquiring)
  }

  deinit { finish().deinitialize(count: 1).deallocate() }

  /// Waits for the end of the work, which the caller must ask to end, and returns the moved value.
  public consuming func join() -> Payload {
    let memory = finish()
    discard self
    // Safe: the thread has ended, and the memory is left exactly once.
    defer { memory.deallocate() }
    return memory.move()
  }

  /// Waits for the end of the work for at most `nanoseconds`, and else abandons the thread: for work that may hang in the
  /// kernel, where nothing can interrupt it. The corresponding C function is `pthread_clockjoin_np`.
  ///
  /// - Returns: Whether the work is done; the moved value is destroyed then. An abandoned thread keeps it.
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
  /// Abandons the thread.
  public consuming func leaveBehind() {
    pthread_detach(identifier)
    core.release()
    // Safe: the thread has the pointer too, but a `Void` has no bytes to touch.
    payload.deallocate()
    discard self
  }
}
