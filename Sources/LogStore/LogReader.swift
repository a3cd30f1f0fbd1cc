// SPDX-License-Identifier: Apache-2.0

public import Files
public import IMUModel
public import LogFormat

/// Reads a log from front to back, in bounded memory: one page and one block of samples.
///
///     header, page 0 │ page 1 │ page 2 │ … │ preallocated zeros
///             next() ► samples, gap, …, damage, samples, …, end, nil
///
/// Everything intact is returned once, samples in tick order; the rest is ``LogItem/damage(_:)`` with what is missing.
/// Preallocated space that was never written is not damage. A gap comes before the first samples after it, but samples
/// before it may come after it: a log collects what comes between two syncs by kind.
///
/// For one thread at a time. A live recording may be read up to what its writer appended.
public struct LogReader<Storage: LogStorage & ~Copyable>: ~Copyable {
  /// The log's header.
  public var description: RecordingDescription { header.value }
  private var header: Apart<RecordingDescription>
  /// The samples of the last ``LogItem/samples(_:)``, as columns; valid until the next call.
  public internal(set) var block: SampleBlock
  /// Intact chunks of unknown kinds so far.
  public internal(set) var unknownChunkCount: UInt64 = 0
  /// Ticks so far that no sample, gap or damage accounts for: a bug in the program that wrote the log.
  public internal(set) var unexplainedTickCount: UInt64 = 0
  /// The tick after the last one with a sample or a gap so far.
  public var nextTick: UInt64 { tick(recordedNextTick) }

  /// The same, as recorded.
  var recordedNextTick: UInt64 = 0
  /// The times of samples that the chip dates; `nil` before the first of them, and for recorded times.
  var times: Optional<ChipTimesBox>
  /// Whether items are returned as recorded: with approximate times and estimated gaps where the chip dates the samples.
  package var isAsRecorded = false
  private var correction: Optional<Apart<SampleCorrection>>
  var scanStart: UInt32 = 0
  /// Items that come before the next record.
  var waiting: [LogItem]
  package var storage: Storage
  var decoder: PageDecoder
  let page: PageMemory
  var pageIndex: UInt32 = 0
  var nextPage: UInt32 = 0
  var isInPage = false
  /// Whether more of the page may follow.
  var isPaused = false
  /// Records returned from the open page.
  var recordCount = 0
  var loadLimit = UInt64.max
  var pageByteCount = 0
  var firstZeroPage: UInt32?
  var damage: DamageRun
  var end: RecordingEnd?
  /// Whether the next page begins a new count of ticks, because reading starts there, within the log.
  package internal(set) var beginsWithin = false
  /// The lowest tick that the next sample may have.
  var nextSampleTick: UInt64 = 0
  /// The ticks of the page that was opened last.
  var account = PageAccount()
  /// Samples read, each time, among those that a correction counts, with a value at an end of the chip's range that its
  /// corrected value hides.
  package private(set) var hiddenClipCount: UInt64 = 0
  /// The lowest and the highest temperature's count among samples that a correction counts.
  package private(set) var correctedTemperatures: ClosedRange<Int16>?
  /// The samples of ``block`` with a value at an end of the chip's range; only of corrected ones.
  package private(set) var clipped: [ClippedSample]

  /// Reads the header; throws when the storage fails, or holds no log or a damaged header.
  public init(_ storage: consuming Storage) throws(LogError) {
    // Properties with a deinit are set last and have no default: Swift 6.0 cannot undo half an initialiser when the header
    // cannot be read.
    var storage = storage
    let page = PageMemory()
    let description = try LogReader.header(&storage, page)
    header = Apart(description)
    self.block = SampleBlock()
    self.page = page
    self.decoder = PageDecoder(description)
    self.storage = storage
    self.damage = DamageRun()
    times = nil
    waiting = []
    correction = nil
    clipped = []
  }

  /// The next item; `nil` at the end of the log.
  ///
  /// Where the chip dates the samples, their times follow from readings, also those of the 40 s after them, and ticks count
  /// every sample that the chip made: see ``earliest``.
  ///
  /// - Throws: ``LogError/storage(_:)`` only.
  public mutating func next() throws(LogError) -> LogItem? {
    let isRecorded = description.clock == .grid || isAsRecorded
    let item = try isRecorded ? nextRecorded() : nextDerived()
    if case .samples? = item, let correction { count(correction.value) }
    return item
  }

