// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The result of one step of a ``PageDecoder``.
public enum LogRecord: Equatable, Sendable {
  /// Samples; they are in the block that was passed in.
  case samples
  /// A run of ticks without samples.
  case gap(Gap)
  /// A moment that the user marked.
  case mark(Mark)
  /// One instant on two clocks.
  case clock(ClockPair)
  /// An event of the chip.
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
  /// An intact record of a newer program, skipped.
  case unknown(kind: UInt8, byteCount: Int)
}

// Bodies of all chunks but samples, lists of readings and header; readers ignore bytes after the last field they know.

extension LogRecord {
  init(kind: UInt8, body: UnsafeRawBufferPointer) throws(MalformedChunk) {
    var cursor = ByteCursor(body)
    let record: LogRecord?
    switch kind {
    case 0: throw .reservedKind
    case ChunkKind.mark: record = .mark(try Mark(&cursor))
    case ChunkKind.clock: record = try ClockPair(&cursor).map(LogRecord.clock)
    case ChunkKind.sensor: record = try SensorEvent(&cursor).map(LogRecord.sensor)
    case ChunkKind.end: record = try RecordingEnd(&cursor).map(LogRecord.end)
    case ChunkKind.extended:
      let kind = try cursor.byte()
      switch kind {
      case ChunkKind.certificate:
        record = .certificate(CertificateText.certificate(Array(body.dropFirst())))
      case ChunkKind.busClock: record = BusClockReading(&cursor).map(LogRecord.busClock)
      default: record = nil
      }
      self = record ?? .unknown(kind: kind, byteCount: body.count)
      return
    default: record = nil
    }
    self = record ?? .unknown(kind: kind, byteCount: body.count)
  }
}

extension Mark {
  init(_ cursor: inout ByteCursor) throws(MalformedChunk) {
    let time = try cursor.signedVarint()
    guard RecordingTime.contains(time) else { throw .timeOutOfRange }
    let length = try cursor.varint()
    self.init(time: time, label: String(decoding: try cursor.bytes(length), as: UTF8.self))
  }

  func write(_ writer: inout ByteWriter) {
    writer.write(signedVarint: time)
    writer.write(label)
  }
}

extension ClockPair {
  init?(_ cursor: inout ByteCursor) throws(MalformedChunk) {
    let time = try cursor.int64()
    let wall = try cursor.int64()
    guard RecordingTime.contains(time) else { throw .timeOutOfRange }
    let isSynchronised = try cursor.byte() != 0
    guard let reason = Reason(rawValue: try cursor.byte()) else { return nil }
    self.init(time: time, wall: wall, isSynchronised: isSynchronised, reason: reason)
    others = Others(&cursor)
  }

  func write(_ writer: inout ByteWriter) {
    writer.write(int64: time)
    writer.write(int64: wall)
    writer.write(isSynchronised ? 1 : 0)
    writer.write(reason.rawValue)
    guard let others else { return }
    writer.write(signedVarint: others.raw)
    writer.write(signedVarint: others.boottime)
    writer.write(varint: UInt64(others.bracket))
  }
}

extension ClockPair.Others {
  /// `nil` where other bytes follow than all three: another writer's.
  fileprivate init?(_ cursor: inout ByteCursor) {
    do throws(MalformedChunk) {
      let (raw, boottime) = (try cursor.signedVarint(), try cursor.signedVarint())
      guard let bracket = UInt32(exactly: try cursor.varint()) else { return nil }
      self.init(raw: raw, boottime: boottime, bracket: bracket)
    } catch {
      return nil
    }
  }
}

extension BusClockReading {
  /// `nil` for what is not a reading: an estimate must not cost the samples behind it.
  init?(_ cursor: inout ByteCursor) {
    do throws(MalformedChunk) {
      let (time, overflow) = try cursor.signedVarint().multipliedReportingOverflow(by: 1000)
      let mean = UInt32(exactly: try cursor.varint())
      let (least, most) = (
        UInt32(exactly: try cursor.varint()), UInt32(exactly: try cursor.varint())
      )
      guard !overflow, RecordingTime.contains(time), let mean, let least, let most else {
        return nil
      }
      self.init(time: time, hertz: mean, least: least, most: most)
    } catch {
      return nil
    }
  }
}

extension SensorEvent {
  init?(_ cursor: inout ByteCursor) throws(MalformedChunk) {
    let tick = try cursor.varint()
    let kind = Kind(rawValue: try cursor.byte())
    let fault = Fault(rawValue: try cursor.byte())
    guard tick < LogFormat.tickLimit else { throw .tickOutOfRange }
    guard let kind, let fault else { return nil }
    self.init(tick: tick, kind: kind, fault: fault)
  }

