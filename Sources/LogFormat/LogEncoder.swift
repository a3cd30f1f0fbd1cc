// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Turns the records of a recording into the bytes of its log, front to back.
///
///     append(record) ─► pending samples, gaps and readings ─► chunks ─► pages ─► output ─► consumeOutput(_:)
///
/// Bytes never change once they are in ``output``. Samples wait until they fill the rest of a page, or until
/// ``flush()``: after it, the output has everything that was appended before.
///
/// Memory: about 270 KiB from the beginning, for 1024 pending samples, 128 gaps, 127 readings and 64 KiB of output. The
/// output grows only while nothing is consumed; otherwise neither `append` nor `flush` allocates.
///
/// - Complexity: a sample costs tens of nanoseconds, and its page under a microsecond a sample on a desktop CPU when
///   it is encoded; memory and work do not grow with the length of the log.
public struct LogEncoder: ~Copyable, @unchecked Sendable {
  // Safe to send: all memory below is owned by this value alone.

  let description: RecordingDescription
  /// The header chunk's body, of which page 1 begins with a copy.
  let headerBody: [UInt8]
  var grid: TickGrid
  var samplesEncoder: SamplesEncoder
  /// Samples not encoded yet. The time column holds lateness in units: time / unit − grid(tick).
  var pending = SampleBlock()
  /// Gaps not encoded yet, in order; room for ``gapCapacity`` is reserved.
  var gaps: [Gap] = []
  /// Readings not encoded yet, all of one epoch; room for ``ReadingsChunk/capacity`` is reserved.
  var readings: [FIFOReading] = []
  /// The page being written; its first `pageOffset` bytes are final and in the output.
  let page = PageBuffer()
  /// Bodies on trial.
  let trial = TrialBuffer()
  /// The largest of them that fits the page.
  let fitting = PageBuffer()
  /// Bytes of the page that are written; ``LogFormat/pageSize`` when a new page is due.
  var pageOffset = LogFormat.pageSize
  var pageCheck: UInt32 = 0
  var pageSequence: UInt32 = 1
  var pageFirstTick: UInt64 = 0
  var pageState = PageState(firstTick: 0, firstLateness: 0)
  /// The tick after the last one that is known.
  var nextTick: UInt64 = 0
  /// The tick that a sample must reach.
  var nextSampleTick: UInt64 = 0
  var lastLateness: Int64 = 0
  /// The number of pending samples at which to test whether they fill the page.
  var nextTrial = 0
  /// Pending samples for which predictors were last chosen; 0 when that choice is stale.
  var searchedCount = 0
  /// The body in the trial buffer.
  var lastTrial: Trial?
  /// Bytes a sample in the last trial, times 256.
  var bytesPerSample256 = 8 << 8
  var isFinished = false
  var outputBuffer = OutputBuffer()

  /// A samples body: of how many pending samples, its bytes, and the state after it.
  struct Trial {
    var count: Int
    var size: Int
    var state: PageState
  }

  /// Most gaps that wait.
  static let gapCapacity = 128

  /// An encoder for a new log; its header is in the output.
  ///
  /// - Throws: what ``encodeHeader(_:)`` throws.
  public init(_ description: RecordingDescription) throws(FormatError) {
    // Nothing of `self` exists when this throws: Swift 6.0 would free properties that a throwing initialiser of a
    // noncopyable type has not set yet.
    let header = try encodeHeader(description)
    self.init(description, header)
  }

  private init(_ description: RecordingDescription, _ header: [UInt8]) {
    self.description = description
    headerByteCount = header.count
    headerBody = Array(header[(PageHeader.size + 2)..<(header.count - 4)])
    grid = TickGrid(rate: description.rate, unit: description.timeUnit)
    samplesEncoder = SamplesEncoder(channels: description.channels)
    gaps.reserveCapacity(LogEncoder.gapCapacity)
    readings.reserveCapacity(ReadingsChunk.capacity)
    header.withUnsafeBytes {
      page.bytes.copyMemory(from: $0)
      outputBuffer.append($0)
    }
    pageOffset = header.count
    pageCheck = UnsafeRawBufferPointer(page.bytes).littleEndian(at: header.count - 4)
    // Swift 6.0 lets no initialiser of a noncopyable type call a mutating method.
    let room = LogFormat.pageSize - header.count - LogFormat.chunkOverhead
    nextTrial = LogEncoder.trial(room, bytesPerSample256)
  }

