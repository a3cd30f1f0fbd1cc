import IMUModel

// Bodies of all chunks but samples and header; readers ignore bytes after the last field they know.

extension LogRecord {
  /// The record in the body of an intact chunk.
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
      self = .unknown(kind: try cursor.byte(), byteCount: body.count)
      return
    default: record = nil
    }
    self = record ?? .unknown(kind: kind, byteCount: body.count)
  }
}

extension Mark {
  init(_ cursor: inout ByteCursor) throws(MalformedChunk) {
    let time = try cursor.signedVarint()
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
    let isSynchronised = try cursor.byte() != 0
    guard let reason = Reason(rawValue: try cursor.byte()) else { return nil }
    self.init(time: time, wall: wall, isSynchronised: isSynchronised, reason: reason)
  }

  func write(_ writer: inout ByteWriter) {
    writer.write(int64: time)
    writer.write(int64: wall)
    writer.write(isSynchronised ? 1 : 0)
    writer.write(reason.rawValue)
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
  init?(_ cursor: inout ByteCursor) throws(MalformedChunk) {
    let reason = StopReason(rawValue: try cursor.byte())
    var ledger = TickLedger()
    ledger.sampled = try cursor.varint()
    ledger.missed = try cursor.varint()
    ledger.busErrors = try cursor.varint()
    ledger.ringFull = try cursor.varint()
    ledger.stale = try cursor.varint()
    ledger.reinitialising = try cursor.varint()
    let lateness = LatenessSummary(
      median: try cursor.signedVarint(), percentile99: try cursor.signedVarint(),
      maximum: try cursor.signedVarint())
    if reason == .recovered || cursor.remaining > 0 { ledger.lost = try cursor.varint() }
    if cursor.remaining > 0 { ledger.frozen = try cursor.varint() }
    // Each below 2⁶⁰: the sum of all eight cannot overflow in whoever adds them up.
    let all =
      ledger.sampled | ledger.missed | ledger.busErrors | ledger.ringFull | ledger.stale
      | ledger.reinitialising | ledger.lost | ledger.frozen
    guard all < 1 << 60 else { throw .unbalanced }
    guard let reason else { return nil }
    self.init(reason: reason, ledger: ledger, lateness: lateness)
  }

  func write(_ writer: inout ByteWriter) {
    writer.write(reason.rawValue)
    writer.write(varint: ledger.sampled)
    writer.write(varint: ledger.missed)
    writer.write(varint: ledger.busErrors)
    writer.write(varint: ledger.ringFull)
    writer.write(varint: ledger.stale)
    writer.write(varint: ledger.reinitialising)
    writer.write(signedVarint: lateness.median)
    writer.write(signedVarint: lateness.percentile99)
    writer.write(signedVarint: lateness.maximum)
    // Written only where they say something, so that a log without them is what it always was.
    if reason == .recovered || ledger.lost | ledger.frozen > 0 { writer.write(varint: ledger.lost) }
    if ledger.frozen > 0 { writer.write(varint: ledger.frozen) }
  }
}
