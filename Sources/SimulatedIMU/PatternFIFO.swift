// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The FIFO of the LSM6DS3 and of the LSM6DSL: 16-bit words without marks, in a pattern that repeats (AN5130 8).
///
///     slot 0                 slot 1        slot 2
///     ┌──────────┬─────────┐ ┌──────────┐ ┌──────────┬─────────┐
///     │ gx gy gz │ ax ay az│ │ gx gy gz │ │ gx gy gz │ ax ay az│ …   acceleration in every second slot
///     └──────────┴─────────┘ └──────────┘ └──────────┴─────────┘
///       0  1  2    3  4  5     6  7  8      0  1  2    3  4  5       FIFO_PATTERN: the place of the next word
///
/// The first slot has every data set (8.5). When the FIFO is full, each word replaces the oldest one, not the oldest slot
/// (8.2.3), so the oldest slot is cut.
struct PatternFIFO: Sendable, BitwiseCopyable {
  /// The place of a data set's word.
  struct Place: Equatable, Sendable, BitwiseCopyable {
    /// 0 angular rate, 1 acceleration, 2 and 3 as the registers say.
    let dataSet: Int
    /// 0, 1 or 2.
    let word: Int
    /// Oscillator ticks.
    let tick: Int64
    /// Whether the slot is the first one after bypass mode.
    let isFirst: Bool
  }

  private var stream: SlotStream?
  /// The pattern's length in slots and in words.
  private var patternSlots: Int64 = 1
  private var patternWords: Int64 = 1
  /// The word that is in FIFO_DATA_OUT, and its number.
  private var output: Int16 = 0
  private var outputNumber: Int64 = -1
  /// Whether its low byte was read last.
  private var isLowRead = false

  /// Off and empty.
  init() {}

  /// A FIFO that begins to collect after `tick`; off when nothing goes into it. `limit` is in words: all, or fewer by
  /// STOP_ON_FTH. With `stops`, FIFO_MODE 1, the slot that would fill it is not stored. `every` is for each data set the
  /// slots from one that has it to the next; 0 for none.
  init(slotPeriod: Int64, limit: Int64, stops: Bool, every: SIMD4<Int64>, atTick tick: Int64) {
    guard slotPeriod > 0, every.max() > 0 else { return }
    let stream = SlotStream(
      slotPeriod: slotPeriod, every: every, wordsOfKind: 3, limit: limit, stops: stops,
      stopsBelowLimit: true, first: 0, origin: tick / slotPeriod + 1)
    // Decimations are 3 and powers of two.
    var (power, three) = (Int64(1), Int64(1))
    for index in 0..<4 {
      if every[index] == 3 { three = 3 } else { power = max(power, every[index]) }
    }
    patternSlots = power * three
    patternWords = stream.words(before: patternSlots)
    self.stream = stream
  }

  /// FIFO_STATUS1 and, in the high byte, FIFO_STATUS2 (AN5130 8.1.6, 8.1.7), after `tick`. DIFF, the bits of `countMask`, is
  /// 0 after an overrun, until a word is read. With `looksAhead` the watermark's flag counts the next slot too (AN4650 8.6).
  mutating func status(
    atTick tick: Int64, threshold: Int64, looksAhead: Bool, countMask: UInt16
  ) -> UInt16 {
    let hasReached = reaches(threshold, atTick: tick, looksAhead: looksAhead)
    guard let count = stream?.count(atTick: tick), let stream else { return 0x1000 }
    let isFull = stream.stop != nil || count + stream.coming(atTick: tick) >= stream.limit
    return (stream.isOverrun ? 0x4000 : UInt16(truncatingIfNeeded: count) & countMask)
      | (hasReached ? 0x8000 : 0) | (isFull ? 0x2000 : 0) | (count == 0 ? 0x1000 : 0)
  }

  /// Whether the FIFO has `threshold` words after `tick`, with `looksAhead` counting the next slot.
  mutating func reaches(_ threshold: Int64, atTick tick: Int64, looksAhead: Bool) -> Bool {
    guard let count = stream?.count(atTick: tick), let stream, threshold > 0 else { return false }
    return count + (looksAhead ? stream.coming(atTick: tick) : 0) >= threshold
  }

