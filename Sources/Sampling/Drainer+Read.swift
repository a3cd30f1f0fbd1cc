// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

extension Drainer where Bus: ~Copyable, Sink: ~Copyable {
  /// Reads the fill, takes out what it counts, and records both.
  @inlinable
  mutating func read(at now: MonotonicTime) {
    guard epoch.isRunning || begin(at: now) else { return }
    do throws(FIFOError) {
      guard let (fill, before, after) = try readFill() else { return doubt(at: now) }
      doubts = 0
      while let edge = sensor.nextEdge() { edges.note(edge) }
      guard !fill.isOverrun else {
        loss = overflow
        return sensor.losesAlignment ? interrupt(loss, at: now) : try keepNewest(fill, at: now)
      }
      if fill.isProof {
        // Only the driver turns the FIFO on, so all bursts before this count were right.
        proofs.held.proveConfiguration()
      }
      if fill.units == 0 {
        notice(supervisor.noticeStale(at: now))
        guard epoch.isRunning else { return }
      }
      let isDrain = pace.isDrain(at: now) || isEnding || isLastDrain || fill.slots == nil
      // A part of a sample may be the one that is being written, or bytes are missing.
      let isReading = fill.isProof || fill.units == 0
      if !isDrain, let slots = fill.slots {
        let count = epoch.drained + Int64(slots)
        phase.note(count, before: before, after: after)
        guard isReading else { return }
        return hold(reading: count, before: before, after: after, isDrained: false, at: now)
      }
      pace.drained(at: now)
      let taken = try takeOut(fill, countedAfter: before)
      guard isWhole() else { return interrupt(overflow, at: now) }
      holdUp = 0
      // Fewer than counted: the count was wrong, and the reading is void.
      let isTrue = fill.slots.map { $0 == taken } ?? true
      epoch.drained += Int64(taken)
      if isTrue { phase.note(epoch.drained, before: before, after: after) }
      if taken > 0 {
        hold(taken, at: now)
      } else if fill.units > 0 {
        // Words without a sample, as of a chip that leaves out one kind.
        notice(supervisor.noticeStale(at: now))
        guard epoch.isRunning else { return }
      }
      noteEdge(fill, isTrue: isTrue, counted: after)
      if isTrue, isReading {
        measureBus(count: after - before, at: now)
        hold(reading: epoch.drained, before: before, after: after, isDrained: true, at: now)
        try readStamp(at: now)
      }
    } catch {
      fail(error, at: now)
    }
  }

  /// Records when the FIFO reached its watermark, if an edge shows it. The bound is late by what the kernel's clock was
  /// slewed since the last drain and by the uncertainty of the offset.
  @inlinable
  mutating func noteEdge(_ fill: FIFOFill, isTrue: Bool, counted: Int64) {
    let areOffsetsKnown = hasOffset && hasDrainOffset
    defer { (drainOffset, hasDrainOffset) = (offset, hasOffset) }
    // After a drain that comes sooner than usual a late edge is not noticed.
    let isEarly = pace.isCatchingUp || isEnding || isLastDrain
    guard isTrue, !isEarly else { return edges.forget() }
    let stamp = edges.drain(
      passed: fill.slotsAtWatermark != nil,
      counted: MonotonicTime(nanoseconds: counted + offset), end: clock.now())
    guard areOffsetsKnown, let stamp, let slots = fill.slotsAtWatermark else { return }
    let raw = stamp.nanoseconds - min(offset, drainOffset) + 6000
    let count = epoch.drained - Int64(fill.slots ?? 0) + Int64(slots)
    // A reading without a drain that came meanwhile is sharper.
    guard raw >= lastReading, count > 0 else { return }
    hold(reading: count, before: raw, after: raw, isDrained: false, at: clock.now())
  }

