// SPDX-License-Identifier: Apache-2.0

package import IMUModel

// A chunk of readings of a FIFO's fill, all of one epoch. Each reading is three or four varints, mostly differences from the
// prediction by the reading before: usually 6 bytes. A reading of the chip's counter is predicted the same way, and predicts
// nothing; a chunk that has one is of another kind, with one more flag for each reading.

/// The base of the differences of a chunk's next reading. Times are in microseconds.
private struct ReadingState {
  /// The usual rises of counts and instants.
  var countStep: Int64 = 0
  var timeStep: Int64 = 0
  /// Those of the reading before.
  var count: Int64 = 0
  var before: Int64 = 0
  var offset: Int64 = 0
}

extension FIFOReading {
  /// The instant before the read in microseconds, rounded down; an edge's is rounded up, so that the bounds stay true.
  fileprivate var beforeMicroseconds: Int64 {
    isEdge ? -floorDivide(-before, 1000) : floorDivide(before, 1000)
  }

  /// Microseconds from it to the instant after the read, which is rounded up; 0 where nothing was read.
  fileprivate var lengthMicroseconds: Int64 {
    length == 0 ? 0 : -floorDivide(-(before + Int64(length)), 1000) - beforeMicroseconds
  }

  /// Whether a log can have it. A read of 4 s bounds nothing, and its nanoseconds would not fit; a stamp needs a read.
  var isWritable: Bool {
    lengthMicroseconds <= ReadingsChunk.longestRead && (stamp == nil || length > 0)
  }

  /// Whether one chunk can have both.
  package func isOfEpoch(of other: FIFOReading) -> Bool {
    epoch == other.epoch && cause == other.cause && firstTick == other.firstTick
      && countBefore == other.countBefore
  }

  /// Traps when a value is out of the range that its documentation states.
  func checkRanges() {
    precondition(
      ReadingsChunk.counts.contains(count) && ReadingsChunk.counts.contains(countBefore)
        && ReadingsChunk.firstTicks.contains(firstTick), "a reading counts too much")
    precondition(
      ReadingsChunk.instants.contains(beforeMicroseconds)
        && ReadingsChunk.offsets.contains(offset), "a reading's instant is out of range")
  }
}

/// The ranges of a reading's fields, and how an encoder writes them.
enum ReadingsChunk {
  /// Most readings of a chunk that an encoder writes, so that their count takes one byte.
  static let capacity = 127
  static let counts: Range<Int64> = 0..<1 << 48
  static let firstTicks: Range<Int64> = -(1 << 62)..<1 << 62
  /// Of `before`, in microseconds: 9 years.
  static let instants: Range<Int64> = -(1 << 48)..<1 << 48
  /// In microseconds.
  static let offsets: Range<Int64> = -(1 << 47)..<1 << 47
  /// In microseconds.
  static let longestRead: Int64 = 4_294_967

  /// Most bytes of the fields before the first reading, and of a reading.
  private static let headLimit = 2 + 5 + 1 + 10 + 7 + 7 + 7 + 10 + 10 + 10
  private static let entryLimit = 7 + 10 + 4 + 10 + 3 + 3

  /// Writes a body with as many readings, all of one epoch, as surely fit in `room` bytes; returns how many.
  static func write(
    _ readings: ArraySlice<FIFOReading>, to body: inout ByteWriter, room: Int
  ) -> Int {
    guard let first = readings.first, let last = readings.last,
      room >= headLimit + entryLimit
    else { return 0 }
    var state = ReadingState()
    let steps = Int64(max(1, readings.count - 1))
    func step(_ difference: Int64) -> Int64 {
      min(max(0, difference / steps), counts.upperBound - 1)
    }
    state.countStep = step(last.count - first.count)
    state.timeStep = step(last.beforeMicroseconds - first.beforeMicroseconds)
    state.count = first.count - state.countStep
    state.before = first.beforeMicroseconds - state.timeStep
    state.offset = first.offset
    let isStamped = readings.prefix(capacity).contains { $0.stamp != nil }
    body.write(isStamped ? ChunkKind.stampedReadings : ChunkKind.readings)
    let countPlace = body.count
    body.write(0)
    body.write(varint: UInt64(first.epoch))
    body.write(first.cause.rawValue)
    body.write(signedVarint: first.firstTick)
    body.write(varint: UInt64(first.countBefore))
    body.write(varint: UInt64(state.countStep))
    body.write(varint: UInt64(state.timeStep))
    body.write(signedVarint: state.count)
    body.write(signedVarint: state.before)
    body.write(signedVarint: state.offset)
    var count = 0
    for reading in readings.prefix(capacity) {
      if body.count + entryLimit > room { break }
      write(reading, to: &body, &state, isStamped: isStamped)
      count += 1
    }
    body.replace(at: countPlace, with: UInt8(count))
    return count
  }

