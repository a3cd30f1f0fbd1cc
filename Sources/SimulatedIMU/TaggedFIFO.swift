// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The FIFO of LSM6DSO and LSM6DSV: words of a tag and six bytes (LSM6DSO data sheet 6 and 9.78, AN5192 9; LSM6DSV16X data
/// sheet 6.12 and 9).
///
///     slot n                        slot n + 1
///     ┌──────┬──────┬──────┬──────┐ ┌──────┬──────┐
///     │ time │ gyro │ accel│ temp │ │ gyro │ accel│ …      each with the slot's counter, 0 to 3, in its tag
///     └──────┴──────┴──────┴──────┘ └──────┴──────┘
///      tag: kind << 3 | counter << 1 | parity, which the LSM6DSV has not
///
/// Words stay whole when they are replaced.
struct TaggedFIFO: Sendable, BitwiseCopyable {
  /// The kinds of word.
  enum Kind: UInt8, Sendable, BitwiseCopyable {
    case timestamp = 0x04
    case gyroscope = 0x01
    case accelerometer = 0x02
    case temperature = 0x03

    /// In the order in which they are written in a slot.
    fileprivate init(place: Int) {
      switch place {
      case 0: self = .timestamp
      case 1: self = .gyroscope
      case 2: self = .accelerometer
      default: self = .temperature
      }
    }
  }

  struct Batch {
    /// The periods of the batching rates in ticks, 0 for none.
    let gyroscope: Int64
    let accelerometer: Int64
    let temperature: Int64
    /// Slots from one with a time stamp to the next; 0 for none.
    let timestampEvery: Int64
    /// Words in the FIFO at most: all that it has, or fewer by STOP_ON_WTM.
    let limit: Int64
    /// FIFO_MODE 1: what would not fit is not stored.
    let stops: Bool
  }

  private var stream: SlotStream?
  private var hasParity = true
  /// The word that is being read, as it was at its first byte, and its number, -1 for an empty FIFO.
  private var current: Word?
  private var currentNumber: Int64 = -1

  /// A word's bytes.
  struct Word: Sendable, BitwiseCopyable {
    var tag: UInt8 = 0
    var values = SIMD3<Int16>(repeating: 0)

    /// By its place, the tag first; each value has its low byte first.
    subscript(offset: Int) -> UInt8 {
      guard offset > 0 else { return tag }
      let value = values[(offset - 1) / 2]
      return UInt8(truncatingIfNeeded: offset % 2 == 1 ? value : value >> 8)
    }
  }

  /// Off and empty.
  init() {}

  /// A FIFO that begins to collect after `tick`. Slots are counted from the oscillator's origin.
  init(_ batch: Batch, hasParity: Bool, atTick tick: Int64) {
    let (one, other) = (batch.gyroscope, batch.accelerometer)
    let slot = one > 0 && other > 0 ? min(one, other) : max(one, other)
    guard slot > 0 else { return }
    self.hasParity = hasParity
    stream = SlotStream(
      slotPeriod: slot,
      every: SIMD4(
        batch.timestampEvery, one / slot, other / slot,
        batch.temperature > 0 ? max(1, batch.temperature / slot) : 0),
      wordsOfKind: 1, limit: batch.limit, stops: batch.stops, stopsBelowLimit: false,
      first: tick / slot + 1, origin: 0)
  }

  /// Words in the FIFO after `tick`.
  mutating func count(atTick tick: Int64) -> Int64 { stream?.count(atTick: tick) ?? 0 }

  /// FIFO_STATUS2 without the high bits of the count. Reading it clears the latched overrun.
  mutating func readStatus(atTick tick: Int64, watermark: Int64) -> UInt8 {
    let count = count(atTick: tick)
    guard let stream else { return 0 }
    self.stream?.isOverrun = false
    return (watermark > 0 && count >= watermark ? 0x80 : 0) | (count == stream.limit ? 0x40 : 0)
      | (count + stream.coming(atTick: tick) >= stream.limit ? 0x20 : 0)
      | (stream.isOverrun ? 0x08 : 0)
  }

  /// The oldest word vanishes.
  mutating func lose(atTick tick: Int64) { stream?.lose(atTick: tick) }

  /// A byte of the oldest word, 0 its tag; its last byte takes it out. An empty FIFO gives zeros for a whole word.
  mutating func fetch(
    _ offset: Int, atTick tick: Int64, contents: (Kind, _ tick: Int64) -> SIMD3<Int16>
  ) -> UInt8 {
    let isEmpty = count(atTick: tick) == 0
    guard let stream else { return 0 }
    let word = offset == 0 ? nil : current
    if word == nil { currentNumber = isEmpty ? -1 : stream.read }
    let latched = word ?? (isEmpty ? Word() : self.word(stream, contents))
    current = offset == 6 ? nil : latched
    if offset == 6, currentNumber == stream.read { self.stream?.read += 1 }
    return latched[offset]
  }

  /// The word that is read next.
  private func word(
    _ stream: SlotStream, _ contents: (Kind, _ tick: Int64) -> SIMD3<Int16>
  ) -> Word {
    // One of two kinds is in each slot, so there are at most as many slots as words.
    let number = stream.read
    let slot = stream.firstSlot(upTo: stream.first + number + 1) {
      stream.words(before: $0 + 1) > number
    }
    var place = number - stream.words(before: slot)
    for index in 0..<4 where stream.every[index] > 0 && slot % stream.every[index] == 0 {
      if place == 0 {
        let kind = Kind(place: index)
        var tag = kind.rawValue << 3 | (UInt8(truncatingIfNeeded: slot - stream.first) & 3) << 1
        // The whole byte has an even number of ones.
        if hasParity, tag.nonzeroBitCount % 2 == 1 { tag |= 1 }
        return Word(tag: tag, values: contents(kind, slot * stream.slotPeriod))
      }
      place -= 1
    }
    return Word()
  }
}

/// The time stamp of an ST chip: six counts a tick of the oscillator. Switching it off and on does not reset it.
struct TimestampCounter: Sendable, BitwiseCopyable {
  /// The oscillator's phase when it was reset.
  var start = 0.0

  func count(atPhase phase: Double) -> Int64 { Int64(max(0, phase - start) * 6) }
}
