// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Reading a chip whose FIFO has room for one sample only: the newest.
///
///     chip      n ─────► n+1 ─────► n+2 ─────► n+3 ─────► n+4        each replaces the one before it
///     read                     n+1                  n+3
///
/// No application note says whether a FIFO that is limited to its watermark replaces its sample or stops (AN4650 8.6, AN5130
/// 8.6). So bring-up leaves it alone for more than two samples and checks whether one was replaced. If not, the registers
/// are read twice instead.
extension PolledSensor where Bus: ~Copyable {
  /// Reads the sample in the FIFO. `failure` is set when a transfer failed that may have taken it out.
  @inlinable
  mutating func readNewest(
    _ fifo: FIFOLayout, into sample: inout RawSample, _ failure: inout BusError?
  ) throws(BusError) -> Reading {
    lastEvidence.isConfigured = false
    // The sample may be made until its first word is read.
    lastEvidence.isLate = true
    switch fifo.method {
    case .tagged: return try readTagged(fifo, into: &sample, &failure)
    case .pattern: return try readPattern(fifo, into: &sample, &failure)
    case .packets, .axes: preconditionFailure("a FIFO without marks has no newest sample")
    }
  }

  /// Reads the words of one slot, which have tags.
  ///
  ///     S 6A+W 78 Sr 6A+R  [G n] gx gx gy gy gz gz [A n] ax ax ay ay az az  P          none came meanwhile
  ///                        [G n] …                 [G n+1] …                P          the next one came
  ///     S 6A+W 78 Sr 6A+R  [A n+1] ax ax ay ay az az  P
  ///
  /// A word that was read makes room, so the next slot replaces the rest of the old one. Words are one sample only when they
  /// have the same number, so none is torn, however long the transfers take. Only bring-up turns the FIFO on, so a word
  /// proves the samples before it. An empty FIFO gives tags of 0.
  ///
  /// - Complexity: one transfer; two when a sample comes meanwhile, three at most.
  @inlinable
  mutating func readTagged(
    _ fifo: FIFOLayout, into sample: inout RawSample, _ failure: inout BusError?
  ) throws(BusError) -> Reading {
    let expected = assembly.isSynchronised ? assembly.counter : nil
    assembly.desynchronise()
    var transfers = 0
    while transfers < 3 {
      let missing = fifo.slotUnits - assembly.words
      let burst = try read(fifo.data, missing * 7, &transfers, &failure)
      var isEmpty = true
      for place in 0..<missing where burst[7 * place] >> 3 != 0 {
        isEmpty = false
        guard add(burst, at: 7 * place) else {
          assembly.desynchronise()
          return .doubtful
        }
        lastEvidence.isConfigured = true
        guard let whole = assembly.whole() else { continue }
        if let expected, assembly.counter != (expected + 1) & 3 { hasReplaced = true }
        accept(whole, into: &sample)
        return .fresh
      }
      if isEmpty { break }
    }
    return .stale
  }

  /// Adds a word to the slot, or begins the next one with it; `false` for a tag that was not requested.
  @inlinable
  mutating func add(_ burst: Burst, at start: Int) -> Bool {
    let axes = burst.axes(start + 1)
    if assembly.add(tag: burst[start], axes) { return true }
    assembly.desynchronise()
    return assembly.add(tag: burst[start], axes)
  }

  /// Reads the words of one slot without tags, and the place of the next word before and after.
  ///
  ///     S 6A+W 3B Sr 6A+R  flags  place  P                                      EMPTY: no sample
  ///     S 6A+W 3E Sr 6A+R  gx gx gy gy gz gz  ax ax ay ay az az  P
  ///     S 6A+W 3A Sr 6A+R  count  flags  place  P                               EMPTY: none came meanwhile
  ///     S 6A+W 3E Sr 6A+R  … P     the rest of the one that came, and count, flags and place again
  ///
  /// A slot that comes when k words were read replaces the rest, so the burst goes on with the first words of the new one,
  /// and the next word is not the first of a slot. A second slot before the place is read hides that, but sets OVER_RUN, or
  /// the count was that of a part of a slot.
  ///
  /// - Complexity: three transfers; five when a sample comes meanwhile. Three times as many when transfers fail.
  @inlinable
  mutating func readPattern(
    _ fifo: FIFOLayout, into sample: inout RawSample, _ failure: inout BusError?
  ) throws(BusError) -> Reading {
    var attempt = 1
    while true {
      do throws(BusError) {
        return try readSlot(fifo, into: &sample)
      } catch {
        let first = failure ?? error
        guard error.isTransient, attempt < 3 else { throw first }
        failure = first
        attempt += 1
      }
    }
  }