  /// Counts what a correction hides in the block, once the times are those that the readings prove.
  private mutating func count(_ correction: SampleCorrection) {
    let times = correction.counted.times
    for sample in clipped
    where times.contains(block.times[sample.row]) && correction.hides(sample.sensors) {
      hiddenClipCount += 1
    }
    guard description.channels.contains(.temperature) else { return }
    let counts = block.counts(ofChannel: 6)
    for row in 0..<block.count where times.contains(block.times[row]) {
      let (count, known) = (counts[row], correctedTemperatures)
      correctedTemperatures =
        min(known?.lowerBound ?? count, count)...max(known?.upperBound ?? count, count)
    }
  }

  mutating func nextRecorded() throws(LogError) -> LogItem? {
    if isPaused { try openPausedPage() }
    while true {
      if isInPage {
        if let item = nextInPage() { return item }
      } else {
        let isThere = try openNextPage()
        if !isThere { finishAtEnd() }
        if let part = damage.drain() { return .damage(part) }
        if !isThere { return nil }
      }
    }
  }

  package var isCorrected: Bool { correction != nil }

  /// Corrects samples from here on, and describes the sensor accordingly.
  package mutating func correct(_ correction: SampleCorrection) {
    self.correction = Apart(correction)
    var description = description
    description.sensor = correction.sensor
    header = Apart(description)
  }

  /// Goes back to the beginning.
  public mutating func rewind() {
    jump(toPage: 0)
    beginsWithin = false
    account = PageAccount()
    recordedNextTick = 0
    isAsRecorded = false
    unknownChunkCount = 0
    unexplainedTickCount = 0
  }

  /// Continues with a page as if it were the first.
  mutating func jump(toPage index: UInt32) {
    nextPage = index
    isInPage = false
    isPaused = false
    firstZeroPage = nil
    damage = DamageRun()
    end = nil
    nextSampleTick = 0
    beginsWithin = true
    restartTimes()
  }
}

extension LogReader where Storage: ~Copyable {
  /// The next item of the open page; `nil` when there is none, which closes the page.
  mutating func nextInPage() -> LogItem? {
    while isInPage {
      let start = decoder.offset
      do {
        guard let record = try decoder.next(into: &block) else {
          account.end = decoder.offset
          break
        }
        recordCount += 1
        if let item = accept(record, at: start) { return item }
      } catch {
        spoil(error.reason, atByte: error.offset)
      }
    }
    isInPage = false
    return nil
  }

  /// Turns a record, which begins at a byte of the page, into an item if its ticks rise.
  private mutating func accept(_ record: LogRecord, at start: Int) -> LogItem? {
    switch record {
    // They may be between a gap and the samples around it.
    case .reading, .field: break
    default: account.endsWithGap = false
    }
    switch record {
    case .samples:
      guard let (first, last) = LogReader.extent(of: block), first >= nextSampleTick else {
        block.removeAll()
        spoil(.ticksGoBack, atByte: start)
        return nil
      }
      nextSampleTick = last &+ 1
      count(UInt64(block.count), upTo: last &+ 1)
      if let correction { clipped = block.correct(correction.value, description.channels) }
      return .samples(block.count)
    case .gap(let gap):
      count(gap.count, upTo: gap.firstTick &+ gap.count)
      account.endsWithGap = true
      return .gap(gap)
    case .mark(let mark): return .mark(mark)
    case .clock(let pair): return .clock(pair)
    case .sensor(let event): return .sensor(event)
    case .reading(let reading): return .reading(reading)
    case .certificate(let certificate): return .certificate(certificate)
    case .busClock(let reading): return .busClock(reading)
    case .field(let reading): return .field(reading)
    case .end(let end):
      self.end = end
      return .end(end)
    case .unknown:
      unknownChunkCount += 1
      return nil
    }
  }

  /// First and last tick of a block; `nil` when it is empty or its ticks do not rise.
  private static func extent(of block: borrowing SampleBlock) -> (UInt64, UInt64)? {
    let ticks = block.ticks
    guard let first = ticks.first, let last = ticks.last else { return nil }
    // The ends alone would do where ticks are consecutive, as nearly always.
    var rises = true
    for index in 1..<max(1, ticks.count) { rises = rises && ticks[index - 1] < ticks[index] }
    return rises ? (first, last) : nil
  }

  private mutating func count(_ ticks: UInt64, upTo end: UInt64) {
    account.ticks = account.ticks.addingSaturated(ticks)
    recordedNextTick = max(recordedNextTick, end)
  }

  /// Records that the rest of the open page cannot be read.
  private mutating func spoil(_ reason: FormatError.Reason, atByte offset: Int) {
    isInPage = false
    account.isSpoilt = true
    damage.note(reason, page: pageIndex, byte: offset, count: pageByteCount - offset)
  }

