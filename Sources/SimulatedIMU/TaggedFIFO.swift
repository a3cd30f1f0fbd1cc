import IMUModel

/// The FIFO of the newer ST chips: words of a tag and six bytes (DS12140 section 9, AN5192 9).
///
///     slot n                        slot n + 1
///     ┌──────┬──────┬──────┬──────┐ ┌──────┬──────┐
///     │ time │ gyro │ accel│ temp │ │ gyro │ accel│ …      each with the slot's counter, 0 to 3, in its tag
///     └──────┴──────┴──────┴──────┘ └──────┴──────┘
///      tag: kind << 3 | counter << 1 | parity
///
/// No word is stored: a word's place in the stream gives its slot and kind, and these its contents. When the FIFO is full,
/// each word replaces the oldest one; words stay whole.
struct TaggedFIFO: Sendable, BitwiseCopyable {
  /// Words in the FIFO at most.
  static let capacity: Int64 = 512

  /// The kinds of word, in the order in which they are written in a slot.
  enum Kind: UInt8, Sendable, BitwiseCopyable {
    case timestamp = 0x04
    case gyroscope = 0x01
    case accelerometer = 0x02
    case temperature = 0x03
  }

  /// What goes into the FIFO. Each kind is in every n-th slot; 0 for none.
  struct Batch: Equatable, Sendable, BitwiseCopyable {
    /// Oscillator ticks a slot; 0 when nothing is batched.
    var slotPeriod: Int64 = 0
    var timestampEvery: Int64 = 0
    var gyroscopeEvery: Int64 = 0
    var accelerometerEvery: Int64 = 0
    var temperatureEvery: Int64 = 0

    /// By the periods of the batching rates in ticks, 0 for none.
    init(gyroscope: Int64, accelerometer: Int64, timestampEvery: Int64, temperature: Int64) {
      slotPeriod = [gyroscope, accelerometer].filter { $0 > 0 }.min() ?? 0
      guard slotPeriod > 0 else { return }
      gyroscopeEvery = gyroscope / slotPeriod
      accelerometerEvery = accelerometer / slotPeriod
      temperatureEvery = temperature > 0 ? max(1, temperature / slotPeriod) : 0
      self.timestampEvery = timestampEvery
    }

    fileprivate var kinds: [(kind: Kind, every: Int64)] {
      [
        (.timestamp, timestampEvery), (.gyroscope, gyroscopeEvery),
        (.accelerometer, accelerometerEvery), (.temperature, temperatureEvery),
      ].filter { $0.every > 0 }
    }
  }

  private var batch: Batch?
  /// The number of the first slot; slots are counted from the oscillator's origin.
  private var firstSlot: Int64 = 0
  /// Words that were read, or replaced.
  private var read: Int64 = 0
  private var isOverrunLatched = false
  /// The word that is being read.
  private var current = Word()

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
    func multiples(of every: Int64) -> Int64 {
      (slot + every - 1) / every - (firstSlot + every - 1) / every
    }
    return batch.kinds.reduce(0) { $0 + multiples(of: $1.every) }
  }

  /// Words in the FIFO after `tick`; notes an overrun.
  mutating func count(atTick tick: Int64) -> Int64 {
    guard let batch else { return 0 }
    let slot = max(firstSlot, tick / batch.slotPeriod + 1)
    let written = words(before: slot, batch)
    if written - read > Self.capacity {
      read = written - Self.capacity
      isOverrunLatched = true
    }
    return written - read
  }

  /// FIFO_STATUS2 without the two high bits of the count. Reading it clears the latched overrun.
  mutating func readStatus(atTick tick: Int64, watermark: Int64) -> UInt8 {
    let count = count(atTick: tick)
    var status: UInt8 = 0
    if watermark > 0, count >= watermark { status |= 0x80 }
    if count == Self.capacity { status |= 0x40 }
    if count >= Self.capacity - 2 { status |= 0x20 }
    if isOverrunLatched { status |= 0x08 }
    isOverrunLatched = false
    return status
  }

  /// A byte of the oldest word, 0 its tag; its last byte takes it out. An empty FIFO gives zeros.
  mutating func fetch(
    _ offset: Int, atTick tick: Int64, contents: (Kind, _ tick: Int64) -> SIMD3<Int16>
  ) -> UInt8 {
    guard count(atTick: tick) > 0, let batch else { return 0 }
    if offset == 0 || current.tag == 0 { current = word(read, batch, contents) }
    let byte = current[offset]
    if offset == 6 {
      read += 1
      current = Word()
    }
    return byte
  }

  private func word(
    _ index: Int64, _ batch: Batch, _ contents: (Kind, _ tick: Int64) -> SIMD3<Int16>
  ) -> Word {
    // The slot that has the word: at most as many slots as words.
    var (low, high) = (firstSlot, firstSlot + index * Int64(batch.longestEmpty) + 1)
    while low < high {
      let middle = low + (high - low) / 2
      if words(before: middle + 1, batch) > index { high = middle } else { low = middle + 1 }
    }
    var place = index - words(before: low, batch)
    for (kind, every) in batch.kinds where low % every == 0 {
      if place == 0 {
        let counter = UInt8(truncatingIfNeeded: low - firstSlot) & 3
        var tag = kind.rawValue << 3 | counter << 1
        // The whole byte has an even number of ones.
        if tag.nonzeroBitCount % 2 == 1 { tag |= 1 }
        return Word(tag: tag, values: contents(kind, low * batch.slotPeriod))
      }
      place -= 1
    }
    return Word()
  }
}

extension TaggedFIFO.Batch {
  /// Slots from one that has a word to the next, at most.
  fileprivate var longestEmpty: Int64 {
    [timestampEvery, gyroscopeEvery, accelerometerEvery, temperatureEvery].filter { $0 > 0 }.min()
      ?? 1
  }
}
