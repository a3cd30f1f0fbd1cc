// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// A magnetometer that is looked at again and again, on the bus of the chip in whose package it is; the driver of that owns
/// both.
///
///     before ── status          before ── status ── axes ── after ── proof
///        │         none                     a new value        │
///        ├───────────────────── completed ─────────────────────┤
///
/// It has no FIFO and no counter: that a value was completed between two looks is all that is known of its time. So it is
/// looked at each eighth of its period once a value may be there.
package struct FieldSensor: Sendable {
  /// The state of bring-up.
  private enum State: Equatable {
    /// Read the identity, at one address after the other.
    case identify(attempt: Int)
    /// Write and read back one register, so that samples are not held up.
    case configure(index: Int)
    /// Discard the first values.
    case discard(polls: Int)
    case ready
  }

  private let model: FieldModel
  private let layout: FieldLayout
  private let writes: RegisterList
  /// Nanoseconds from one value to the next.
  private let period: Int64
  package private(set) var address: I2CAddress
  private var state = State.identify(attempt: 0)
  /// Whether it was ready once.
  private(set) var hasStarted = false
  /// When the next step or look is due.
  package private(set) var due = MonotonicTime(nanoseconds: 0)
  /// Nanoseconds of the last look that found a value.
  private var lookTime: Int64 = 0
  /// Looks since the last value.
  private var silence = 0
  /// An instant after which the next value will have been completed; `nil` when there is none.
  private var since: MonotonicTime?
  /// Whether a value that was there could not be read: a transfer that fails may take it out of the chip.
  private var hasMissed = false
  /// Whether a burst ended before its last byte, until which the chip may keep its data and store no others.
  private var isHeld = false

  /// A driver for the magnetometer in a chip's package; sends nothing yet. `nil` where there is none, or it has no such rate.
  package init?(inside host: SensorModel, rate: SampleRate) {
    guard let model = FieldModel.inside(host),
      let setting = model.settings.first(where: { $0.rate == rate })
    else { return nil }
    (self.model, address, layout) = (model, model.addresses[0], model.layout)
    (writes, period) = (setting.writes, setting.rate.nanoseconds(atTick: 1))
  }

  // Computed, so that the sampler's path has no lazily initialised global.

  /// Nanoseconds from a failed attempt to set it up to the next one.
  private static var backOff: Int64 { 100_000_000 }
  /// Looks without a value, some five periods of them, until it is set up again.
  private static var patience: Int { 40 }

  /// Forgets the chip's state, so that it is set up again.
  mutating func restart() {
    state = .identify(attempt: 0)
    (due, silence, since, isHeld) = (MonotonicTime(nanoseconds: 0), 0, nil, false)
  }

  /// Takes one step of bring-up. Call it again when the wait has passed, until it returns ``BringUpStep/ready``.
  ///
  /// - Throws: ``SensorError/field(_:_:_:)``. The next call starts over.
  package mutating func bringUp<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus
  ) throws(SensorError) -> BringUpStep {
    let finding: FieldFinding
    do throws(FieldFinding) {
      return try proceed(on: &bus)
    } catch {
      finding = error
    }
    let address = address
    restart()
    throw .field(model, address, finding)
  }

  private mutating func proceed<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus
  ) throws(FieldFinding) -> BringUpStep {
    switch state {
    case .identify(let attempt):
      address = model.addresses[attempt % model.addresses.count]
      do throws(FieldFinding) {
        try confirm(model.identity, on: &bus)
      } catch {
        // Its supply may have come on with the other chip's, and it may have another address.
        guard attempt < 20 else { throw error }
        state = .identify(attempt: attempt + 1)
        return .wait(nanoseconds: 5_000_000)
      }
      try write(model.reset, on: &bus)
      state = .configure(index: 0)
      // The data sheets give no time.
      return .wait(nanoseconds: 10_000_000)
    case .configure(let index):
      try write(writes[index], on: &bus)
      try confirm(writes[index], on: &bus)
      let isLast = index + 1 == writes.count
      state = isLast ? .discard(polls: 0) : .configure(index: index + 1)
      return .wait(nanoseconds: isLast ? period : 0)
    case .discard(let polls):
      let status = try read(layout.register, count: 1, on: &bus)[0]
      guard status & layout.ready != 0 else {
        guard polls < 20 else { throw .silent }
        state = .discard(polls: polls + 1)
        return .wait(nanoseconds: period / 4)
      }
      _ = try read(layout.register, count: layout.count, on: &bus)
      // Values are missing where it was set up again.
      (state, hasMissed, hasStarted) = (.ready, hasStarted, true)
      return .ready
    case .ready: return .ready
    }
  }

  /// Reads registers, patiently unless `once`: a burst that fails may have taken a value out of the chip.
  private func read<Bus: I2CBus & ~Copyable>(
    _ register: UInt8, count: Int, once: Bool = false, on bus: inout Bus
  ) throws(FieldFinding) -> Burst {
    do throws(BusError) {
      if once { return try bus.readBurst(address, register: register, count: count) }
      return try bus.patiently { [address] bus throws(BusError) in
        try bus.readBurst(address, register: register, count: count)
      }
    } catch {
      throw .bus(error)
    }
  }

  private func write<Bus: I2CBus & ~Copyable>(
    _ entry: RegisterList.Entry, on bus: inout Bus
  ) throws(FieldFinding) {
    do throws(BusError) {
      try bus.writePatiently(address, register: entry.register, value: entry.value)
    } catch {
      throw .bus(error)
    }
  }

  /// Throws when a register holds something else, as a second reading confirms: nothing guards the bytes of a transfer.
  private func confirm<Bus: I2CBus & ~Copyable>(
    _ entry: RegisterList.Entry, on bus: inout Bus
  ) throws(FieldFinding) {
    guard try read(entry.register, count: 1, on: &bus)[0] != entry.value else { return }
    let found = try read(entry.register, count: 1, on: &bus)[0]
    guard found == entry.value else {
      throw .differs(entry.register, expected: entry.value, found: found)
    }
  }

  /// Does what is due, if it will be done before `deadline`: takes a step of bring-up, or looks for a new value. It neither
  /// throws, allocates nor waits: a magnetometer that fails or falls silent is set up again, while samples go on.
  ///
  /// - Parameters:
  ///   - origin: Tick 0's deadline.
  ///   - now: The present instant.
  package mutating func follow<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, before deadline: MonotonicTime, origin: MonotonicTime,
    _ now: () -> MonotonicTime
  ) -> FieldStep {
    let before = now()
    guard before >= due else { return .idle(until: due) }
    // As the last one with a value did; but a look that was held up must not keep all others away, so it counts half after
    // each period that the next one is late.
    guard deadline - before > lookTime >> min(63, (before - due) / period) else {
      return .idle(until: deadline)
    }
    guard state == .ready else {
      var wait: Int64 = 0
      do throws(SensorError) {
        if case .wait(let nanoseconds) = try bringUp(on: &bus) { wait = nanoseconds }
      } catch {
        // It starts over.
      }
      if case .identify = state { wait = FieldSensor.backOff }
      due = now() + wait
      return .looked(nil)
    }
    silence += 1
    var value: FieldReading?
    do throws(FieldFinding) {
      value = try look(on: &bus, origin: origin, now)
    } catch {
      // The next look is as good, unless the chip was reset.
      if case .differs = error { restart() }
    }
    let after = now()
    due = after + period / 8
    if let value {
      (silence, lookTime) = (0, after - before)
      // The next one is completed a period after this one, by a clock that is off by some per cent.
      due = max(due, origin + (value.time - Int64(value.width)) + period / 8 * 7)
    } else if silence >= FieldSensor.patience {
      restart()
    }
    if state != .ready { due = after + FieldSensor.backOff }
    return .looked(value)
  }

  /// Looks for a new value, and reads it.
  ///
  /// After a value the last register of the set-up, which starts the measurement, is read back: a reset clears it. A value
  /// that it does not prove is not used.
  ///
  /// - Returns: `nil` without a new value, and for one that was completed within more than 4 s, or an unknown time.
  /// - Complexity: one transfer of a byte; with a value two more, or up to six where the chip does not keep it still.
  private mutating func look<Bus: I2CBus & ~Copyable>(
    on bus: inout Bus, origin: MonotonicTime, _ now: () -> MonotonicTime
  ) throws(FieldFinding) -> FieldReading? {
    let before = now()
    guard !isHeld else {
      _ = try read(layout.register, count: layout.count, once: true, on: &bus)
      (isHeld, since) = (false, before)
      return nil
    }
    // The status alone: a burst could take a value that came after it out of the chip, unnoticed.
    let status = try read(layout.register, count: 1, once: true, on: &bus)[0]
    guard status & layout.ready != 0 else {
      since = before
      return nil
    }
    let hadMissed = hasMissed
    (hasMissed, isHeld) = (true, true)
    var burst = try read(layout.register, count: layout.count, once: true, on: &bus)
    let first = burst[0]
    // Two equal bursts are of one value: a new one between any two bytes shows in the second.
    var isWhole = layout.isShadowed
    var reads = 1
    while !isWhole, reads < 5 {
      let again = try read(layout.register, count: layout.count, once: true, on: &bus)
      isWhole = again.matches(burst, in: 1..<7)
      burst = again
      reads += 1
    }
    isHeld = false
    let after = now()
    try confirm(writes[writes.count - 1], on: &bus)
    guard isWhole else { return nil }
    hasMissed = hadMissed
    // A value that was announced is announced until it is read; else the status was garbled, and this is the last one again.
    guard first & layout.ready != 0 else { return nil }
    let began = since
    since = before
    guard let began else { return nil }
    let width = UInt32(exactly: after - began)
    hasMissed = width == nil
    guard let width else { return nil }
    var flags: FieldReading.Flags = []
    if hadMissed || first & layout.skipped != 0 || reads > 2 { flags.insert(.skipped) }
    let (x, y, z) = burst.axes(1)
    let isBeyond = max(x.magnitude, y.magnitude, z.magnitude) > layout.greatest
    if isBeyond || layout.overflow.map({ burst[$0.place] & $0.bit != 0 }) == true {
      flags.insert(.saturated)
    }
    return FieldReading(time: after - origin, width: width, x: x, y: y, z: z, flags: flags)
  }
}

/// What came of following a magnetometer.
public enum FieldStep: Equatable, Sendable, BitwiseCopyable {
  /// Nothing: it wants no look before this instant.
  case idle(until: MonotonicTime)
  /// A look, or a step of setting it up again, and a new value, if there was one.
  case looked(FieldReading?)
}

/// Why a magnetometer cannot be used.
public enum FieldFinding: Error, Equatable {
  /// A transfer failed.
  case bus(BusError)
  /// A register has other contents: of another chip's identity, or not what was written to it.
  case differs(UInt8, expected: UInt8, found: UInt8)
  /// It is set up but measures nothing.
  case silent
}
