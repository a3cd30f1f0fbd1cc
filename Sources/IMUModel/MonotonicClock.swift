/// A clock that can be read and waited for.
///
/// Two clocks conform: the kernel's (`LinuxIO.SystemClock`) and one that a program moves by hand
/// (`SimulatedIMU.VirtualClock`). Both calls are made on the sampler thread, so a conforming type
/// must neither allocate nor lock in them.
public protocol MonotonicClock: Sendable {
  /// The present instant.
  func now() -> MonotonicTime

  /// Returns at `deadline` or later; at once when `deadline` is past.
  ///
  /// The deadline is absolute, so an interrupted wait is taken up again without drift.
  func sleep(until deadline: MonotonicTime)
}