  func write(_ writer: inout ByteWriter) {
    writer.write(varint: tick)
    writer.write(kind.rawValue)
    writer.write(fault.rawValue)
  }
}

extension RecordingEnd {
  /// The causes whose counts every end has, in this order.
  private static let firstCauses: [GapCause] = [
    .missed, .busError, .ringFull, .stale, .reinitialising,
  ]

  init?(_ cursor: inout ByteCursor) throws(MalformedChunk) {
    let reason = StopReason(rawValue: try cursor.byte())
    var tally = TickTally()
    tally.sampled = try cursor.varint()
    for cause in RecordingEnd.firstCauses { tally[cause] = try cursor.varint() }
    let lateness = LatenessSummary(
      median: try cursor.signedVarint(), percentile99: try cursor.signedVarint(),
      maximum: try cursor.signedVarint())
    if reason == .recovered || cursor.remaining > 0 { tally.lost = try cursor.varint() }
    if cursor.remaining > 0 { tally.frozen = try cursor.varint() }
    // Each below 2⁶⁰, so that the sum of all eight cannot overflow.
    let all = GapCause.allCases.reduce(tally.sampled) { $0 | tally[$1] }
    guard all < 1 << 60 else { throw .unbalanced }
    guard let reason else { return nil }
    self.init(reason: reason, tally: tally, lateness: lateness)
  }

  func write(_ writer: inout ByteWriter) {
    writer.write(reason.rawValue)
    writer.write(varint: tally.sampled)
    for cause in RecordingEnd.firstCauses { writer.write(varint: tally[cause]) }
    writer.write(signedVarint: lateness.median)
    writer.write(signedVarint: lateness.percentile99)
    writer.write(signedVarint: lateness.maximum)
    // Written only when not 0, so that other logs stay byte-identical with those of earlier versions.
    if reason == .recovered || tally.lost | tally.frozen > 0 { writer.write(varint: tally.lost) }
    if tally.frozen > 0 { writer.write(varint: tally.frozen) }
  }
}

/// Reads the entries of a gaps chunk's body.
struct GapCursor {
  private var cursor: ByteCursor
  private var remaining: UInt64
  private var tick: UInt64

  /// A cursor at the first entry. It checks all entries, so that ``next()`` cannot fail.
  ///
  /// Safe while the bytes stay unchanged: the decoder drops the cursor with the page.
  init(_ body: UnsafeRawBufferPointer, after firstTick: UInt64) throws(MalformedChunk) {
    cursor = ByteCursor(body)
    remaining = try cursor.varint()
    tick = firstTick
    var trial = self
    while trial.remaining > 0 { _ = try trial.read() }
  }

  /// The next gap, `nil` after the last; a gap with an unknown cause is an unknown record.
  mutating func next() -> LogRecord? {
    guard remaining > 0 else { return nil }
    do {
      return try read()
    } catch {
      preconditionFailure("the initialiser read the same bytes")
    }
  }

  private mutating func read() throws(MalformedChunk) -> LogRecord {
    let before = cursor.remaining
    remaining -= 1
    let first = tick &+ UInt64(bitPattern: try cursor.signedVarint())
    let count = try cursor.varint()
    let cause = GapCause(rawValue: try cursor.byte())
    let code = try cursor.signedVarint()
    guard first < LogFormat.tickLimit, count > 0, count <= LogFormat.tickLimit,
      first + count <= LogFormat.tickLimit
    else { throw .tickOutOfRange }
    guard let code = Int32(exactly: code) else { throw .badNumber }
    tick = first + count
    guard let cause else {
      return .unknown(kind: ChunkKind.gaps, byteCount: before - cursor.remaining)
    }
    return .gap(Gap(firstTick: first, count: count, cause: cause, code: code))
  }
}

extension Gap {
  /// Bytes of an entry: at most 26.
  func entrySize(after tick: UInt64) -> Int {
    ByteWriter.size(varint: UInt64(RiceCode.fold(Int64(bitPattern: firstTick &- tick))))
      + ByteWriter.size(varint: count) + 1
      + ByteWriter.size(varint: UInt64(RiceCode.fold(Int64(code))))
  }

  /// Writes an entry; `tick` is the first one after the gap before, or the page's first.
  func write(_ writer: inout ByteWriter, after tick: UInt64) {
    writer.write(signedVarint: Int64(bitPattern: firstTick &- tick))
    writer.write(varint: count)
    writer.write(cause.rawValue)
    writer.write(signedVarint: Int64(code))
  }
}