  /// The next item within the first `limit` bytes of a live log; `nil` when there is none yet.
  ///
  ///     page 7: chunk, chunk │ chunk          page 7 is opened again when the limit has grown,
  ///             returned ────┘ └─ new         and its earlier records are skipped
  ///
  /// Once the writer is gone, ``next()`` returns the rest and reports what cannot be read. Times are as recorded from here
  /// on, because computed ones depend on later readings.
  ///
  /// - Parameter limit: The end of a chunk or of a page, as ``PageCheck/finalByteCount``; never less than before.
  /// - Throws: ``LogError/storage(_:)`` only.
  public mutating func next(within limit: UInt64) throws(LogError) -> LogItem? {
    (loadLimit, isAsRecorded) = (limit, true)
    defer { loadLimit = .max }
    while true {
      if isInPage {
        if let item = nextInPage() { return item }
        isPaused = pageByteCount < LogFormat.pageSize && !damage.isRunning
      } else if isPaused {
        let known = UInt64(pageIndex) * UInt64(LogFormat.pageSize) + UInt64(pageByteCount)
        guard limit > known else { return nil }
        try openPausedPage()
      } else {
        guard try openNextPage() else { return nil }
        if let part = damage.drain() { return .damage(part) }
      }
    }
  }

  mutating func openPausedPage() throws(LogError) {
    isPaused = false
    let given = recordCount
    pageByteCount = try load(page: pageIndex)
    do {
      try decoder.begin(page: page.prefix(pageByteCount), sequence: pageIndex)
      for _ in 0..<given { _ = try decoder.next(into: &block) }
    } catch {
      damage.note(
        error.reason, page: pageIndex, byte: error.offset,
        count: pageByteCount - min(pageByteCount, error.offset))
      return
    }
    isInPage = true
  }
}

/// An item of a log, in the order in which a ``LogReader`` returns them.
public enum LogItem: Equatable, Sendable {
  /// This many samples, in the reader's block until the next call.
  case samples(Int)
  /// A run of ticks without samples.
  case gap(Gap)
  /// A moment that the user marked.
  case mark(Mark)
  /// One instant on two clocks.
  case clock(ClockPair)
  /// Something that happened to the chip.
  case sensor(SensorEvent)
  /// A reading of the fill of the chip's FIFO.
  case reading(FIFOReading)
  /// A reading of the bus's clock.
  case busClock(BusClockReading)
  /// A value of the magnetometer.
  case field(FieldReading)
  /// The sensor's certificate; the last of several counts.
  case certificate(SensorCertificate)
  /// The recording ended here.
  case end(RecordingEnd)
  /// A part that cannot be read; reading continues after it.
  case damage(Damage)
}

/// Why a log cannot be read at all. Damage after the header is a ``LogItem/damage(_:)``, not an error.
public enum LogError: Error, Equatable, Sendable, StatusError {
  /// The storage failed.
  case storage(StorageError)
  /// The file is not a log; `found` is a clause about its first bytes.
  case foreign(name: String, found: String)
  /// The log was written by a newer program.
  case unsupportedVersion(name: String, version: UInt8)
  /// The log's header is damaged at `offset`; without it, samples have neither scales nor times.
  case damagedHeader(name: String, offset: Int, reason: FormatError.Reason)
  /// A description cannot be written as a header.
  case description(FormatError)

  /// Wraps storage errors.
  static func wrapped<Result: ~Copyable>(
    _ body: () throws(StorageError) -> Result
  ) throws(LogError) -> Result {
    do {
      return try body()
    } catch {
      throw .storage(error)
    }
  }

  /// One sentence with the remedy.
  public var description: String {
    switch self {
    case .storage(let error): return error.description
    case .foreign(let name, _), .unsupportedVersion(let name, _): return "\(name) is \(reason)"
    case .damagedHeader(let name, _, _): return "the header of \(name) is \(reason)"
    case .description(let error): return error.description
    }
  }

  /// What follows the file's name in ``description``: for a place that names the recording already.
  public var reason: String {
    switch self {
    case .storage(let error): return error.reason
    case .foreign(_, let found): return "not an imulog recording: it \(found)"
    case .unsupportedVersion(_, let version):
      return "of version \(version) of the log format and this program reads version "
        + "\(LogFormat.version); use a newer imulog"
    case .damagedHeader(_, let offset, let reason):
      return "damaged at byte \(offset): "
        + "\(FormatError(reason, offset: offset)); the scales and the rate were in it, so nothing "
        + "after it can be read; use another copy of the file"
    case .description(let error): return error.description
    }
  }

  /// Whether the storage, the data or the request is wrong.
  public var exitStatus: ExitStatus {
    switch self {
    case .storage(let cause): cause.exitStatus
    case .foreign, .unsupportedVersion, .damagedHeader: .damagedData
    case .description: .usage
    }
  }
}