  /// FIFO_PATTERN after `tick`: the place of the next word in the pattern.
  mutating func pattern(atTick tick: Int64) -> UInt16 {
    _ = stream?.count(atTick: tick)
    return UInt16(truncatingIfNeeded: (stream?.read ?? 0) % patternWords)
  }

  /// A byte of the oldest word; its high byte takes it out. An empty FIFO gives the last word again; a chip's answer is
  /// undefined (AN5130 8.4).
  mutating func fetch(isHigh: Bool, atTick tick: Int64, contents: (Place) -> Int16) -> UInt8 {
    guard let count = stream?.count(atTick: tick), let stream else { return 0 }
    // Between its two bytes a word stays in the output register, whatever is replaced meanwhile.
    if count > 0, !(isHigh && isLowRead) {
      output = contents(place(of: stream.read, stream))
      outputNumber = stream.read
    }
    isLowRead = !isHigh
    if isHigh {
      if count > 0, outputNumber == stream.read { self.stream?.read += 1 }
      self.stream?.isOverrun = false
    }
    return UInt8(truncatingIfNeeded: isHigh ? output >> 8 : output)
  }

  /// The oldest word vanishes.
  mutating func lose(atTick tick: Int64) { stream?.lose(atTick: tick) }

  private func place(of word: Int64, _ stream: SlotStream) -> Place {
    let (patterns, rest) = word.quotientAndRemainder(dividingBy: patternWords)
    let slot = stream.firstSlot(upTo: patternSlots) { stream.words(before: $0 + 1) > rest }
    var left = Int(rest - stream.words(before: slot))
    var dataSet = 0
    while stream.every[dataSet] == 0 || slot % stream.every[dataSet] != 0 || left >= 3 {
      if stream.every[dataSet] > 0, slot % stream.every[dataSet] == 0 { left -= 3 }
      dataSet += 1
    }
    let number = patterns * patternSlots + slot
    return Place(
      dataSet: dataSet, word: left, tick: (stream.origin + number) * stream.slotPeriod,
      isFirst: number == 0)
  }
}

/// A FIFO of bytes without marks, as InvenSense's chips have it.
///
///     stream    …──┬──────────────────────────────────────────┬──…
///                  read                                     written      count = written − read, at most the size
///
/// No byte is stored: a byte's place in the stream gives its sample, and the sample its counts. When the FIFO is full, each
/// byte overwrites the oldest one, and as its size is not a multiple of a packet, packets begin at another place from then
/// on. A change of the configuration empties it; for a real chip that is not documented.
struct ByteFIFO: Sendable, BitwiseCopyable {
  /// The number of the first sample in the stream; `nil` while the FIFO is off.
  var firstSample: Int64?
  /// Bytes of a packet, and of the FIFO.
  var packet: Int64 = 0
  var size: Int64 = 0
  /// Bytes that were read, or overwritten.
  private(set) var read: Int64 = 0
  /// The flag of an overflow, until the chip clears it.
  var hasOverflowed = false
  /// The count, as latched by the read of its high byte.
  var latchedCount: Int64 = 0
  /// The byte that was read last: an empty FIFO gives it again.
  var lastByte: UInt8 = 0
  /// The sample whose bytes were read last.
  var recent = RawSample()
  var recentSample: Int64 = -1

  /// Bytes in the FIFO once the sample `newest` is there; notes an overflow.
  mutating func count(newest: Int64) -> Int64 {
    guard let first = firstSample else { return 0 }
    let written = max(0, newest - first + 1) * packet
    if written - read > size {
      read = written - size
      hasOverflowed = true
    }
    return written - read
  }

  /// Takes out a byte: the number of its sample, and its place in the packet. `nil` when there is none.
  mutating func take(newest: Int64) -> (sample: Int64, place: Int64)? {
    guard count(newest: newest) > 0, let first = firstSample else { return nil }
    let (index, place) = read.quotientAndRemainder(dividingBy: packet)
    read += 1
    return (first + index, place)
  }
}