  /// The bytes of the log that were not consumed yet. Valid until the encoder is changed or destroyed.
  public var output: UnsafeRawBufferPointer { outputBuffer.bytes }

  /// Removes the first `count` bytes of ``output``; traps when it has fewer.
  public mutating func consumeOutput(_ count: Int) {
    outputBuffer.consume(count)
  }

  /// Bytes of the header, with which the output begins; ``encodeHeader(_:)`` returns the same bytes.
  public let headerByteCount: Int

  /// Bytes of the log so far: those consumed and ``output``.
  public var byteCount: UInt64 { outputBuffer.total }

  /// Adds a sample, a gap, a sensor event or a reading, in tick order.
  ///
  /// A sample's time must be a multiple of the description's time unit, and its tick above all earlier
  /// samples' ticks; all ticks are below 2⁶³. A violation is a programming error and traps. Gaps
  /// may overlap or come late. A reading whose read took more than 4 s is left out: it bounds nothing.
  public mutating func append(_ record: TickRecord) {
    precondition(!isFinished, "the log was finished")
    switch record.kind {
    case .sample: append(tick: record.tick, time: record.time, sample: record.sample)
    case .gap: if let gap = record.gap { append(gap) }
    case .reading: if let reading = record.reading { append(reading) }
    case .sensorEvent: if let event = record.sensorEvent { append(event) }
    }
  }

  /// Adds a moment that the user marked. Traps when its label has more than 200 bytes of UTF-8.
  public mutating func append(_ mark: Mark) {
    precondition(mark.label.utf8.count <= LogFormat.markLabelLength, "a mark's label is too long")
    writeRecord(ChunkKind.mark) { mark.write(&$0) }
  }

  /// Adds an instant on two clocks.
  public mutating func append(_ pair: ClockPair) {
    writeRecord(ChunkKind.clock) { pair.write(&$0) }
  }

  /// Encodes everything pending, so that the output has all that was appended.
  public mutating func flush() {
    while !pending.isEmpty || !gaps.isEmpty { fillPage() }
    writeReadings()
    planNextTrial()
  }

  /// Encodes everything pending and the end. Nothing may be appended after it.
  public mutating func finish(_ end: RecordingEnd) {
    writeRecord(ChunkKind.end) { end.write(&$0) }
    isFinished = true
  }

  private mutating func append(tick: UInt64, time: Int64, sample: RawSample) {
    precondition(tick >= nextSampleTick, "samples come in the order of their ticks")
    precondition(tick < LogFormat.tickLimit, "ticks are below 2⁶³")
    let (units, remainder) = time.quotientAndRemainder(dividingBy: description.timeUnit)
    precondition(remainder == 0, "a sample's time is a multiple of the log's time unit")
    if pending.count == SampleBlock.capacity { fillPage() }
    pending.append(tick: tick, time: units &- grid.units(atTick: tick), sample: sample)
    nextSampleTick = tick + 1
    nextTick = max(nextTick, tick + 1)
    if pending.count >= nextTrial { fillPageIfEnough() }
  }

  private mutating func append(_ gap: Gap) {
    guard gap.count > 0 else { return }
    precondition(
      gap.firstTick < LogFormat.tickLimit && gap.count <= LogFormat.tickLimit - gap.firstTick,
      "ticks are below 2⁶³")
    if gaps.count == LogEncoder.gapCapacity { flush() }
    gaps.append(gap)
    nextTick = max(nextTick, gap.firstTick &+ gap.count)
  }

  private mutating func append(_ reading: FIFOReading) {
    reading.checkRanges()
    guard reading.isWritable else { return }
    if let last = readings.last,
      readings.count == ReadingsChunk.capacity || !last.isOfEpoch(of: reading)
    {
      writeReadings()
      planNextTrial()
    }
    readings.append(reading)
  }

  private mutating func append(_ event: SensorEvent) {
    precondition(event.tick < LogFormat.tickLimit, "ticks are below 2⁶³")
    writeRecord(ChunkKind.sensor) { event.write(&$0) }
  }
}

// How pending samples and gaps become chunks, and chunks pages.

extension LogEncoder {
  /// Bytes left for the body of one more chunk in this page; negative when there is no room for any.
  private var room: Int { LogFormat.pageSize - pageOffset - LogFormat.chunkOverhead }

  /// Estimates at how many pending samples the page may be full.
  mutating func planNextTrial() { nextTrial = LogEncoder.trial(room, bytesPerSample256) }

