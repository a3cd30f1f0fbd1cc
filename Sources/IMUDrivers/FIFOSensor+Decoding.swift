// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// FIFOs without marks: packets of an MPU, and patterns of an LSM6DS3 or LSM6DSL, of the recorded channels.
///
///     MPU-6050           ax ax ay ay az az  t t  gx gx gy gy gz gz     high byte first
///     ICM-20948          ax ax ay ay az az  gx gx gy gy gz gz          high byte first
///     LSM6DS3, LSM6DSL   gx gx gy gy gz gz  ax ax ay ay az az          low byte first
extension FIFOSensor where Bus: ~Copyable {
  /// The fill by an MPU's FIFO_COUNT.
  @inlinable
  mutating func packetFill(_ status: Burst) throws(FIFOError) -> FIFOFill {
    let count = Int(UInt16(bitPattern: status.value(0, isBigEndian: true)))
    guard count <= layout.largestCount ?? layout.size else { throw .impossibleCount(UInt32(count)) }
    let (slots, rest) = count.quotientAndRemainder(dividingBy: layout.slotBytes)
    partialFills = rest == 0 ? 0 : partialFills + 1
    // A fill may fall into the writing of a packet; 25 in a row never do, so packets begin elsewhere.
    guard partialFills < 25 else { throw .misaligned }
    return FIFOFill(
      units: count, slots: slots, isOverrun: count >= layout.size - 3 * layout.slotBytes,
      isProof: count > 0 && rest == 0)
  }

  /// The fill by FIFO_STATUS1 to 4 of an LSM6DS3 or LSM6DSL.
  ///
  ///     3A  DIFF          3B  – OVER_RUN FULL EMPTY DIFF          3C, 3D  place of the next word in its slot
  ///
  /// After an overrun DIFF is 0. Only whole slots are taken out, so the next word is always the first of one.
  @inlinable
  mutating func patternFill(_ status: Burst) throws(FIFOError) -> FIFOFill {
    let flags = status[1]
    let count = Int(status[0]) | Int(flags & layout.upperCount) << 8
    let place = Int(status[2]) | Int(status[3]) << 8
    let isEmpty = flags & 0x10 != 0
    let isOverrun = flags & 0x40 != 0
    guard flags & layout.reserved == 0, place < layout.slotUnits, !isEmpty || count == 0,
      !isEmpty || !isOverrun, !isTorn(count)
    else {
      throw .impossibleCount(
        UInt32(status[3]) << 24 | UInt32(status[2]) << 16 | UInt32(flags) << 8 | UInt32(status[0]))
    }
    guard place == 0 || count == 0 || isOverrun else { throw .misaligned }
    return FIFOFill(
      units: count, slots: count / layout.slotUnits, isOverrun: isOverrun,
      isProof: count > 0 && !isOverrun,
      slotsAtWatermark: isPastWatermark(count)
        ? layout.watermark / layout.slotUnits - (layout.isWatermarkEarly ? 1 : 0) : nil)
  }

  /// Whether the two bytes of a count may be of different instants: the lower one before a carry and the upper one after
  /// it make the count 256 too great.
  @inlinable
  func isTorn(_ count: Int) -> Bool {
    count >= 256 && count & 0xFF >= 256 - layout.slotUnits
  }

  /// Whether a FIFO that was empty has passed its watermark.
  @inlinable
  func isPastWatermark(_ count: Int) -> Bool { layout.watermark > 0 && count >= layout.watermark }

  /// Decodes `count` slots.
  @inlinable
  mutating func decodePackets(_ count: Int) throws(FIFOError) -> Int {
    let isBigEndian = layout.method.isOfPackets
    let hasAcceleration = layout.channels.contains(.accelerometer)
    let hasRate = layout.channels.contains(.gyroscope)
    let hasTemperature = layout.method == .packets && layout.channels.contains(.temperature)
    let acceleration = isBigEndian || !hasRate ? 0 : 6
    let temperature = hasAcceleration ? 6 : 0
    let rate = isBigEndian ? temperature + (hasTemperature ? 2 : 0) : 0
    // The last data set: bytes [15:8], [23:16], none, [7:0] of the stamp, then steps (AN5130 table 73).
    let stamp = layout.slotBytes - 6
    for index in 0..<count {
      let start = index * layout.slotBytes
      // An empty MPU gives its last byte again; nothing on the bus gives FF.
      if isRepeat(from: start) { throw .repeatedByte(buffer.byte(start)) }
      var sample = RawSample(temperature: assembly.temperature)
      if hasAcceleration {
        (sample.ax, sample.ay, sample.az) = buffer.axes(
          start + acceleration, isBigEndian: isBigEndian)
      }
      if hasTemperature {
        sample.temperature = buffer.value(start + temperature, isBigEndian: true)
      }
      if hasRate {
        (sample.gx, sample.gy, sample.gz) = buffer.axes(start + rate, isBigEndian: isBigEndian)
      }
      if let counter = layout.counter {
        assembly.stamps.note(
          UInt32(buffer.byte(start + stamp)) << 8 | UInt32(buffer.byte(start + stamp + 1)) << 16
            | UInt32(buffer.byte(start + stamp + 3)), counter)
      }
      buffer.store(sample, at: index)
    }
    return count
  }