  /// Measures the bus by the last count, which took `count` nanoseconds, and the burst after it.
  @inlinable
  mutating func measureBus(count: Int64, at now: MonotonicTime) {
    let found = busWatch.note(
      count: (count, sensor.countBytes), burst: (burstTime, sensor.lastBurst), at: now)
    guard var reading = found else { return }
    reading.time -= schedule.start.nanoseconds
    proofs.append(TickRecord(reading, before: tick), at: now)
  }

  /// Reads the chip's counter, where it stamps its samples, up to five times a second. A stamp is as sharp as a fill that
  /// is read just when a sample is made, but costs the log 10 bytes.
  @inlinable
  mutating func readStamp(at now: MonotonicTime) throws(FIFOError) {
    guard now >= stampDue, !isEnding else { return }
    let before = clock.rawNow()
    guard let stamp = try sensor.readStamp() else { return }
    let after = noteOffset()
    guard sensor.isStampWhole(after: after - before) else { return }
    stampDue = now + 200_000_000
    hold(
      reading: epoch.drained, before: before, after: after, isDrained: false, stamp: stamp, at: now)
  }

  /// Takes the slots out of the FIFO. A failure ends the epoch: how much was taken out is not known.
  @inlinable
  mutating func takeOut(_ fill: FIFOFill, countedAfter before: Int64) throws(FIFOError) -> Int {
    let begin = clock.rawNow()
    defer {
      let end = clock.rawNow()
      burstTime = end - begin
      let (slots, elapsed) = (Int64(fill.slots ?? 0), end - before)
      isBurstLate = fill.isOverrun || slots + phase.most(in: elapsed) > Int64(sensor.capacity)
    }
    do throws(FIFOError) {
      return try sensor.drain(fill)
    } catch {
      if case .bus(let cause) = error {
        loss = EpochLoss(.burstFailed, .busError, code: cause.errno)
        epoch.isRunning = false
      }
      throw error
    }
  }

  /// Whether the slots taken out are those that were counted: not when the chip overwrote its oldest samples before a late
  /// burst. Bytes without marks then begin anywhere in a sample, and the counter in the tags misses one loss in four.
  @inlinable
  mutating func isWhole() -> Bool {
    guard isBurstLate else { return true }
    // Without marks, an overrun before the burst leaves no trace: the burst clears its flag, and the place may be 0. How
    // long the burst itself took at least is not known.
    guard !sensor.losesAlignment else { return false }
    do throws(FIFOError) {
      return try !sensor.readFill().isOverrun
    } catch {
      return false
    }
  }

  /// Why samples are missing after an overrun: the bus was held up, or the computer was late.
  @inlinable
  var overflow: EpochLoss {
    EpochLoss(.overflow, holdUp == 0 ? .missed : .busError, code: holdUp)
  }

  /// A count or a burst failed.
  @inlinable
  mutating func fail(_ error: FIFOError, at now: MonotonicTime) {
    switch error {
    case .bus(let cause):
      (failure, holdUp) = (cause.errno, cause.errno)
      notice(supervisor.noticeFailure(at: clock.now()))
    case .brokenSequence where isBurstLate: interrupt(overflow, at: now)
    case .impossibleCount, .notEmptied, .misaligned, .repeatedByte, .brokenSequence:
      failure = Self.badMessage
      // The configuration, which the next epoch proves, does not show where samples begin.
      if error == .misaligned {
        proofs.condemnUnproved(.busError, code: Self.badMessage, at: now)
      }
      interrupt(EpochLoss(.burstFailed, .busError, code: Self.badMessage), at: now)
    }
  }

  /// Linux's EBADMSG, for bytes that cannot be right.
  @inlinable static var badMessage: Int32 { 74 }

