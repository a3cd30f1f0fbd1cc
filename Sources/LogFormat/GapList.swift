import IMUModel

/// The entries of a gaps chunk's body, read one after the other.
struct GapCursor {
  private var cursor: ByteCursor
  private var remaining: UInt64
  private var tick: UInt64

  /// A cursor at the first entry; all entries are checked here, so that ``next()`` cannot fail.
  ///
  /// Safe while the bytes stay unchanged: the decoder drops the cursor with the page.
  init(_ body: UnsafeRawBufferPointer, after firstTick: UInt64) throws(MalformedChunk) {
    cursor = ByteCursor(body)
    remaining = try cursor.varint()
    tick = firstTick
    var trial = self
    while trial.remaining > 0 { _ = try trial.read() }
  }

  /// The next gap, `nil` after the last; a gap whose cause is not known is an unknown record.
  mutating func next() -> LogRecord? {
    guard remaining > 0 else { return nil }
    do {
      return try read()
    } catch {
      // Not reached: `init` read the same bytes. Ending the list is the harmless way out.
      remaining = 0
      return nil
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
