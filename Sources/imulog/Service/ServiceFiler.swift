import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recording

/// The flusher thread's work for one take of a service: makes the file, waits for the card, closes it.
///
/// The one thread that may wait for the card, from the first call to the last.
struct ServiceFiler: Sendable {
  let store: Catalogue
  let description: RecordingDescription
  /// Bytes that are left free.
  let reserve: UInt64
  /// Whether the oldest recordings go when there is no room.
  let deletesOldest: Bool
  let news: Inbox<ServiceNews>
  let orders: Inbox<WriterOrder>
  /// What is to become of the file; there is a message by the time that the log has its end.
  let fate: Inbox<TakeFate>

  /// Bytes that a tick takes at most, with its share of pages.
  private static var bytesPerTick: UInt64 { 20 }
  /// What an open-ended take must find, and what a file's space is made ahead by.
  private static var leastByteCount: UInt64 { 1 << 20 }

  func run() {
    let wall = SystemClock().readWallClock().wall
    let live: LiveRecording
    do {
      // Made anew when it was deleted since the last take.
      _ = try Catalogue(path: store.path, create: true)
      try makeRoom(now: wall)
      live = try store.create(description, wall: wall)
    } catch {
      orders.post(.abandon)
      news.post(
        .fileRefused(
          CommandFailure(error) ?? CommandFailure(.inputOutput, "\(error)"),
          isFull: (error as? CatalogueError)?.isFull ?? (error is NoRoom)))
      return
    }
    let entry = live.entry
    let queue = FlushQueue()
    orders.post(.attach(live.description, queue))
    news.post(.fileMade(number: entry.number))
    let store = self.store
    var storage = ReservingStorage(live.takeStorage(), reserve: reserve) {
      () throws(StorageError) in try store.freeByteCount()
    }
    queue.flusherLoop(&storage, clock: SystemClock())
    // Lets go of the lock by which others see that the recording is live.
    _ = consume storage
    news.post(.filed(close(entry, queue.failure)))
  }

  /// What is needed beside the reserve, made when the configuration says so.
  private func makeRoom(now: Int64) throws {
    let ticks = description.plannedTicks ?? 0
    let (bytes, overflow) = ticks.multipliedReportingOverflow(by: ServiceFiler.bytesPerTick)
    let wanted = reserve.saturatedSum(overflow ? .max : bytes)
      .saturatedSum(ServiceFiler.leastByteCount)
    let free = try store.freeByteCount()
    guard free < wanted else { return }
    guard deletesOldest else { throw NoRoom(path: store.path, free: free, wanted: wanted) }
    let (deleted, isRoomy) = try store.makeRoom(for: wanted, now: now)
    for number in deleted {
      Console.talk("recording \(number), the oldest, was deleted to make room")
    }
    if !isRoomy {
      throw NoRoom(path: store.path, free: try store.freeByteCount(), wanted: wanted)
    }
  }

  /// Does with the file what is to become of it.
  private func close(_ entry: CatalogueEntry, _ problem: StorageError?) -> FiledTake {
    var decided = fate.take()
    while decided.isEmpty {
      fate.wait(until: nil)
      decided = fate.take()
    }
    let fate = decided[0]
    var failure = problem.map { found in
      // The file is open, so that what is missing was there.
      let problem =
        found.isMissing ? StorageError(.find, path: entry.path, errno: ESTALE) : found
      return FilingFailure(
        failure: KeptTake.failure(problem, number: entry.number), isFull: problem.isFull,
        isGone: problem.isGone, ledger: KeptTake(entry, in: store.path)?.ledger)
    }
    do {
      switch fate {
      case .kept: break
      case .withoutSamples: try store.discard(entry)
      case .discarded: try store.remove(entry, now: SystemClock().readWallClock().wall)
      }
    } catch {
      failure =
        failure
        ?? FilingFailure(
          failure: CommandFailure(error) ?? CommandFailure(.inputOutput, "\(error)"),
          isFull: false, isGone: false, ledger: nil)
    }
    return FiledTake(number: entry.number, fate: fate, failure: failure)
  }
}

/// Not enough space for a take beside the reserve.
struct NoRoom: Error, CustomStringConvertible {
  let path: String
  let free: UInt64
  let wanted: UInt64

  var description: String {
    "there is no room for a take in \(path): \(free / 1_000_000) MB are free, and with the reserve it"
      + " needs \((wanted + 999_999) / 1_000_000) MB; fetch and remove recordings (imulog rm), or set"
      + " delete-oldest = yes"
  }
}

extension UInt64 {
  /// The sum, or the largest value when it would be larger.
  fileprivate func saturatedSum(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