  /// Whether a packet, and the byte before it, repeat one byte.
  ///
  /// Three axes at rest may all be 0 or −1, so a packet of one sensor's axes proves a repeat only with other bytes. A stamp
  /// does not count: the counter of a chip that does not count stays 0.
  @inlinable
  func isRepeat(from start: Int) -> Bool {
    let byte = buffer.byte(start)
    for place in start + 1..<start + layout.slotBytes where buffer.byte(place) != byte {
      return false
    }
    if start > 0, buffer.byte(start - 1) != byte { return false }
    let axes = layout.slotBytes - (layout.counter == nil ? 0 : 6)
    return axes > 6 || (byte != 0x00 && byte != 0xFF)
  }
}

/// FIFOs with a tag before each word: LSM6DSO and LSM6DSV.
///
///     slot n                          slot n + 1
///     [G n] x x y y z z [A n] x x y y z z [G n+1] …          tag: kind << 3 | n mod 4 << 1 | parity
extension FIFOSensor where Bus: ~Copyable {
  /// The fill by FIFO_STATUS1 and 2.
  ///
  ///     low   DIFF          high   WTM OVR FULL BDR  OVR_LATCHED – DIFF
  ///
  /// Reading them clears OVR_LATCHED; a FIFO that has overrun stays full, however, until it is drained.
  @inlinable
  mutating func taggedFill(_ status: Burst) throws(FIFOError) -> FIFOFill {
    let flags = status[1]
    let count = Int(status[0]) | Int(flags & layout.upperCount) << 8
    let isOverrun = flags & 0x48 != 0 || count * 7 == layout.size
    // An overrun FIFO is full, and its count stands still.
    guard flags & layout.reserved == 0, count * 7 <= layout.size, isOverrun || !isTorn(count) else {
      throw .impossibleCount(UInt32(flags) << 8 | UInt32(status[0]))
    }
    let isCertain = assembly.isSynchronised && !isOverrun
    return FIFOFill(
      units: count, slots: isCertain ? (assembly.words + count) / layout.slotUnits : nil,
      isOverrun: isOverrun, isProof: count > 0,
      slotsAtWatermark: isCertain && isPastWatermark(count)
        ? (assembly.words + layout.watermark) / layout.slotUnits : nil)
  }

  /// Reads the status to clear its flag: an overrun between the fill and the burst that emptied the FIFO is part of the one
  /// that the fill showed.
  @inlinable
  mutating func clearOverrun() {
    do throws(BusError) {
      _ = try chip.bus.readBurst(chip.address, register: layout.status, count: 2)
    } catch {
      // The flag then shows in the next fill as one more overrun: more is reported as lost than was, never less.
    }
  }

  /// Decodes `count` words. After a count that was too great there are empty words, and words that came meanwhile.
  ///
  /// An overrun FIFO overwrites its oldest words until the first ones are taken out, so a break among those is part of the
  /// overrun: the words before it are dropped.
  @inlinable
  mutating func decodeWords(_ count: Int, isOverrun: Bool) throws(FIFOError) -> Int {
    var slots = 0
    for index in 0..<count {
      let start = index * 7
      let tag = buffer.byte(start)
      if tag >> 3 == 0 { continue }
      let axes = buffer.axes(start + 1)
      var follows = assembly.add(tag: tag, axes)
      if !follows {
        assembly.desynchronise()
        slots = 0
        follows = isOverrun && assembly.add(tag: tag, axes)
      }
      guard follows else { throw .brokenSequence(tag: tag) }
      if let sample = assembly.whole() {
        if let counter = layout.counter { assembly.stamps.note(assembly.stamp, counter) }
        buffer.store(sample, at: slots)
        slots += 1
      }
    }
    return slots
  }
}

/// The slot that is being put together from words with tags.
@usableFromInline
struct SlotAssembly: Sendable, BitwiseCopyable {
  /// Bit 0 angular rate, bit 1 acceleration, bit 2 stamp, as in the tags: the words of a slot, and those present in this.
  @usableFromInline let wanted: UInt8
  @usableFromInline var present: UInt8 = 0
  /// The counter, 0 to 3, of this slot or, when no word of it is present, of the next one.
  @usableFromInline var counter: UInt8 = 0
  /// Whether the counter is known.
  @usableFromInline var isSynchronised = false
  @usableFromInline var sample = RawSample()
  @usableFromInline var stamp: UInt32 = 0
  @usableFromInline var stamps = StampSequence()
  /// The last temperature that was read beside the FIFO.
  @usableFromInline var temperature: Int16 = 0