  /// Starts the FIFO, and with it an epoch; false when the chip does not let it.
  @inlinable
  mutating func begin(at now: MonotonicTime) -> Bool {
    // A chip that was reset meanwhile would fill its FIFO with samples of another scale.
    if epoch.number > 0 {
      switch compareConfiguration() {
      case .intact:
        guard sensor.losesAlignment else { break }
        // The last drain is whole if the FIFO overran only after it.
        if loss.epoch == .overflow { proofs.held.proveConfiguration() }
        proofs.condemnUnproved(.busError, code: failure, at: now)
      case .failed(let errno):
        failure = errno
        skipOutage(at: now)
        return false
      case .lost(let fault):
        lose(fault)
        return false
      }
    }
    let before = clock.rawNow()
    do throws(FIFOError) {
      try sensor.startFIFO()
    } catch {
      if case .bus(let cause) = error { failure = cause.errno } else { failure = Self.badMessage }
      notice(supervisor.noticeFailure(at: clock.now()))
      skipOutage(at: now)
      return false
    }
    let after = noteOffset()
    number(missing: phase.slots(at: before) - epoch.drained, at: now)
    phase.begin(before: before, after: after)
    holdUp = 0
    supervisor.noticeBegun(at: now)
    hold(reading: 0, before: before, after: before, isDrained: false, at: now)
    pace.begin(at: clock.now())
    return true
  }

  /// A FIFO whose words are marked has lost its oldest samples: those that it still holds begin an epoch.
  ///
  ///     lost │ taken out now │ counted after that
  ///          └ slot 1        └ a reading that counts both; the first one was of words that were overwritten
  @inlinable
  mutating func keepNewest(_ fill: FIFOFill, at now: MonotonicTime) throws(FIFOError) {
    let taken = Int64(try takeOut(fill, countedAfter: now.nanoseconds - offset))
    pace.drained(at: now)
    // Until these slots are numbered.
    epoch.isRunning = false
    let before = clock.rawNow()
    let next = try sensor.readFill()
    let after = noteOffset()
    guard !next.isOverrun, let slots = next.slots else { return interrupt(loss, at: now) }
    let count = taken + Int64(slots)
    var missing = max(1, phase.slots(at: before) - epoch.drained - count)
    if let skipped = sensor.slotsSkipped, taken > 0 {
      loss.epoch = .countedOverflow
      // The nearest number that agrees.
      let modulus = EpochCause.overflowModulus
      missing += (Int64(skipped) - missing + 1) & (modulus - 1) - 1
      if missing < 1 { missing += modulus }
    }
    number(missing: missing, at: now)
    phase.resume(count, before: before, after: after)
    hold(reading: count, before: before, after: after, isDrained: false, at: now)
    epoch.drained = taken
    if taken > 0 { hold(Int(taken), at: now) }
  }

  /// Gives the next epoch its number and its first tick, after a gap of `missing` samples, one at least.
  @inlinable
  mutating func number(missing: Int64, at now: MonotonicTime) {
    let void = Int64(sensor.voidSlots)
    if epoch.number > 0 { skipMissing(UInt64(max(1, missing) + void), at: now) }
    (epoch.number, epoch.cause, epoch.isRunning) = (epoch.number &+ 1, loss.epoch, true)
    (epoch.countBefore, epoch.firstTick, epoch.drained) = (epoch.drained, Int64(tick) - void, 0)
    skipped = 0
    edges.forget()
  }

  /// A count and the instants around its read; `nil` when three reads cannot be right. A count that is not a whole number
  /// of slots, or is impossible after the last one, is read again: nothing guards the bytes of an I2C transfer.
  @inlinable
  mutating func readFill() throws(FIFOError) -> (fill: FIFOFill, before: Int64, after: Int64)? {
    var last: FIFOFill?
    for _ in 0..<3 {
      let before = clock.rawNow()
      let fill: FIFOFill
      do throws(FIFOError) {
        fill = try sensor.readFill()
      } catch .impossibleCount {
        continue
      }
      let after = noteOffset()
      let isRepeated = last?.units == fill.units
      if fill.isOverrun {
        if last?.isOverrun == true { return (fill, before, after) }
      } else if fill.isProof || fill.units == 0 || isRepeated {
        let count = epoch.drained + Int64(fill.slots ?? 0)
        if fill.slots == nil || phase.isPossible(count, before: before, after: after) {
          return (fill, before, after)
        }
      }
      last = fill
    }
    return nil
  }

