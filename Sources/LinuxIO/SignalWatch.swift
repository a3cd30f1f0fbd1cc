// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
import IMUModel

/// Signals that end a recording, as descriptors to poll instead of interruptions.
///
/// Make it on the main thread before any other thread: threads inherit the blocked signals, so none of them is
/// interrupted. Its end restores the signals as they were.
public struct SignalWatch: ~Copyable {
  /// Ready for reading when a signal is pending; for `poll` beside other descriptors.
  public let fileDescriptor: Int32
  private let previousMask: sigset_t

  /// SIGINT (Ctrl-C), SIGTERM (service managers) and, unless it is ignored as under `nohup`, SIGHUP (a terminal or an ssh
  /// connection that goes away).
  public static var endings: [Int32] {
    var action = sigaction()
    // Asking for a valid signal's action cannot fail.
    sigaction(SIGHUP, nil, &action)
    let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    return isIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
  }

  /// Blocks the signals for the calling thread and opens a `signalfd`; throws when the process may open no more files.
  public init(_ signals: [Int32] = endings) throws(LinuxIOError) {
    var set = sigset_t()
    sigemptyset(&set)
    var bits: UInt64 = 0
    for signal in signals where (1...64).contains(signal) {
      sigaddset(&set, signal)
      bits |= 1 << UInt64(signal - 1)
    }
    fileDescriptor = try opened(
      clinuxio_signal_descriptor(bits), "signalfd", for: "watching for signals")
    var previous = sigset_t()
    pthread_sigmask(SIG_BLOCK, &set, &previous)
    previousMask = previous
  }

  /// Drop it on the thread that made it.
  deinit {
    var mask = previousMask
    close(fileDescriptor)
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }

  /// Leaves the signals blocked until the process exits, so that none changes its exit status.
  public consuming func keepToExit() { discard self }

  /// Waits for one of the signals: at most `nanoseconds`, rounded up to a millisecond; `nil` waits for ever.
  ///
  /// - Returns: The signal's number, or `nil` when the time is over.
  public func wait(timeoutNanoseconds nanoseconds: Int64?) -> Int32? {
    let clock = SystemClock()
    let end = nanoseconds.map { clock.now() + max(0, min($0, .max / 2)) }
    while true {
      let signal = clinuxio_next_signal(fileDescriptor)
      // The descriptor is our own and open: a refusal is a programming error.
      precondition(signal >= 0, "the signal descriptor was closed by other code")
      if signal > 0 { return signal }
      let now = clock.now()
      if let end, now >= end { return nil }
      // The loop resumes an interrupted wait.
      var waiting = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&waiting, 1, PollTimeout.milliseconds(until: end, now: now))
    }
  }

  /// Whether one of ``endings``, which a watch blocks, is pending. Does not take it; any thread may ask.
  public static var isEnding: Bool {
    var pending = sigset_t()
    // With a valid set it cannot fail.
    sigpending(&pending)
    return endings.contains { sigismember(&pending, $0) == 1 }
  }

  /// Stops the program as Ctrl-Z does, until it is continued; returns at once without a shell that could do that. Call it
  /// when SIGTSTP was among the watched signals and came.
  public static func stop() {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTSTP)
    var previous = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &set, &previous)
    // The kernel's default action, which no handler can replace: it knows whether a shell controls this job.
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &previous, nil)
  }
}