  init(_ channels: ChannelSet, isStamped: Bool = false) {
    wanted =
      (channels.contains(.gyroscope) ? 1 : 0) | (channels.contains(.accelerometer) ? 2 : 0)
      | (isStamped ? 4 : 0)
  }

  /// Forgets the slot that was begun: the next whole one counts.
  @inlinable
  mutating func desynchronise() {
    present = 0
    isSynchronised = false
    stamps = StampSequence()
  }

  /// Words of the slot that are present.
  @inlinable var words: Int { present.nonzeroBitCount }

  /// Adds a word; `false` when it cannot follow the words before it.
  @inlinable
  mutating func add(tag: UInt8, _ axes: (Int16, Int16, Int16)) -> Bool {
    let (kind, number) = (tag >> 3, tag >> 1 & 3)
    guard kind == 1 || kind == 2 || kind == 4, kind & wanted != 0 else { return false }
    if number != counter {
      // The first slot may lack words that were lost, or taken out by a failed burst.
      guard !isSynchronised else { return false }
      present = 0
      counter = number
    }
    guard present & kind == 0 else { return false }
    present |= kind
    switch kind {
    case 1: (sample.gx, sample.gy, sample.gz) = axes
    case 2: (sample.ax, sample.ay, sample.az) = axes
    default: stamp = UInt32(UInt16(bitPattern: axes.0)) | UInt32(UInt16(bitPattern: axes.1)) << 16
    }
    return true
  }

  /// The sample, once it has all its words; then the next slot begins.
  @inlinable
  mutating func whole() -> RawSample? {
    guard present == wanted else { return nil }
    var sample = sample
    sample.temperature = temperature
    present = 0
    counter = (counter + 1) & 3
    isSynchronised = true
    return sample
  }
}

/// The stamps of the slots that were taken out, one after the other.
@usableFromInline
package struct StampSequence: Sendable, BitwiseCopyable {
  /// The stamp of the newest slot, if it continues a sequence.
  @usableFromInline package private(set) var newest: UInt32?
  /// The stamp that the sequence predicts for that slot.
  private var place: UInt32?
  /// Slots in the sequence after its first.
  private var count = 0

  /// The slots after the newest one whose stamps the sequence predicts to within an eighth of a tick. Each of `count` slots
  /// was within a tick, and stamps are rounded by up to one, so the prediction is off by at most 2/count ticks a slot.
  @usableFromInline package var reach: Int { count / 16 }

  @usableFromInline
  package init() {}

  /// Notes the next slot's stamp. Slots are the same number of ticks apart, but each stamp is rounded down, so it may differ
  /// from the prediction by one. After another difference, slots were lost or the stamp was void: the sequence begins anew.
  @usableFromInline
  package mutating func note(_ stamp: UInt32, _ counter: StampCounter) {
    if let last = place {
      let next = last &+ UInt32(counter.ticksPerSlot)
      if (stamp &- next &+ 1) & counter.mask <= 2 {
        count += 1
        (place, newest) = (next, stamp)
        return
      }
    }
    (place, newest, count) = (stamp, nil, 0)
  }
}

/// The bytes of a drain and its samples: allocated once.
@usableFromInline
struct FIFOBuffer: ByteSource, ~Copyable, @unchecked Sendable {
  // Safe: both are allocated and initialised in `init` and freed in `deinit` by the one owner that a ~Copyable value
  // has; only its methods use them, and check every place. The owner may move to another thread with them.
  @usableFromInline let memory: UnsafeMutableRawBufferPointer
  @usableFromInline let samples: UnsafeMutableBufferPointer<RawSample>

  init(byteCount: Int, sampleCount: Int) {
    memory = .allocate(byteCount: byteCount, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    samples = .allocate(capacity: sampleCount)
    samples.initialize(repeating: RawSample())
  }

  deinit {
    // Neither element has anything to deinitialise.
    memory.deallocate()
    samples.deallocate()
  }

  /// Memory for a transfer, which must end before the next use of this value.
  @inlinable
  func bytes(from start: Int, count: Int) -> UnsafeMutableRawBufferPointer {
    precondition(start >= 0 && count >= 0 && count <= memory.count - start, "beyond the buffer")
    return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + count])
  }

  @inlinable
  func byte(_ place: Int) -> UInt8 {
    precondition(place >= 0 && place < memory.count, "beyond the buffer")
    return memory[place]
  }

  @inlinable
  func store(_ sample: RawSample, at index: Int) {
    precondition(index >= 0 && index < samples.count, "beyond the buffer")
    samples[index] = sample
  }

  @inlinable
  func sample(at index: Int) -> RawSample {
    precondition(index >= 0 && index < samples.count, "no such sample")
    return samples[index]
  }
}
