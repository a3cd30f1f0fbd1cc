import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recorder
import Sampling

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
  static var leastByteCount: UInt64 { 1 << 20 }

  func run() {
    let wall = SystemClock().readWallClock().wall
    let live: LiveRecording
    do {
      // Made anew when it was deleted since the last take.
      _ = try Catalogue(path: store.path, create: true)
      try makeRoom()
      live = try create(wall: wall)
    } catch {
      orders.post(.abandon)
      news.post(
        .fileRefused(
          CommandFailure(error, else: .inputOutput),
          isFull: (error as? CatalogueError)?.isFull ?? (error is NoRoom)))
      return
    }
    let entry = live.entry
    let queue = FlushQueue()
    orders.post(.attach(live.description, queue))
    news.post(.fileMade(number: entry.number))
    let hasFailed = StopFlag()
    var storage = ReservingStorage(live.takeStorage(), reserve: reserve) {
      isLast throws(StorageError) in
      var store = self.store
      // What is not free now is asked for again with the next bytes. Only a recording that would end waits for another program.
      if !isLast { store.lockPatience = 0 }
      do {
        let room = try store.makeRoom(
          for: reserve.saturatedSum(ServiceFiler.leastByteCount), deletesOldest: deletesOldest)
        ServiceFiler.report(room)
        return room.free
      } catch {
        if !hasFailed.isRequested {
          ServiceJournal.say(.warning, "recordings cannot be deleted to make room: \(error)")
        }
        hasFailed.request()
        return try store.freeByteCount()
      }
    } makeRoom: {
      do {
        let room = try store.makeRoom(after: $0, deletesOldest: deletesOldest)
        ServiceFiler.report(room)
        return room.deletedCount > 0
      } catch {
        ServiceJournal.say(.warning, "recordings cannot be deleted to make room: \(error)")
        return false
      }
    }
    queue.flusherLoop(&storage, clock: SystemClock())
    // Releases the lock by which others see that the recording is live.
    _ = consume storage
    news.post(.filed(close(entry, queue.failure)))
  }

  /// What is needed beside the reserve, made by deleting what may go: the trash, and the oldest recordings when the
  /// configuration says so. Where that is not enough, nothing is deleted.
  private func makeRoom() throws {
    let ticks = description.plannedTicks ?? 0
    let (bytes, overflow) = ticks.multipliedReportingOverflow(by: ServiceFiler.bytesPerTick)
    let wanted = reserve.saturatedSum(overflow ? .max : bytes)
      .saturatedSum(ServiceFiler.leastByteCount)
    let room = try store.makeRoom(for: wanted, deletesOldest: deletesOldest)
    ServiceFiler.report(room)
    guard !room.isEnough else { return }
    let isHelpful = try !deletesOldest && store.wouldFit(wanted)
    throw NoRoom(
      path: store.path, room: room, wanted: wanted, reserve: reserve,
      deletesOldest: deletesOldest, isDeletingHelpful: isHelpful)
  }

  /// Begins the recording. Where bytes are free and it does not fit all the same (the file system has no inode left, or
  /// the user's quota is used up), what may go is deleted one by one, as far as a file needs it.
  private func create(wall: Int64) throws -> LiveRecording {
    var deletions = 0
    while true {
      do {
        return try store.create(description, wall: wall)
      } catch {
        guard case .storage(let cause) = error, cause.isFull else { throw error }
        let room = try store.makeRoom(after: cause, deletesOldest: deletesOldest)
        ServiceFiler.report(room)
        deletions += 1
        guard deletions <= ServiceFiler.mostForFile, room.deletedCount > 0 else { throw error }
      }
    }
  }

  /// Recordings that are deleted at most to make a file that has bytes: it and the lock need an inode each.
  private static var mostForFile: Int { 3 }

  private static func report(_ room: Room) {
    for number in room.deletedFromTrash {
      ServiceJournal.say(
        .notice, "recording \(number), which was in the trash, was deleted to make room")
    }
    for number in room.deleted {
      ServiceJournal.say(.notice, "recording \(number), the oldest, was deleted to make room")
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
        ledger: problem.isGone ? nil : KeptTake(entry, in: store.path)?.ledger)
    }
    do {
      switch fate {
      case .kept: break
      case .withoutSamples: try store.discard(entry)
      case .discarded: try store.remove(entry, now: SystemClock().wallTime)
      }
    } catch {
      failure =
        failure
        ?? FilingFailure(
          failure: CommandFailure(error, else: .inputOutput),
          isFull: false, ledger: KeptTake(entry, in: store.path)?.ledger)
    }
    return FiledTake(number: entry.number, fate: fate, failure: failure)
  }
}

/// Not enough space for a take beside the reserve.
struct NoRoom: StatusError {
  let path: String
  let room: Room
  let wanted: UInt64
  let reserve: UInt64
  /// Whether the oldest recordings may go.
  let deletesOldest: Bool
  /// Whether it would be enough if they might.
  let isDeletingHelpful: Bool

  var exitStatus: ExitStatus { .cannotCreate }

  var description: String {
    var sentence =
      "there is no room for a recording in \(path): with the reserve of \(NoRoom.text(reserve)) it needs "
      + "\(NoRoom.text(wanted)), \(NoRoom.text(room.free)) are free"
    if room.inTrash > 0 { sentence += ", the trash holds \(NoRoom.text(room.inTrash))" }
    if room.inRecordings > 0 {
      sentence += ", recordings that may be deleted \(NoRoom.text(room.inRecordings))"
    }
    if room.inUse > 0 {
      sentence += ", what other programs have open \(NoRoom.text(room.inUse))"
    }
    guard room.unreleased == 0 else {
      return sentence
        + "; of what was deleted \(NoRoom.text(room.unreleased)) did not come free, so nothing more "
        + "was deleted; look for a program that has it open (fuser, lsof), or for snapshots of the file system"
    }
    let missing = wanted - min(wanted, room.free + room.inTrash + room.inRecordings)
    let nothing = room.deletedCount == 0 ? "nothing" : "nothing more"
    sentence += "; \(NoRoom.text(missing)) are missing, so \(nothing) was deleted; "
    if isDeletingHelpful {
      return sentence + "fetch and remove recordings (imulog rm), or set delete-oldest = yes"
    }
    if room.inUse > 0, missing <= room.inUse {
      return sentence + "end the programs that read recordings"
    }
    return sentence + "set a shorter length or a smaller reserve, or free space of other files"
  }

  private static func text(_ bytes: UInt64) -> String {
    "\(bytes / 1_000_000 + (bytes % 1_000_000 > 0 ? 1 : 0)) MB"
  }
}

extension UInt64 {
  /// The sum, or the largest value when it would be larger.
  fileprivate func saturatedSum(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
