// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Sampling

enum CardOrder: Sendable {
  /// Recordings go to the store in this directory.
  case use(String)
  /// A recording has begun: make a file for each sensor, or none. The writer gets ``WriterCommand/attach(_:)`` or an
  /// abandonment.
  case record(
    [(RecordingDescription, RecordingPlan)], RecorderSetup, writer: Inbox<WriterCommand>)
  /// The logs have their ends: keep, delete or discard the files.
  case file(RecordingFate, [RecordingEnd])
  case quit
}

/// The flusher thread's work: makes each recording's file, appends and syncs the queue's bytes. Only it waits for the card.
///
///     loop ── use ─────┐                                      ┌─► writer: the queue
///     writer ── record ┼─► card: make, append, sync, close ───┤
///            └─ file ──┘                                      └─► loop: made, refused, filed
struct Card: ~Copyable {
  let orders: Inbox<CardOrder>
  private let news: Inbox<RecorderNews>
  private let clock: RecorderClock
  private let journal: Journal
  /// Whether a log is synced before its end: in simulated time a thousand syncs a second would only be slow.
  private let syncsEarly: Bool
  private var path: String
  /// The files of the recording, one for each sensor.
  private var open: [OpenFile] = []
  private var isQuitting = false

  /// A file while its log is written. Only the flusher's thread uses it.
  private final class OpenFile {
    let entry: CatalogueEntry
    let id: RecordingID
    let store: Catalogue
    let queue: FlushQueue
    /// `nil` once it is finished, which releases the lock by which others see that the recording is live.
    var storage: ReservingStorage<FileStorage>?
    var stopped: StorageError?

    init(
      _ entry: CatalogueEntry, _ id: RecordingID, _ store: Catalogue, _ queue: FlushQueue,
      _ storage: consuming ReservingStorage<FileStorage>
    ) {
      (self.entry, self.id, self.store, self.queue) = (entry, id, store, queue)
      self.storage = .some(storage)
    }

    /// Writes what the queue has, and waits for more if `waits`; `nil` once all is written.
    func flush(waits: Bool) -> FlushQueue.FlusherStep? {
      guard var storage = storage.take() else { return nil }
      let step = queue.flusherStep(&storage, clock: SystemClock(), &stopped, waits: waits)
      switch step {
      case .worked, .idle: self.storage = .some(storage)
      case .finished: _ = consume storage
      }
      return step
    }
  }

  /// The most bytes of a tick, with its share of pages.
  private static var bytesPerTick: UInt64 { 20 }
  /// Free bytes that an open-ended recording needs; also the step by which a file's space is preallocated.
  static var leastByteCount: UInt64 { 1 << 20 }
  /// Most recordings that are deleted for inodes: the file and the lock need one each.
  private static var mostForFile: Int { 3 }

  init(
    _ path: String, orders: Inbox<CardOrder>, news: Inbox<RecorderNews>, clock: RecorderClock,
    journal: @escaping Journal, syncsEarly: Bool = true
  ) {
    (self.path, self.orders, self.news) = (path, orders, news)
    (self.clock, self.journal, self.syncsEarly) = (clock, journal, syncsEarly)
  }

  mutating func run() {
    while step(waits: true) {}
  }

  /// Does one unit of work, and waits for it if `waits`. `false` after the order to quit, or when there is no work.
  mutating func step(waits: Bool) -> Bool {
    if let isMore = flush(waits: waits) { return isMore }
    if waits { orders.wait(until: nil) }
    let orders = orders.drain()
    for order in orders {
      switch order {
      case .use(let path): self.path = path
      case .record(let logs, let setup, let writer): record(logs, setup, writer)
      case .file(let fate, let ends): file(fate, ends)
      case .quit: isQuitting = true
      }
    }
    return !isQuitting && (waits || !orders.isEmpty)
  }

  /// A step of each open file; `nil` when there is none.
  private mutating func flush(waits: Bool) -> Bool? {
    // A flusher can wait for one queue; several are looked at as often as the writer fills them.
    let isAlone = open.count == 1
    let steps = open.compactMap { $0.flush(waits: waits && isAlone) }
    guard !steps.isEmpty else { return nil }
    let isIdle = steps.allSatisfy { if case .idle = $0 { true } else { false } }
    if isIdle, waits, !isAlone {
      let clock = SystemClock()
      clock.sleep(until: clock.now() + WriterGroup.period)
      return true
    }
    return !isIdle
  }