  /// A little fewer samples than are likely to fill the room; those of a new page when there is none.
  static func trial(_ room: Int, _ bytesPerSample256: Int) -> Int {
    let guess = ((room > 0 ? room : LogFormat.bodyLimit) << 8) / max(bytesPerSample256, 1)
    return min(max(guess - guess / 32, 1), SampleBlock.capacity)
  }

  /// Encodes pending samples if they fill the page to within about one sample, or fill the block.
  mutating func fillPageIfEnough() {
    openPage()
    let count = pending.count
    let size = gapBytes(before: count) + encode(count).size
    let free = room - size
    bytesPerSample256 = max((size << 8) / count, 1)
    if free < 0 || (free << 8) < bytesPerSample256 * 5 / 4 || count == SampleBlock.capacity {
      fillPage()
      planNextTrial()
    } else {
      let more = (free << 8) / bytesPerSample256
      nextTrial = min(count + max(more - more / 16, 1), SampleBlock.capacity)
    }
  }

  /// Encodes as many pending samples, with the gaps among them, as fit the page; closes it when some are left.
  mutating func fillPage() {
    openPage()
    let fit = largestFit()
    let gapCount = gapsBefore(fit?.count ?? 0)
    let gapSize = gapBytes(before: fit?.count ?? 0)
    guard fit != nil || (pending.isEmpty && gapSize <= room + LogFormat.chunkOverhead) else {
      closePage()
      return
    }
    if gapCount > 0 { writeGaps(gapCount) }
    if let fit {
      pageState = fit.state
      samplesEncoder.learn(pending, count: fit.count, pageState)
      lastLateness = pending.timeColumn[fit.count - 1]
      page.bytes[(pageOffset + 2)..<(pageOffset + 2 + fit.size)]
        .copyBytes(from: fitting.bytes[0..<fit.size])
      finishChunk(ChunkKind.samples, fit.size)
      bytesPerSample256 = max((fit.size << 8) / fit.count, 1)
      pending.removeFirst(fit.count)
      (searchedCount, lastTrial) = (0, nil)
    }
    if !pending.isEmpty || !gaps.isEmpty { closePage() }
  }

  /// The body of as many pending samples as fit the page, left in `fitting`; `nil` when none does.
  ///
  /// The body itself is kept: encoded again, after trials of other lengths, it could be larger, because trials
  /// reuse each other's choices.
  private mutating func largestFit() -> Trial? {
    var (best, bestSize) = (nil as Trial?, 0)
    var (high, highSize) = (pending.count, 0)
    guard high > 0 else { return nil }
    var probe = high
    // Interpolation converges in three or four steps; the bound is for data that change abruptly.
    for _ in 0..<12 {
      let trial = encode(probe)
      let size = gapBytes(before: probe) + trial.size
      if size <= room {
        fitting.bytes.copyBytes(
          from: UnsafeRawBufferPointer(start: self.trial.bytes, count: trial.size))
        (best, bestSize) = (trial, size)
        if probe == pending.count { break }
      } else {
        (high, highSize) = (probe, size)
      }
      // One sample more would not fit, or the rest is not worth another look.
      let low = best?.count ?? 0
      if high - low <= 1 || (low > 0 && room - bestSize < 4) { break }
      let span = max(highSize - bestSize, 1)
      probe = min(max(low + (room - bestSize) * (high - low) / span, low + 1), high - 1)
    }
    return best
  }

  private mutating func encode(_ count: Int) -> Trial {
    if let lastTrial, lastTrial.count == count { return lastTrial }
    // Predictors chosen for nearly as many of the same samples are good enough.
    let again = count <= searchedCount + searchedCount / 4 && count >= searchedCount / 2
    if !again { searchedCount = count }
    var state = pageState
    let size = samplesEncoder.encode(pending, count: count, &state, to: trial.bytes, again: again)
    let made = Trial(count: count, size: size, state: state)
    lastTrial = made
    return made
  }

  /// How many pending gaps belong before the samples that follow the first `count` ones.
  private func gapsBefore(_ count: Int) -> Int {
    guard count < pending.count else { return gaps.count }
    let tick = pending.tickColumn[count]
    return gaps.firstIndex { $0.firstTick >= tick } ?? gaps.count
  }

