// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

/// How long the card takes to sync: what a logger that waits for it would wait, and how much memory imulog needs
/// meanwhile.
struct CardProbe<Clock: MonotonicClock> {
  let store: String
  let clock: Clock
  /// Nanoseconds.
  var length: Int64 = 10_000_000_000

  private var pause: Int64 { 50_000_000 }
  private var pageBytes: Int { 4096 }
  /// Nanoseconds beyond which the queue of 1 MiB may fill at high rates.
  private var longest: Int64 { 2_000_000_000 }

  /// What `--card` asks for, but not beside a recording, whose card it would keep busy.
  static func run(_ subject: DoctorSubject) -> Check? where Clock == SystemClock {
    guard let length = subject.probeLength, let store = subject.store else { return nil }
    func left(_ why: String) -> Check {
      Check("card", .unchecked, "\(why): the card is left to it")
    }
    switch subject.status {
    case .success(let status) where !status.isIdle:
      return left("the service is \(status.state.rawValue)")
    case .failure where !DoctorSubject.isAbsent(subject.status):
      return left("the service does not say whether it records")
    default: break
    }
    if StoreChecks.isRecording(into: store) { return left("a recording is being written") }
    return CardProbe(store: store, clock: SystemClock(), length: length).run()
  }

  /// Appends pages to a file of its own in the store, syncs each, and removes the file.
  func run() -> Check {
    let path = store + "/.card-probe-\(getpid())"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      return Check("card", .unchecked, "no file can be made in the store: \(Errno.words(errno))")
    }
    // At once, so that nothing stays however this ends.
    unlink(path)
    defer { close(descriptor) }
    let end = clock.now() + length
    let page = [UInt8](repeating: 0xA5, count: pageBytes)
    var times: [Int64] = []
    repeat {
      let before = clock.now()
      // Safe: the count is the array's.
      guard write(descriptor, page, page.count) == page.count, fdatasync(descriptor) == 0 else {
        return Check("card", .wrong, "writing and syncing a page: \(Errno.words(errno))")
      }
      times.append(clock.now() - before)
      clock.sleep(until: clock.now() + pause)
    } while clock.now() < end
    return check(times.sorted())
  }

  /// - Parameter times: Nanoseconds of each sync, the shortest first.
  private func check(_ times: [Int64]) -> Check {
    func milliseconds(_ percent: Int) -> String {
      Plain.number(times[(times.count - 1) * percent / 100] / 100_000, per: 10)
    }
    let isSlow = times[times.count - 1] > longest
    return Check(
      "card", isSlow ? .advice : .ok,
      "\(times.count) syncs of a page: p50 \(milliseconds(50)) ms, p99 \(milliseconds(99)) ms, worst "
        + "\(milliseconds(100)) ms" + (isSlow ? "; a better card stalls less" : ""),
      figures: [
        Check.Figure("syncs", "\(times.count)"), Check.Figure("p50_ms", milliseconds(50)),
        Check.Figure("p99_ms", milliseconds(99)), Check.Figure("worst_ms", milliseconds(100)),
        Check.Figure("worst_at_most_ms", Plain.number(longest, per: 1_000_000)),
      ])
  }
}