  /// Makes a file for each log, or none.
  private mutating func record(
    _ logs: [(RecordingDescription, RecordingPlan)], _ setup: RecorderSetup,
    _ writer: Inbox<WriterCommand>
  ) {
    var made: [(RecordingDescription, FlushQueue)] = []
    do {
      // The directory may have been deleted since the last recording.
      let store = try Catalogue(path: path, create: true)
      let clocks = clock.reading()
      if !setup.isSingle { try makeRoom(logs.map(\.0), setup, in: store) }
      for (header, plan) in logs {
        let live = try begin(header, at: plan.frame.start, clocks, setup, in: store)
        let (entry, description) = (live.entry, live.description)
        let queue = FlushQueue(syncsEarly: syncsEarly)
        open.append(
          OpenFile(
            entry, description.id, store, queue, reserving(live.takeStorage(), setup, in: store)))
        made.append((description, queue))
      }
    } catch {
      withdraw()
      writer.post(
        .abandon(
          CommandFailure(error, else: .inputOutput),
          isFull: (error as? CatalogueError)?.isFull ?? (error is NoRoom)))
      return
    }
    news.post(.fileMade(number: open[0].entry.number, logs[0].1))
    writer.post(.attach(made))
  }

  /// Deletes the files of a recording that was not begun.
  private mutating func withdraw() {
    for file in open {
      file.storage = nil
      do {
        try file.store.discard(file.entry)
      } catch {
        journal(.warning, "\(file.entry.path), which is empty, cannot be deleted: \(error)")
      }
    }
    open = []
  }

  private func begin(
    _ header: RecordingDescription, at start: MonotonicTime, _ clocks: ClockReading,
    _ setup: RecorderSetup, in store: Catalogue
  ) throws -> LiveRecording {
    var header = header
    header.origin = clocks.origin(at: start)
    // In virtual time there are no instants of this boot.
    if header.origin == nil { header.boot = "" }
    guard !setup.isSingle else {
      // Old recordings in the trash make room; recordings that were cut off are adopted later.
      store.sweep(now: clocks.wallTime) { journal(.warning, $0) }
      return try store.create(header, wall: clocks.wall)
    }
    var deletions = 0
    while true {
      do {
        return try store.create(header, wall: clocks.wall)
      } catch {
        // Bytes are free, but inodes or the user's quota are exhausted: recordings are deleted one by one.
        guard case .storage(let cause) = error, cause.isFull else { throw error }
        let room = try store.makeRoom(
          after: cause, deletesOldest: setup.configuration.deletesOldest)
        Card.report(room, journal)
        deletions += 1
        guard deletions <= Card.mostForFile, room.deletedCount > 0 else { throw error }
      }
    }
  }

  /// Makes room beside the reserve: deletes the trash and, if configured, the oldest; nothing if that is not enough.
  private func makeRoom(
    _ headers: [RecordingDescription], _ setup: RecorderSetup, in store: Catalogue
  ) throws {
    let reserve = setup.configuration.reserve
    let deletesOldest = setup.configuration.deletesOldest
    let wanted = headers.reduce(reserve) { sum, header in
      let (bytes, overflow) = (header.plannedTicks ?? 0)
        .multipliedReportingOverflow(by: Card.bytesPerTick)
      return sum.addingSaturated(overflow ? .max : bytes).addingSaturated(Card.leastByteCount)
    }
    let room = try store.makeRoom(for: wanted, deletesOldest: deletesOldest)
    Card.report(room, journal)
    guard !room.isEnough else { return }
    let isHelpful = try !deletesOldest && store.wouldFit(wanted)
    throw NoRoom(
      path: store.path, room: room, wanted: wanted, reserve: reserve, isDeletingHelpful: isHelpful)
  }