  /// Bytes, in all, of the chunk of these gaps; 0 when there are none.
  private func gapBytes(before count: Int) -> Int {
    let gapCount = gapsBefore(count)
    guard gapCount > 0 else { return 0 }
    var bytes = LogFormat.chunkOverhead + ByteWriter.size(varint: UInt64(gapCount))
    var tick = pageFirstTick
    for gap in gaps[0..<gapCount] {
      bytes += gap.entrySize(after: tick)
      tick = gap.firstTick &+ gap.count
    }
    return bytes
  }

  private mutating func writeGaps(_ count: Int) {
    let chunk = ChunkWriter(page.bytes, offset: pageOffset, check: pageCheck)
    var body = chunk.body
    body.write(varint: UInt64(count))
    var tick = pageFirstTick
    for gap in gaps[0..<count] {
      gap.write(&body, after: tick)
      tick = gap.firstTick &+ gap.count
    }
    finishChunk(ChunkKind.gaps, body.count)
    gaps.removeFirst(count)
  }

  /// Writes the pending readings; samples and gaps that wait still do.
  private mutating func writeReadings() {
    var rest = readings[...]
    while !rest.isEmpty {
      openPage()
      // In a full page there is not even room for the chunk's head.
      guard room > 0 else {
        closePage()
        continue
      }
      var body = ChunkWriter(page.bytes, offset: pageOffset, check: pageCheck).body
      let count = ReadingsChunk.write(rest, to: &body, room: room)
      if count > 0 { finishChunk(ChunkKind.extended, body.count) } else { closePage() }
      rest = rest.dropFirst(count)
    }
    readings.removeAll(keepingCapacity: true)
  }

  /// Writes a chunk of its own after everything pending.
  mutating func writeRecord(_ kind: UInt8, _ write: (inout ByteWriter) -> Void) {
    precondition(!isFinished, "the log was finished")
    flush()
    lastTrial = nil
    var body = ByteWriter(
      UnsafeMutableRawBufferPointer(start: trial.bytes, count: LogFormat.bodyLimit))
    write(&body)
    // Twice at most: page 1 begins with a copy of the header, which may leave no room.
    while body.count > room {
      closePage()
      openPage()
    }
    page.bytes[(pageOffset + 2)..<(pageOffset + 2 + body.count)]
      .copyBytes(from: UnsafeRawBufferPointer(start: trial.bytes, count: body.count))
    finishChunk(kind, body.count)
    planNextTrial()
  }

  /// Puts head and check around the body at the page's end and passes the chunk to the output.
  private mutating func finishChunk(_ kind: UInt8, _ length: Int) {
    let chunk = ChunkWriter(page.bytes, offset: pageOffset, check: pageCheck)
    let start = pageOffset
    (pageCheck, pageOffset) = chunk.finish(kind: kind, length: length)
    outputBuffer.append(UnsafeRawBufferPointer(rebasing: page.bytes[start..<pageOffset]))
  }

  /// Begins a page unless there is one with room.
  private mutating func openPage() {
    guard pageOffset == LogFormat.pageSize else { return }
    var (tick, lateness) = (nextTick, lastLateness)
    if !pending.isEmpty { (tick, lateness) = (pending.tickColumn[0], pending.timeColumn[0]) }
    var expected = grid
    let time = (lateness &+ expected.units(atTick: tick)) &* description.timeUnit
    for gap in gaps { tick = min(tick, gap.firstTick) }
    pageFirstTick = tick
    var header = PageHeader(
      recording: PageHeader.tag(of: description.id), sequence: pageSequence, firstTick: tick,
      firstTime: time)
    header.encode(into: page.bytes)
    pageCheck = header.check
    pageSequence &+= 1
    pageOffset = PageHeader.size
    let base = floorDivide(time, description.timeUnit) &- expected.units(atTick: tick)
    pageState = PageState(firstTick: tick, firstLateness: base)
    (searchedCount, lastTrial) = (0, nil)
    outputBuffer.append(UnsafeRawBufferPointer(rebasing: page.bytes[0..<PageHeader.size]))
    if header.sequence == 1 { copyHeader() }
  }

  /// Repeats the header, so that a log can be read when its first page cannot.
  private mutating func copyHeader() {
    let start = PageHeader.size + 2
    page.bytes[start..<(start + headerBody.count)].copyBytes(from: headerBody)
    finishChunk(ChunkKind.header, headerBody.count)
  }

  /// Fills the rest of the page with zeros.
  private mutating func closePage() {
    outputBuffer.appendZeros(LogFormat.pageSize - pageOffset)
    pageOffset = LogFormat.pageSize
  }
}
