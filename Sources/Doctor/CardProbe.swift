// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

extension DoctorCheck {
  static let card = DoctorCheck("card", "with --card: how long it takes to sync", CardProbe.run)
}

/// How long the card takes to sync: as long a recording's samples wait in memory.
private struct CardProbe {
  let store: String
  let clock = SystemClock()
  /// Nanoseconds.
  let length: Int64

  private var pause: Int64 { 50_000_000 }
  private var pageBytes: Int { 4096 }
  /// Nanoseconds beyond which the queue of 1 MiB may fill at high rates.
  private var longest: Int64 { 2_000_000_000 }

  /// What `--card` asks for, but not beside a recording, whose card it would keep busy.
  @Sendable static func run(_ subject: DoctorSubject) -> Finding? {
    guard let length = subject.probeLength, let store = subject.store else { return nil }
    func left(_ why: String) -> Finding { .unchecked("\(why): the card is left to it") }
    switch subject.status {
    // No recording is being made, begun or saved.
    case .success(let status) where [.asleep, .waking, .armed].contains(status.state): break
    case .success(let status): return left("the service is \(status.state.rawValue)")
    case .failure where !DoctorSubject.isAbsent(subject.status):
      return left("the service does not say whether it records")
    case .failure: break
    }
    if StoreChecks.isRecording(into: store) { return left("a recording is being written") }
    return CardProbe(store: store, length: length).measure()
  }

  /// Appends pages to a file of its own in the store, syncs each, and removes the file.
  private func measure() -> Finding {
    let path = store + "/.card-probe-\(getpid())"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      return .unchecked("no file can be made in the store: \(Errno.words(errno))")
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
        return .wrong("writing and syncing a page: \(Errno.words(errno))")
      }
      times.append(clock.now() - before)
      clock.sleep(until: clock.now() + pause)
    } while clock.now() < end
    return check(times.sorted())
  }

  /// - Parameter times: Nanoseconds of each sync, the shortest first.
  private func check(_ times: [Int64]) -> Finding {
    func milliseconds(_ percent: Int) -> String {
      Plain.number(times[(times.count - 1) * percent / 100] / 100_000, per: 10)
    }
    let isSlow = times[times.count - 1] > longest
    return Finding(
      isSlow ? .advice : .ok,
      "\(times.count) syncs of a page: p50 \(milliseconds(50)) ms, p99 \(milliseconds(99)) ms, worst "
        + "\(milliseconds(100)) ms, estimated" + (isSlow ? "; a better card stalls less" : ""),
      figures: [
        ("syncs", "\(times.count)"), ("p50_ms", milliseconds(50)), ("p99_ms", milliseconds(99)),
        ("worst_ms", milliseconds(100)),
        ("worst_at_most_ms", Plain.number(longest, per: 1_000_000)),
      ])
  }
}
