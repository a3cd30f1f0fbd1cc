// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recorder

/// Where recordings go, how much room there is, how the card syncs, and what the last recordings say.
struct StoreChecks {
  let store: String
  let configuration: RecorderConfiguration

  /// Bytes that a sample takes in a log, rounded up (Tests/Benchmarks/Results.md).
  private static let sampleBytes = 8.0
  /// Recordings whose verdicts are looked at, and the bytes above which one takes too long to read.
  private static let (recordings, longest): (Int, UInt64) = (3, 64 << 20)
  /// Seconds of recording below which the room is too little.
  private static let leastRoom = 3600.0

  func run() -> [Check] { [directory(), room()].compactMap { $0 } + verdicts() }

  /// The store, or the directory in which it will be made.
  private var existing: String {
    var path = store
    while access(path, F_OK) != 0, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      path = String(path[..<slash])
    }
    return path
  }

  private func directory() -> Check {
    let path = existing
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return Check("store", .wrong, "there is something else than a directory in its place")
    }
    guard access(path, W_OK) != 0 else {
      return Check("store", .ok, path == store ? "it can be written" : "it will be made")
    }
    switch errno {
    case EROFS:
      return Check(
        "store", .wrong,
        "its file system is mounted read-only: see `dmesg` for errors of the card, and mount it for writing"
      )
    case EACCES where store.hasPrefix("/var/lib/imulog"):
      return Check(
        "store", .wrong, "it belongs to the group imulog, of which you are no member in this login",
        command: "sudo usermod -aG imulog \"$USER\"", isLater: true)
    default:
      return Check("store", .wrong, "it cannot be written: \(Errno.words(errno))")
    }
  }

  private func room() -> Check? {
    guard let free = SystemTree.live.freeBytes(at: existing) else {
      return Check("room", .unchecked, "the file system of the store does not say")
    }
    let left = Double(free > configuration.reserve ? free - configuration.reserve : 0)
    let seconds = left / (StoreChecks.sampleBytes * configuration.rate.hertz)
    let figures = [
      Check.Figure("free_bytes", "\(free)"),
      Check.Figure("reserve_bytes", "\(configuration.reserve)"),
      Check.Figure("bytes_a_sample", "\(Int(StoreChecks.sampleBytes))"),
    ]
    let rate = "at \(Plain.hertz(configuration.rate)) Hz"
    guard seconds >= StoreChecks.leastRoom else {
      return Check(
        "room", .wrong,
        "\(free / 1_000_000) MB are free, of which \(configuration.reserve / 1_000_000) MB are kept: less than an hour "
          + "\(rate); copy recordings away, and remove them with `imulog rm`", figures: figures)
    }
    let hours = seconds / 3600
    return Check(
      "room", .ok, "for \(hours < 9999 ? "\(Int(hours))" : "more than 9999") hours \(rate)",
      figures: figures)
  }

  private func verdicts() -> [Check] {
    let catalogue: Catalogue
    let entries: [CatalogueEntry]
    do {
      guard access(store, F_OK) == 0 else { return [] }
      catalogue = try OpenStore.reading(store)
      entries = try catalogue.list().entries
    } catch {
      return [Check("recordings", .unchecked, "\(error)")]
    }
    return entries.prefix(StoreChecks.recordings).map { entry in
      let name = "recording \(entry.number)"
      do {
        var status = stat()
        guard stat(entry.path, &status) == 0 else {
          return Check(name, .advice, "its file cannot be found: \(Errno.words(errno))")
        }
        guard UInt64(status.st_size) <= StoreChecks.longest else {
          return Check(name, .unchecked, "it is long: `imulog info \(entry.number)` looks at it")
        }
        guard try !catalogue.isLive(entry) else {
          return Check(name, .unchecked, "it is being written")
        }
        var reader = try LogReader(try FileStorage(reading: entry.path))
        let review = ReviewReport(try reader.account(isLive: false, ofSamples: true))
        return Check(name, review.status == nil ? .ok : .advice, review.sentence)
      } catch {
        return Check(name, .advice, "\(error)")
      }
    }
  }
}

/// How long the card takes to sync: what a logger that waits for it would wait, and how much memory imulog needs meanwhile.
struct CardProbe {
  /// Nanoseconds of each sync, in order of their length.
  private var times: [Int64] = []

  private static let (seconds, pause, bytes): (Int64, Int64, Int) = (10, 50_000_000, 4096)
  /// Beyond it the queue of 1 MiB may fill at high rates.
  private static let longest: Int64 = 2_000_000_000

  /// Appends pages to a file of its own in the store for 10 s, syncs each, and removes the file.
  static func run(in store: String) -> Check {
    let path = store + "/.card-probe-\(getpid())"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      return Check("card", .unchecked, "no file can be made in the store: \(Errno.words(errno))")
    }
    // At once, so that nothing stays however this ends.
    unlink(path)
    defer { close(descriptor) }
    let clock = SystemClock()
    let end = clock.now() + seconds * 1_000_000_000
    let page = [UInt8](repeating: 0xA5, count: bytes)
    var probe = CardProbe()
    while clock.now() < end {
      let before = clock.now()
      // Safe: the count is the array's.
      guard write(descriptor, page, page.count) == page.count, fdatasync(descriptor) == 0 else {
        return Check("card", .wrong, "writing and syncing a page: \(Errno.words(errno))")
      }
      probe.times.append(clock.now() - before)
      clock.sleep(until: clock.now() + pause)
    }
    probe.times.sort()
    return probe.check
  }

  private func time(_ percent: Int) -> Int64 { times[(times.count - 1) * percent / 100] }

  private var check: Check {
    func text(_ nanoseconds: Int64) -> String {
      "\(Plain.number(nanoseconds / 100_000, per: 10)) ms"
    }
    let isSlow = time(100) > CardProbe.longest
    return Check(
      "card", isSlow ? .advice : .ok,
      "\(times.count) syncs of a page: p50 \(text(time(50))), p99 \(text(time(99))), worst \(text(time(100)))"
        + (isSlow ? "; a better card stalls less" : ""),
      figures: [
        Check.Figure("syncs", "\(times.count)"), Check.Figure("p50_ms", text(time(50))),
        Check.Figure("p99_ms", text(time(99))), Check.Figure("worst_ms", text(time(100))),
      ])
  }
}