  private static func write(
    _ reading: FIFOReading, to body: inout ByteWriter, _ state: inout ReadingState,
    isStamped: Bool
  ) {
    let before = reading.beforeMicroseconds
    body.write(signedVarint: reading.count - state.count - state.countStep)
    body.write(signedVarint: before - state.before - state.timeStep)
    let drift = reading.offset - state.offset
    var field = UInt64(reading.lengthMicroseconds)
    if isStamped { field = field << 1 | (reading.stamp == nil ? 0 : 1) }
    body.write(varint: field << 2 | (drift == 0 ? 0 : 2) | (reading.isDrained ? 1 : 0))
    if drift != 0 { body.write(signedVarint: drift) }
    state.offset = reading.offset
    if let stamp = reading.stamp {
      body.write(varint: UInt64(stamp.ticks))
      body.write(varint: UInt64(stamp.ticksPerSlot))
    } else {
      (state.count, state.before) = (reading.count, before)
    }
  }
}

/// Reads a chunk's body of readings.
struct ReadingCursor {
  private var cursor: ByteCursor
  private var remaining: UInt64
  private let epoch: UInt32
  private let cause: EpochCause
  private let firstTick: Int64
  private let countBefore: Int64
  private let isStamped: Bool
  private var state = ReadingState()

  /// A cursor at the first reading of a body without its first byte, the kind; `nil` when the cause of the epoch is unknown.
  /// It checks all readings, so that ``next()`` cannot fail.
  ///
  /// Safe while the bytes stay unchanged: the decoder drops the cursor with the page.
  ///
  /// - Parameter isStamped: Whether the kind is that of readings with stamps among them.
  init?(_ body: UnsafeRawBufferPointer, isStamped: Bool) throws(MalformedChunk) {
    cursor = ByteCursor(body)
    self.isStamped = isStamped
    remaining = try cursor.varint()
    guard let epoch = UInt32(exactly: try cursor.varint()) else { throw .badNumber }
    self.epoch = epoch
    let cause = EpochCause(rawValue: try cursor.byte())
    firstTick = try cursor.signedVarint()
    countBefore = Int64(bitPattern: try cursor.varint())
    guard ReadingsChunk.firstTicks.contains(firstTick),
      ReadingsChunk.counts.contains(countBefore)
    else { throw .tickOutOfRange }
    state.countStep = Int64(bitPattern: try cursor.varint())
    state.timeStep = Int64(bitPattern: try cursor.varint())
    guard ReadingsChunk.counts.contains(state.countStep),
      ReadingsChunk.counts.contains(state.timeStep)
    else { throw .badNumber }
    state.count = try cursor.signedVarint()
    state.before = try cursor.signedVarint()
    state.offset = try cursor.signedVarint()
    self.cause = cause ?? .start
    var trial = self
    while trial.remaining > 0 { _ = try trial.read() }
    if cause == nil { return nil }
  }

  mutating func next() -> LogRecord? {
    guard remaining > 0 else { return nil }
    do {
      return .reading(try read())
    } catch {
      preconditionFailure("the initialiser read the same bytes")
    }
  }

  private mutating func read() throws(MalformedChunk) -> FIFOReading {
    remaining -= 1
    // Modulo 2⁶⁴; the sums are in range or refused.
    let count = state.count &+ state.countStep &+ (try cursor.signedVarint())
    let before = state.before &+ state.timeStep &+ (try cursor.signedVarint())
    let field = try cursor.varint()
    let length = field >> (isStamped ? 3 : 2)
    if field & 2 != 0 { state.offset &+= try cursor.signedVarint() }
    var stamp: SlotStamp?
    if isStamped, field & 4 != 0 {
      guard length > 0, let ticks = UInt16(exactly: try cursor.varint()),
        let ticksPerSlot = UInt16(exactly: try cursor.varint()), ticksPerSlot > 0
      else { throw .badNumber }
      stamp = SlotStamp(ticks: ticks, ticksPerSlot: ticksPerSlot)
    } else {
      (state.count, state.before) = (count, before)
    }
    guard ReadingsChunk.counts.contains(count) else { throw .tickOutOfRange }
    guard ReadingsChunk.instants.contains(before), ReadingsChunk.offsets.contains(state.offset),
      length <= UInt64(ReadingsChunk.longestRead)
    else { throw .badNumber }
    return FIFOReading(
      epoch: epoch, cause: cause, firstTick: firstTick, countBefore: countBefore, count: count,
      before: before * 1000, length: UInt32(length) * 1000, offset: state.offset,
      isDrained: field & 1 != 0, stamp: stamp)
  }
}
