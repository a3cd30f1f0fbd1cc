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
/// No word is stored: a word's place in the stream gives its slot and kind, and these its contents. When the FIFO is full,
/// each word replaces the oldest one; words stay whole.
struct TaggedFIFO: Sendable, BitwiseCopyable {
  /// The kinds of word, in the order in which they are written in a slot.
  enum Kind: UInt8, Sendable, BitwiseCopyable {
    case timestamp = 0x04
    case gyroscope = 0x01
    case accelerometer = 0x02
    case temperature = 0x03
  }

  /// What goes into the FIFO, and how much.
  struct Batch: Sendable, BitwiseCopyable {
    /// Oscillator ticks a slot; 0 when nothing is batched.
    let slotPeriod: Int64
    /// Slots from one that has a kind of word to the next, in the order of the words in a slot; 0 for none.
    fileprivate let every: SIMD4<Int64>
    /// Words in the FIFO at most: all that it has, or fewer by STOP_ON_WTM.
    var limit: Int64 = 512
    /// FIFO_MODE 1: what would not fit is not stored, nor anything after that.
    var stops = false
    var hasParity = true

    /// By the periods of the batching rates in ticks, 0 for none.
    init(gyroscope: Int64, accelerometer: Int64, timestampEvery: Int64, temperature: Int64) {
      if gyroscope > 0, accelerometer > 0 {
        slotPeriod = min(gyroscope, accelerometer)
      } else {
        slotPeriod = max(gyroscope, accelerometer)
      }
      let slot = max(1, slotPeriod)
      every = SIMD4(
        timestampEvery, gyroscope / slot, accelerometer / slot,
        temperature > 0 ? max(1, temperature / slot) : 0)
    }

    fileprivate static func kind(_ index: Int) -> Kind {
      switch index {
      case 0: .timestamp
      case 1: .gyroscope
      case 2: .accelerometer
      default: .temperature
      }
    }
  }

  private var batch: Batch?
  /// The number of the first slot; slots are counted from the oscillator's origin.
  private var firstSlot: Int64 = 0
  /// Words that were read, or replaced.
  private var read: Int64 = 0
  /// The first slot that was not stored.
  private var stop: Int64?
  private var isOverrunLatched = false
  /// The word that is being read, and its number, -1 that of an empty FIFO: it stays as it was when its first byte was
  /// read, when it is replaced or another one comes meanwhile.
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

  /// The FIFO begins to collect after `tick`, or is emptied and off.
  mutating func restart(_ batch: Batch?, atTick tick: Int64) {
    self = TaggedFIFO()
    guard let batch, batch.slotPeriod > 0 else { return }
    self.batch = batch
    firstSlot = tick / batch.slotPeriod + 1
  }

  /// Words in the slots from the first one up to, and without, `slot`.
  private func words(before slot: Int64, _ batch: Batch) -> Int64 {
    var words: Int64 = 0
    for index in 0..<4 {
      let every = batch.every[index]
      if every > 0 { words += (slot + every - 1) / every - (firstSlot + every - 1) / every }
    }
    return words
  }

  /// Words in the FIFO after `tick`; notes an overrun, or that it stops.
  mutating func count(atTick tick: Int64) -> Int64 {
    guard let batch else { return 0 }
    var slot = max(firstSlot, tick / batch.slotPeriod + 1)
    if batch.stops {
      if stop == nil, words(before: slot, batch) - read > batch.limit {
        var (low, high) = (firstSlot, slot)
        while low < high {
          let middle = low + (high - low) / 2
          if words(before: middle + 1, batch) - read > batch.limit {
            high = middle
          } else {
            low = middle + 1
          }
        }
        stop = low
      }
      slot = min(slot, stop ?? slot)
    }
    let written = words(before: slot, batch)
    if written - read > batch.limit {
      read = written - batch.limit
      isOverrunLatched = true
    }
    return written - read
  }

  /// FIFO_STATUS2 without the high bits of the count. Reading it clears the latched overrun.
  mutating func readStatus(atTick tick: Int64, watermark: Int64) -> UInt8 {
    let count = count(atTick: tick)
    guard let batch else { return 0 }
    let slot = max(firstSlot, tick / batch.slotPeriod + 1)
    let next = words(before: slot + 1, batch) - words(before: slot, batch)
    var status: UInt8 = 0
    if watermark > 0, count >= watermark { status |= 0x80 }
    if count == batch.limit { status |= 0x40 }
    if count + next >= batch.limit { status |= 0x20 }
    if isOverrunLatched { status |= 0x08 }
    isOverrunLatched = false
    return status
  }

  /// The oldest word vanishes.
  mutating func lose(atTick tick: Int64) {
    if count(atTick: tick) > 0 { read += 1 }
  }

  /// A byte of the oldest word, 0 its tag; its last byte takes it out. An empty FIFO gives zeros, up to the last byte also
  /// when a word comes meanwhile.
  mutating func fetch(
    _ offset: Int, atTick tick: Int64, contents: (Kind, _ tick: Int64) -> SIMD3<Int16>
  ) -> UInt8 {
    guard let batch else { return 0 }
    let isEmpty = count(atTick: tick) == 0
    let word = offset == 0 ? nil : current
    if word == nil { currentNumber = isEmpty ? -1 : read }
    let latched = word ?? (isEmpty ? Word() : self.word(read, batch, contents))
    current = offset == 6 ? nil : latched
    if offset == 6, currentNumber == read { read += 1 }
    return latched[offset]
  }

  private func word(
    _ index: Int64, _ batch: Batch, _ contents: (Kind, _ tick: Int64) -> SIMD3<Int16>
  ) -> Word {
    // The slot that has the word: one of two kinds is in each slot, so there are at most as many slots as words.
    var (low, high) = (firstSlot, firstSlot + index + 1)
    while low < high {
      let middle = low + (high - low) / 2
      if words(before: middle + 1, batch) > index { high = middle } else { low = middle + 1 }
    }
    var place = index - words(before: low, batch)
    for index in 0..<4 where batch.every[index] > 0 && low % batch.every[index] == 0 {
      if place == 0 {
        let kind = Batch.kind(index)
        let counter = UInt8(truncatingIfNeeded: low - firstSlot) & 3
        var tag = kind.rawValue << 3 | counter << 1
        // The whole byte has an even number of ones.
        if batch.hasParity, tag.nonzeroBitCount % 2 == 1 { tag |= 1 }
        return Word(tag: tag, values: contents(kind, low * batch.slotPeriod))
      }
      place -= 1
    }
    return Word()
  }
}

/// The time stamp of an ST chip, which is off and on without being reset. It counts six times a tick of the oscillator.
struct TimestampCounter: Sendable, BitwiseCopyable {
  /// The oscillator's phase when it was reset.
  var start = 0.0

  func count(atPhase phase: Double) -> Int64 { Int64(max(0, phase - start) * 6) }
}

extension OutputStages {
  /// The six bytes of a word that was written at `tick`.
  func words(_ kind: TaggedFIFO.Kind, atTick tick: Int64, stamp: Int64) -> SIMD3<Int16> {
    switch kind {
    case .gyroscope: stored(gyroscope, atTick: tick)
    case .accelerometer: stored(accelerometer, atTick: tick)
    case .temperature: counts(thermometer, atTick: tick)
    case .timestamp:
      SIMD3(Int16(truncatingIfNeeded: stamp), Int16(truncatingIfNeeded: stamp >> 16), 0)
    }
  }
}