  /// The storage with the reserve of the setup; without one for a single recording.
  private func reserving(
    _ storage: consuming FileStorage, _ setup: RecorderSetup, in store: Catalogue
  ) -> ReservingStorage<FileStorage> {
    let journal = journal
    let isSingle = setup.isSingle
    let reserve = isSingle ? 0 : setup.configuration.reserve
    let deletesOldest = setup.configuration.deletesOldest
    let hasFailed = StopFlag()
    return ReservingStorage(storage, reserve: reserve) { isLast throws(StorageError) in
      if isSingle { return .max }
      var store = store
      // Space is requested again with the next bytes: only a recording that would otherwise end waits for a program.
      if !isLast { store.lockPatience = 0 }
      do {
        let room = try store.makeRoom(
          for: reserve.addingSaturated(Card.leastByteCount), deletesOldest: deletesOldest)
        Card.report(room, journal)
        return room.free
      } catch {
        if !hasFailed.isRequested {
          journal(.warning, "recordings cannot be deleted to make room: \(error)")
        }
        hasFailed.request()
        return try store.freeByteCount()
      }
    } makeRoom: {
      if isSingle { return false }
      do {
        let room = try store.makeRoom(after: $0, deletesOldest: deletesOldest)
        Card.report(room, journal)
        return room.deletedCount > 0
      } catch {
        journal(.warning, "recordings cannot be deleted to make room: \(error)")
        return false
      }
    }
  }

  private static func report(_ room: Room, _ journal: Journal) {
    for number in room.deletedFromTrash {
      journal(.notice, "recording \(number), which was in the trash, was deleted to make room")
    }
    for number in room.deleted {
      journal(.notice, "recording \(number), the oldest, was deleted to make room")
    }
  }

  /// Keeps, deletes or discards the files, and reports them.
  private mutating func file(_ fate: RecordingFate, _ ends: [RecordingEnd]) {
    precondition(open.count == ends.count, "a log that ends has a file")
    let filed = zip(open, ends).map { close($0, fate, $1) }
    open = []
    var first = filed[0]
    first.companions = Array(filed.dropFirst())
    news.post(.filed(first))
  }

  private func close(
    _ file: OpenFile, _ fate: RecordingFate, _ end: RecordingEnd
  ) -> FiledRecording {
    let (entry, store) = (file.entry, file.store)
    var failure = file.queue.failure.map { found in
      // The file is open, so a missing file was there before.
      let problem =
        found.isMissing ? StorageError(.find, path: entry.path, errno: ESTALE) : found
      return FilingFailure(
        failure: Card.failure(problem, number: entry.number), isFull: problem.isFull,
        isGone: problem.isGone, kept: problem.isGone ? nil : kept(entry, in: store))
    }
    do {
      switch fate {
      case .kept: break
      case .withoutSamples: try store.discard(entry)
      case .discarded: try store.remove(entry, now: clock.reading().wallTime)
      }
    } catch {
      failure =
        failure
        ?? FilingFailure(
          failure: CommandFailure(error, else: .inputOutput), isFull: false, isGone: false,
          kept: kept(entry, in: store))
    }
    return FiledRecording(
      number: entry.number, id: file.id, fate: fate, end: end, failure: failure)
  }

  /// The content of a file whose storage ended the recording; `nil` when it cannot be read, or is gone.
  private func kept(
    _ entry: CatalogueEntry, in store: Catalogue
  ) -> (tally: TickTally, reason: StopReason?)? {
    do {
      var reader = try Catalogue(path: store.path).reader(of: entry)
      let summary = try reader.summary()
      return (summary.tally, summary.end?.reason)
    } catch {
      // The recording's own failure is reported; this one adds nothing.
      return nil
    }
  }

  /// How long an end waits for the card, in nanoseconds: less than the 30 s after which systemd kills the service.
  static var patience: Int64 { 20_000_000_000 }

  /// The failure to report when the card took longer; `number` is `nil` while there is no file.
  static func lateEnd(number: UInt32?) -> CommandFailure {
    let time = "in \(patience / 1_000_000_000) s"
    return CommandFailure(
      .inputOutput,
      number.map {
        "the card did not take the end of recording \($0) \(time);"
          + " what is on it will be recovered with the next recording"
      }
        ?? "the card did not make the recording's file \(time), and nothing of the recording is kept"
    )
  }

  /// The failure to report when the storage ended a recording.
  private static func failure(_ error: StorageError, number: UInt32) -> CommandFailure {
    CommandFailure(
      .inputOutput,
      error.isGone
        ? "recording \(number) is gone: \(error)"
        : "recording \(number) was ended early, and what is in it is kept: \(error)")
  }
}

/// Not enough space for a recording beside the reserve.
struct NoRoom: StatusError {
  let path: String
  let room: Room
  let wanted: UInt64
  let reserve: UInt64
  /// Whether it would be enough if the oldest recordings were deleted.
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
      sentence += ", files that other programs have open \(NoRoom.text(room.inUse))"
    }
    guard room.unreleased == 0 else {
      return sentence
        + "; \(NoRoom.text(room.unreleased)) of the deleted files did not come free, so nothing more "
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