  /// Reads both clocks after a transfer; returns its end in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  @inlinable
  mutating func noteOffset() -> Int64 {
    let after = clock.rawNow()
    var start = after
    hasOffset = false
    for _ in 0..<8 where !hasOffset {
      let now = clock.now()
      let end = clock.rawNow()
      // Else an interruption came between the calls.
      if end - start <= 10_000 {
        (offset, hasOffset) = (now.nanoseconds - start - (end - start) / 2, true)
      }
      start = end
    }
    return after
  }

  /// The counts could not be right; after three times in a row the epoch ends.
  @inlinable
  mutating func doubt(at now: MonotonicTime) {
    doubts += 1
    if doubts >= 3 { interrupt(EpochLoss(.reset, .busError), at: now) }
  }

  /// Ends the epoch; the next one begins at once.
  @inlinable
  mutating func interrupt(_ loss: EpochLoss, at now: MonotonicTime) {
    (self.loss, doubts, epoch.isRunning) = (loss, 0, false)
    if !isEnding { _ = begin(at: now) }
  }

  /// Holds the samples of the last drain until they are proved.
  @inlinable
  mutating func hold(_ taken: Int, at now: MonotonicTime) {
    let first = epoch.drained - Int64(taken) + 1
    let void = Int(max(0, min(Int64(taken), Int64(sensor.voidSlots) - first + 1)))
    guard void < taken else { return }
    if !isEnding {
      for index in void..<taken {
        hold(sensor.sample(at: index), ofSlot: first + Int64(index), at: now)
      }
    }
    let newest = sensor.sample(at: taken - 1)
    let verdict = supervisor.notice(
      SensorOutputs(newest), isZero: newest == RawSample(), at: now)
    if !supervisor.isRepeating { proofs.held.proveLife() }
    notice(verdict)
  }

  @inlinable
  mutating func hold(_ sample: RawSample, ofSlot slot: Int64, at now: MonotonicTime) {
    let time = phase.time(of: slot) + offset - schedule.start.nanoseconds
    lastTime = max(lastTime, time - time % timeUnit)
    proofs.append(
      TickRecord(tick: tick, time: lastTime, lateness: wakeLateness, sample: sample), at: now)
    proofs.held.proveAnnouncement()
    tick += 1
  }

  /// Records a reading of the fill, unless the read took seconds, or the clocks' offset is not known where no epoch begins.
  @inlinable
  mutating func hold(
    reading count: Int64, before: Int64, after: Int64, isDrained: Bool, stamp: SlotStamp? = nil,
    at now: MonotonicTime
  ) {
    guard epoch.isRunning, hasOffset || count == 0, let length = UInt32(exactly: after - before)
    else { return }
    lastReading = before
    // Rounded to the nearest.
    let microseconds = (offset + (offset < 0 ? -500 : 500)) / 1000
    proofs.append(
      TickRecord(
        FIFOReading(
          epoch: epoch.number, cause: epoch.cause, firstTick: epoch.firstTick,
          countBefore: epoch.countBefore, count: count,
          before: before - schedule.start.nanoseconds, length: length,
          offset: microseconds, isDrained: isDrained, stamp: stamp,
          waiting: Int16(clamping: epoch.firstTick + count - Int64(tick)))),
      at: now)
  }

  /// Skips ticks until `count` of the gap before the next epoch are skipped.
  @inlinable
  mutating func skipMissing(_ count: UInt64, at now: MonotonicTime) {
    guard count > skipped else { return }
    proofs.skip(
      Gap(firstTick: tick, count: count - skipped, cause: loss.gap, code: loss.code), at: now)
    tick += count - skipped
    skipped = count
  }

  /// Skips the samples that the chip would have made by now, except the last two, which the next epoch decides.
  @inlinable
  mutating func skipOutage(at now: MonotonicTime) {
    let missing = phase.slots(at: clock.rawNow()) - epoch.drained - 2
    if missing > 0 { skipMissing(UInt64(missing), at: now) }
  }
}
