// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Turns the records of a recording into the bytes of its log, front to back.
///
///     append(record) ─► pending samples, gaps and readings ─► chunks ─► pages ─► output ─► consumeOutput(_:)
///
/// Bytes never change once they are in ``output``. Samples wait until they fill the rest of a page, or until ``flush()``.
///
/// Memory: about 270 KiB from the beginning. The output grows only while nothing is consumed; otherwise neither `append` nor
/// `flush` allocates. A sample costs tens of nanoseconds, and its page under a microsecond a sample on a desktop CPU; memory
/// and work do not grow with the length of the log.
public struct LogEncoder: ~Copyable, @unchecked Sendable {
  // Safe to send: all memory below is owned by this value alone.

  let description: RecordingDescription
  /// The header chunk's body; page 1 begins with a copy.
  let headerBody: [UInt8]
  var grid: TickGrid
  var samplesEncoder: SamplesEncoder
  /// Samples not encoded yet. The time column holds lateness in units: time / unit − grid(tick).
  var pending = SampleBlock()
  /// Gaps not encoded yet, in order; room for ``gapCapacity`` is reserved.
  var gaps: [Gap] = []
  /// Readings not encoded yet, all of one epoch; room for ``ReadingsChunk/capacity`` is reserved.
  var readings: [FIFOReading] = []
  /// The magnetometer's values not encoded yet; room for ``FieldChunk/capacity`` is reserved.
  var field: [FieldReading] = []
  /// The page being written; its first `pageOffset` bytes are final and in the output.
  let page = PageMemory()
  /// Bodies on trial: room for the largest that a ``BitWriter`` can make, whether or not it fits a page.
  let trial = OwnedMemory<UInt8>(BitWriter.capacity, repeating: 0)
  /// The largest of them that fits the page.
  let fitting = PageMemory()
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
    field.reserveCapacity(FieldChunk.capacity)
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

  /// Adds a sample, a gap, a sensor event, a reading or a value of the magnetometer, in tick order.
  ///
  /// Traps unless a sample's time is a multiple of the description's time unit, its tick above all earlier samples', and all
  /// ticks below 2⁶³. Gaps may overlap or come late. A reading that took more than 4 s bounds nothing and is left out.
  public mutating func append(_ record: TickRecord) {
    precondition(!isFinished, "the log was finished")
    switch record.kind {
    case .sample: append(tick: record.tick, time: record.time, sample: record.sample)
    case .gap: if let gap = record.gap { append(gap) }
    case .reading: if let reading = record.reading { append(reading) }
    case .sensorEvent: if let event = record.sensorEvent { append(event) }
    case .busClock: if let reading = record.busClock { append(reading) }
    case .field: if let reading = record.field { append(reading) }
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

  /// Adds the sensor's certificate. Traps when its text has more than 2000 bytes.
  public mutating func append(_ certificate: SensorCertificate) {
    let text = CertificateText.text(certificate)
    precondition(text.count <= LogFormat.certificateLength, "a certificate is too long")
    writeRecord(ChunkKind.extended) { writer in
      writer.write(ChunkKind.certificate)
      for byte in text { writer.write(byte) }
    }
  }

  /// Adds a reading of the bus's clock.
  public mutating func append(_ reading: BusClockReading) {
    writeRecord(ChunkKind.extended) { writer in
      writer.write(ChunkKind.busClock)
      writer.write(signedVarint: reading.time / 1000)
      for hertz in [reading.hertz, reading.least, reading.most] {
        writer.write(varint: UInt64(hertz))
      }
    }
  }

  /// Adds a value of the magnetometer. Traps when its time is more than 8 years from tick 0. One whose interval is longer
  /// than 4 s is left out: its nanoseconds would not fit.
  public mutating func append(_ reading: FieldReading) {
    precondition(!isFinished, "the log was finished")
    guard reading.isWritable else { return }
    if field.count == FieldChunk.capacity {
      writeField()
      planNextTrial()
    }
    field.append(reading)
  }

  /// Encodes everything pending, so that the output has all that was appended.
  public mutating func flush() {
    while !pending.isEmpty || !gaps.isEmpty { fillPage() }
    writeReadings()
    writeField()
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
    precondition(RecordingTime.contains(time), "times are within 146 years")
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
