import LinuxIO

/// The pull from one host, on a thread of its own.
final class HostThread {
  private var thread: RunningThread<HostPull>?

  /// Bytes: paths, text and the reader's small buffers.
  private static var stackSize: Int { 1 << 20 }

  init(_ pull: sending HostPull) throws(LinuxIOError) {
    let thread = try RealTimeThread(name: "imu-pull", stackSize: HostThread.stackSize)
    self.thread = .some(thread.run(moving: pull) { pull in pull.run() })
  }

  /// Waits for the end. To be asked once.
  func result() -> PulledHost {
    guard let thread = thread.take() else { preconditionFailure("asked twice") }
    return thread.join().result
  }
}
