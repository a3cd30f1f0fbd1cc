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
///
/// No word is stored: a word's place in the stream gives its slot and data set, and these its contents.
struct PatternFIFO: Sendable, BitwiseCopyable {
  /// What goes into the FIFO, and how much.
  struct Batch: Sendable, BitwiseCopyable {
    /// Oscillator ticks a slot.
    let slotPeriod: Int64
    /// Words in the FIFO at most: all that it has, or fewer by STOP_ON_FTH.
    let limit: Int64
    /// FIFO_MODE 1: what would fill it is not stored, nor anything after that.
    let stops: Bool
    /// For each data set the slots from one that has it to the next; 0 for none.
    let every: SIMD4<Int64>
    /// The pattern's length in slots and in words.
    fileprivate let patternSlots: Int64
    fileprivate let patternWords: Int64

    /// `nil` when nothing goes into the FIFO.
    init?(slotPeriod: Int64, limit: Int64, stops: Bool, every: SIMD4<Int64>) {
      guard slotPeriod > 0, every.max() > 0 else { return nil }
      (self.slotPeriod, self.limit, self.stops, self.every) = (slotPeriod, limit, stops, every)
      // Decimations are 3 and powers of two.
      var (power, three) = (Int64(1), Int64(1))
      for index in 0..<4 {
        if every[index] == 3 { three = 3 } else { power = max(power, every[index]) }
      }
      patternSlots = power * three
      patternWords = Self.words(before: patternSlots, every)
    }

    /// Words in the slots before slot number `slot`, the first being 0.
    fileprivate func words(before slot: Int64) -> Int64 { Self.words(before: slot, every) }

    private static func words(before slot: Int64, _ every: SIMD4<Int64>) -> Int64 {
      var words: Int64 = 0
      for index in 0..<4 where every[index] > 0 {
        words += 3 * ((slot + every[index] - 1) / every[index])
      }
      return words
    }
  }

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

  private var batch: Batch?
  /// Slots of the oscillator before the FIFO's first one.
  private var firstSlot: Int64 = 0
  /// Words that were read, or replaced.
  private var read: Int64 = 0
  /// The slot that was not stored because it would have filled the FIFO.
  private var stop: Int64?
  /// Words have been replaced, and none has been read since.
  private var isOverrun = false
  /// The word that is in FIFO_DATA_OUT, and its number.
  private var output: Int16 = 0
  private var outputNumber: Int64 = -1
  /// Whether its low byte was read last.
  private var isLowRead = false

  /// The FIFO begins to collect after `tick`, or is emptied and off.
  mutating func restart(_ batch: Batch?, atTick tick: Int64) {
    self = PatternFIFO()
    guard let batch else { return }
    self.batch = batch
    firstSlot = tick / batch.slotPeriod + 1
  }

  /// Words in the FIFO after `tick`; notes an overrun, or that it stops.
  private mutating func count(_ batch: Batch, atTick tick: Int64) -> Int64 {
    var slots = max(0, tick / batch.slotPeriod + 1 - firstSlot)
    if batch.stops {
      if stop == nil, batch.words(before: slots + 1) - read >= batch.limit {
        var (low, high) = (Int64(0), slots)
        while low < high {
          let middle = low + (high - low) / 2
          if batch.words(before: middle + 1) - read >= batch.limit {
            high = middle
          } else {
            low = middle + 1
          }
        }
        stop = low
      }
      slots = min(slots, stop ?? slots)
    }
    let written = batch.words(before: slots)
    if written - read > batch.limit {
      read = written - batch.limit
      isOverrun = true
    }
    return written - read
  }

  /// FIFO_STATUS1 and, in the high byte, FIFO_STATUS2 (AN5130 8.1.6, 8.1.7), after `tick`.
  ///
  /// DIFF is 0 after an overrun, until a word is read.
  ///
  /// - Parameters:
  ///   - threshold: FTH, for the watermark's flag.
  ///   - looksAhead: Whether that flag is already set when the next slot will reach the threshold (AN4650 8.6).
  ///   - countMask: The bits of DIFF.
  mutating func status(
    atTick tick: Int64, threshold: Int64, looksAhead: Bool, countMask: UInt16
  ) -> UInt16 {
    guard let batch else { return 0x1000 }
    let count = count(batch, atTick: tick)
    let slots = max(0, tick / batch.slotPeriod + 1 - firstSlot)
    let next = batch.words(before: slots + 1) - batch.words(before: slots)
    var status = isOverrun ? 0 : UInt16(truncatingIfNeeded: count) & countMask
    if reaches(threshold, atTick: tick, looksAhead: looksAhead) { status |= 0x8000 }
    if isOverrun { status |= 0x4000 }
    if stop != nil || count + next >= batch.limit { status |= 0x2000 }
    if count == 0 { status |= 0x1000 }
    return status
  }

  /// Whether the FIFO has so many words after `tick`, or with `looksAhead` will have them with the next slot.
  mutating func reaches(_ threshold: Int64, atTick tick: Int64, looksAhead: Bool) -> Bool {
    guard let batch, threshold > 0 else { return false }
    let slots = max(0, tick / batch.slotPeriod + 1 - firstSlot)
    let next = batch.words(before: slots + 1) - batch.words(before: slots)
    return count(batch, atTick: tick) + (looksAhead ? next : 0) >= threshold
  }

  /// FIFO_PATTERN after `tick`: the place of the next word in the pattern.
  mutating func pattern(atTick tick: Int64) -> UInt16 {
    guard let batch else { return 0 }
    _ = count(batch, atTick: tick)
    return UInt16(truncatingIfNeeded: read % batch.patternWords)
  }

  /// A byte of the oldest word; its high byte takes it out. An empty FIFO gives the last word again: what a chip gives is
  /// undefined (AN5130 8.4).
  mutating func fetch(isHigh: Bool, atTick tick: Int64, contents: (Place) -> Int16) -> UInt8 {
    guard let batch else { return 0 }
    let isEmpty = count(batch, atTick: tick) == 0
    // Between its two bytes a word stays in the output register, whatever is replaced meanwhile.
    if !isEmpty, !(isHigh && isLowRead) {
      output = contents(place(of: read, batch))
      outputNumber = read
    }
    isLowRead = !isHigh
    if isHigh {
      if !isEmpty, outputNumber == read { read += 1 }
      isOverrun = false
    }
    return UInt8(truncatingIfNeeded: isHigh ? output >> 8 : output)
  }

  /// The oldest word vanishes.
  mutating func lose(atTick tick: Int64) {
    if let batch, count(batch, atTick: tick) > 0 { read += 1 }
  }

  private func place(of word: Int64, _ batch: Batch) -> Place {
    let (patterns, rest) = word.quotientAndRemainder(dividingBy: batch.patternWords)
    var slot: Int64 = 0
    while batch.words(before: slot + 1) <= rest { slot += 1 }
    var left = Int(rest - batch.words(before: slot))
    var dataSet = 0
    while batch.every[dataSet] == 0 || slot % batch.every[dataSet] != 0 || left >= 3 {
      if batch.every[dataSet] > 0, slot % batch.every[dataSet] == 0 { left -= 3 }
      dataSet += 1
    }
    let number = patterns * batch.patternSlots + slot
    return Place(
      dataSet: dataSet, word: left, tick: (firstSlot + number) * batch.slotPeriod,
      isFirst: number == 0)
  }
}
