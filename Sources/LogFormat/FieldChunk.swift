// SPDX-License-Identifier: Apache-2.0

import IMUModel

// A chunk of the magnetometer's values. Each is five varints of differences from the value before, usually 7 bytes; the Rice
// codes of samples would save one of them.

/// A value as a chunk has it; the next one differs from it. Times are in microseconds.
private struct FieldState {
  /// The end of the interval, rounded up, and its distance from the beginning, which is rounded down.
  var (time, width) = (0 as Int64, 0 as Int64)
  var counts = SIMD3<Int64>()

  init() {}

  init(_ value: FieldReading) {
    time = -floorDivide(-value.time, 1000)
    width = time - floorDivide(value.time - Int64(value.width), 1000)
    counts = SIMD3(Int64(value.x), Int64(value.y), Int64(value.z))
  }
}

extension FieldReading {
  /// Whether a log can have it: its nanoseconds must fit after rounding. Traps when its time is out of range.
  var isWritable: Bool {
    let state = FieldState(self)
    precondition(FieldChunk.times.contains(state.time), "a value's time is out of range")
    return state.width <= FieldChunk.greatestWidth
  }
}

/// The ranges of a value's fields, and how an encoder writes them.
enum FieldChunk {
  /// Most values of a chunk that an encoder writes, so that their count takes one byte.
  static let capacity = 127
  /// Of times, in microseconds: 9 years.
  static let times: Range<Int64> = -(1 << 48)..<1 << 48
  /// In microseconds.
  static let greatestWidth: Int64 = 4_294_967

  /// Most bytes of the fields before the first value, and of a value.
  private static let headLimit = 2 + 7
  private static let entryLimit = 10 + 5 + 1 + 3 * 3

  /// Writes a body with as many values as surely fit in `room` bytes; returns how many.
  static func write(
    _ values: ArraySlice<FieldReading>, to body: inout ByteWriter, room: Int
  ) -> Int {
    guard let first = values.first, let last = values.last, room >= headLimit + entryLimit else {
      return 0
    }
    let rise = FieldState(last).time - FieldState(first).time
    let step = min(max(0, rise / Int64(max(1, values.count - 1))), times.upperBound - 1)
    body.write(ChunkKind.field)
    let countPlace = body.count
    body.write(0)
    body.write(varint: UInt64(step))
    var (state, count) = (FieldState(), 0)
    for value in values.prefix(capacity) where body.count + entryLimit <= room {
      let next = FieldState(value)
      body.write(signedVarint: next.time - state.time - step)
      let change = UInt64(RiceCode.fold(next.width - state.width))
      body.write(varint: change << 1 | (value.flags.isEmpty ? 0 : 1))
      if !value.flags.isEmpty { body.write(value.flags.rawValue) }
      for axis in 0..<3 { body.write(signedVarint: next.counts[axis] - state.counts[axis]) }
      (state, count) = (next, count + 1)
    }
    body.replace(at: countPlace, with: UInt8(count))
    return count
  }
}

/// Reads a chunk's body of the magnetometer's values.
struct FieldCursor {
  private var cursor: ByteCursor
  private var remaining: UInt64 = 0
  /// The usual rise of the times.
  private var step: Int64 = 0
  private var state = FieldState()

  /// A cursor at the first value of a body without its first byte, the kind. It checks all values, so that ``next()`` cannot
  /// fail, and is `nil` when one is out of range: a broken value must not cost the samples behind it.
  ///
  /// Safe while the bytes stay unchanged: the decoder drops the cursor with the page.
  init?(_ body: UnsafeRawBufferPointer) {
    cursor = ByteCursor(body)
    do throws(MalformedChunk) {
      remaining = try cursor.varint()
      step = Int64(bitPattern: try cursor.varint())
      guard (0..<FieldChunk.times.upperBound).contains(step) else { return nil }
      var trial = self
      while trial.remaining > 0 { _ = try trial.read() }
    } catch {
      return nil
    }
  }

  /// The next value, `nil` after the last; one with an unknown flag is an unknown record.
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
    // Modulo 2⁶⁴; the sums are in range or refused.
    state.time = state.time &+ step &+ (try cursor.signedVarint())
    let change = try cursor.varint()
    state.width &+= RiceCode.unfold(change >> 1, as: Int64.self)
    let flags = FieldReading.Flags(rawValue: change & 1 != 0 ? try cursor.byte() : 0)
    for axis in 0..<3 { state.counts[axis] &+= try cursor.signedVarint() }
    guard FieldChunk.times.contains(state.time) else { throw .timeOutOfRange }
    guard (0...FieldChunk.greatestWidth).contains(state.width),
      let x = Int16(exactly: state.counts.x), let y = Int16(exactly: state.counts.y),
      let z = Int16(exactly: state.counts.z)
    else { throw .badNumber }
    guard FieldReading.Flags.known.isSuperset(of: flags) else {
      return .unknown(kind: ChunkKind.field, byteCount: before - cursor.remaining)
    }
    return .field(
      FieldReading(
        time: state.time * 1000, width: UInt32(state.width) * 1000, x: x, y: y, z: z, flags: flags))
  }
}
