import CLinuxIO
import Glibc

/// What the kernel granted to a thread.
public struct SchedulingReport: Equatable, Sendable {
  /// The real-time priority asked for, 1...99; `nil` when none was.
  public var asked: Int32?
  /// The real-time priority (SCHED_FIFO) the thread has; `nil` for ordinary scheduling.
  public var granted: Int32?
  /// Why it has not what was asked for.
  public var refusal: Refusal?
}

extension SchedulingReport: CustomStringConvertible {
  /// A few words, such as `fifo 80`, `fifo 50 instead of 80` or `no fifo 80`.
  public var description: String {
    switch (asked, granted) {
    case (let asked?, let granted?):
      return asked == granted ? "fifo \(granted)" : "fifo \(granted) instead of \(asked)"
    case (let asked?, nil): return "no fifo \(asked)"
    case (nil, _): return "ordinary scheduling"
    }
  }
}

extension SchedulingReport {
  /// Asks for SCHED_FIFO for the calling thread; where the priority is refused, for the highest one
  /// that the user's limit permits; where that is refused too, for timers without slack.
  static func schedule(priority asked: Int32?) -> SchedulingReport {
    var report = SchedulingReport(asked: asked)
    guard let asked else { return report }
    let answer = clinuxio_set_fifo(asked)
    if answer == 0 {
      report.granted = asked
      return report
    }
    // A limit may permit what is not permitted unasked, or a lower priority.
    if answer == -EPERM { report.granted = takeWhatTheLimitPermits(upTo: asked) }
    if report.granted != asked { report.refusal = refusal(-answer, asked) }
    // Ordinary threads wake up to 50 µs late on purpose, so that the processor sleeps longer.
    // Cannot fail for the thread itself and a positive number.
    if report.granted == nil { _ = clinuxio_set_timer_slack(1) }
    return report
  }

  private static func takeWhatTheLimitPermits(upTo asked: Int32) -> Int32? {
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
    let remedy =
      code == EINVAL
      ? "Priorities are 1 to 99."
      : "In a systemd unit set LimitRTPRIO=\(priority); in a shell raise `ulimit -r`, or give the"
        + " program the right: `sudo setcap cap_sys_nice,cap_ipc_lock+ep PROGRAM`."
    return Refusal("real-time scheduling (SCHED_FIFO \(priority))", errno: code, remedy: remedy)
  }
}