  /// One attempt of ``readPattern(_:into:_:)``.
  @inlinable
  mutating func readSlot(
    _ fifo: FIFOLayout, into sample: inout RawSample
  ) throws(BusError) -> Reading {
    let before = try readPlace(fifo, from: 1)
    guard before.isPossible else { return .doubtful }
    guard !before.isEmpty else { return .stale }
    lastEvidence.isConfigured = true
    if before.isOverrun { hasReplaced = true }
    // The rest of a slot after a failed burst: the next slot replaces it.
    guard before.place == 0 else { return .stale }
    var words = try bus.readBurst(address, register: fifo.data, count: fifo.slotBytes)
    var after = try readPlace(fifo, from: 0)
    if after.isPossible, after.place > 0 {
      let rest = 2 * (fifo.slotUnits - after.place)
      let more = try bus.readBurst(address, register: fifo.data, count: rest)
      words = words.dropping(rest).replacing(2 * after.place..<fifo.slotBytes, by: more)
      after = try readPlace(fifo, from: 0)
    }
    guard after.isPossible else { return .doubtful }
    guard after.isWhole else { return .stale }
    var whole = RawSample(temperature: assembly.temperature)
    let hasRate = fifo.channels.contains(.gyroscope)
    if hasRate { (whole.gx, whole.gy, whole.gz) = words.axes(0) }
    if fifo.channels.contains(.accelerometer) {
      (whole.ax, whole.ay, whole.az) = words.axes(hasRate ? 6 : 0)
    }
    accept(whole, into: &sample)
    return .fresh
  }

  /// FIFO_STATUS1 to 3, from the first or the second of them on.
  @inlinable
  mutating func readPlace(_ fifo: FIFOLayout, from first: Int) throws(BusError) -> PatternPlace {
    PatternPlace(
      try bus.readBurstPatiently(
        address, register: fifo.status + UInt8(first), count: 3 - first), first, fifo)
  }

  /// Takes over a whole sample; an accelerometer that is not recorded only shows by its noise that the chip works.
  @inlinable
  mutating func accept(_ whole: RawSample, into sample: inout RawSample) {
    lastEvidence.outputs = SensorOutputs(whole)
    sample = whole
    if !channels.contains(.accelerometer) { (sample.ax, sample.ay, sample.az) = (0, 0, 0) }
  }
}

/// FIFO_STATUS1 to 3 of an LSM6DS3 or LSM6DSL for a FIFO of one slot. Each byte is of its own instant.
@usableFromInline
struct PatternPlace: Sendable, BitwiseCopyable {
  /// The place in its slot of the word that is read next.
  @usableFromInline let place: Int
  @usableFromInline let isEmpty: Bool
  /// Words were replaced, and none has been read since.
  @usableFromInline let isOverrun: Bool
  /// Whether a chip can give these bytes.
  @usableFromInline let isPossible: Bool
  /// Whether the words read before are of one slot: none is left, or the next whole slot has come since.
  @usableFromInline let isWhole: Bool

  /// `first` is the register, counted from FIFO_STATUS1, of the first byte.
  @inlinable
  init(_ bytes: Burst, _ first: Int, _ fifo: FIFOLayout) {
    let flags = bytes[1 - first]
    let count = first == 0 ? Int(bytes[0]) : 0
    place = Int(bytes[2 - first])
    isEmpty = flags & 0x10 != 0
    isOverrun = flags & 0x40 != 0
    isPossible =
      flags & (fifo.reserved | fifo.upperCount) == 0 && place < fifo.slotUnits
      && count <= fifo.slotUnits && !(isEmpty && isOverrun)
    isWhole =
      isEmpty || place == 0 && !isOverrun && (count == 0 || count == fifo.slotUnits)
  }
}

extension Burst {
  /// The bytes from `count` on, followed by zeros.
  @inlinable
  func dropping(_ count: Int) -> Burst {
    var result = Burst()
    for index in count..<24 { result[index - count] = self[index] }
    return result
  }
}
