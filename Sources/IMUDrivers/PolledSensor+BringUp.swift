// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The state of bring-up. The magnetometer's follows the first one.
///
///     identify ─► reset ─► wake ─► configure ─► start ─► discard ─► settle ─► ready
///                  poll    retry                look  │       ▲       ▲
///                                                     └► prove ┴───────┘
enum BringUpState: Equatable {
  /// Read the identity; a booting chip does not answer yet.
  case identify(attempt: Int)
  case reset(polls: Int)
  /// Leave sleep; some chips ignore the first write.
  case wake(attempt: Int)
  /// Write and read back the configuration.
  case configure
  /// Wait for the sensors to turn on, for the nanoseconds that remain.
  case start(remaining: Int64)
  /// Check that a FIFO of one sample replaces it by the next one.
  case prove(polls: Int)
  /// Discard the first samples.
  case discard(count: Int, polls: Int)
  /// Wait one sample period, so that the first tick finds a new sample.
  case settle
  case ready
}

extension PolledSensor where Bus: ~Copyable {
  /// Takes one step of bring-up by the chip's table. While the sensors turn on, the chip is checked every 10 ms: another dip
  /// of the supply ends the attempt at once.
  public mutating func bringUp() throws(SensorError) -> BringUpStep {
    do throws(SensorError) {
      while true {
        if let step = try proceed() {
          // Only before the first sample: later the magnetometer is set up beside them.
          guard step == .ready, field?.hasStarted == false else { return step }
          try refuseTwin()
          return try field?.bringUp(on: &bus) ?? .ready
        }
      }
    } catch {
      restart()
      throw error
    }
  }

  /// Forgets the chip's state, so that bring-up begins again.
  public mutating func restart() {
    state = .identify(attempt: 0)
    last = Burst()
    usesNewest = newest != nil
    hasReplaced = false
    assembly.desynchronise()
    field?.restart()
  }

  /// See ``ChipSetUp/followField(before:origin:_:)``.
  public mutating func followField(
    before deadline: MonotonicTime, origin: MonotonicTime, _ now: () -> MonotonicTime
  ) -> FieldStep {
    let idle = FieldStep.idle(until: MonotonicTime(nanoseconds: .max))
    guard state == .ready else { return idle }
    return field?.follow(on: &bus, before: deadline, origin: origin, now) ?? idle
  }

  /// Throws when another chip of the model is on the bus, whose magnetometer may be the one that answers.
  private mutating func refuseTwin() throws(SensorError) {
    for other in model.addresses where other != address {
      let found: UInt8?
      do throws(BusError) {
        found = try bus.readBurstPatiently(other, register: identityRegister, count: 1)[0]
      } catch {
        found = nil
      }
      if found == identity { throw .twoFields(model, at: address, and: other) }
    }
  }

  /// One step, and the wait after it, if any.
  private mutating func proceed() throws(SensorError) -> BringUpStep? {
    switch state {
    case .identify(let attempt): return try beginReset(attempt)
    case .reset(let polls): return try pollReset(polls)
    case .wake(let attempt): return try wake(attempt)
    case .configure: return try configure()
    case .start(let remaining):
      try confirmWitnesses()
      guard remaining == 0 else { return startSlice(of: remaining) }
      state = newest == nil ? .discard(count: 0, polls: 0) : .prove(polls: 0)
      return nil
    case .prove(let polls): return try prove(polls)
    case .discard(let count, let polls): return try discard(count, polls)
    case .settle:
      state = .ready
      return .ready
    case .ready:
      return .ready
    }
  }

  private mutating func beginReset(_ attempt: Int) throws(SensorError) -> BringUpStep? {
    let register = model.family.identityRegister
    let found: UInt8
    do throws(BusError) {
      try leaveOtherBank()
      found = try bus.readBurstPatiently(address, register: register.address, count: 1)[0]
    } catch {
      // Registers answer 100 ms after power-on at the latest (PS-MPU-6000A 6.3; an LSM6DS 15 ms, AN5130 5.6).
      guard error.isTransient, attempt < 20 else { throw .bus(model, register, error) }
      state = .identify(attempt: attempt + 1)
      return .wait(nanoseconds: 5_000_000)
    }
    guard found == identity else {
      throw .foreignIdentity(model, address: address, expected: identity, found: found)
    }
    try bus.write(settings.preparation, to: model, at: address)
    try bus.write([settings.reset.register: settings.reset.value], to: model, at: address)
    state = .reset(polls: 0)
    return .wait(nanoseconds: settings.reset.firstWait)
  }

  private mutating func pollReset(_ polls: Int) throws(SensorError) -> BringUpStep? {
    let reset = settings.reset
    let limit = 50
    var value = reset.bit
    do throws(BusError) {
      value = try bus.readBurst(address, register: reset.register.address, count: 1)[0]
    } catch {
      // A chip in reset need not answer.
      guard error.isTransient, polls < limit else { throw .bus(model, reset.register, error) }
    }
    guard value & reset.bit != 0 else {
      state = settings.wake == nil ? .configure : .wake(attempt: 0)
      return nil
    }
    guard polls < limit else {
      throw .resetUnfinished(model, address: address, reset.register, read: value)
    }
    state = .reset(polls: polls + 1)
    return .wait(nanoseconds: reset.wait)
  }

  private mutating func wake(_ attempt: Int) throws(SensorError) -> BringUpStep? {
    guard let (register, awake) = settings.wake else { preconditionFailure("nothing sleeps") }
    try bus.write([register: awake], to: model, at: address)
    let value = try bus.read(register, of: model, at: address)
    if value == awake {
      state = .configure
      return .wait(nanoseconds: 5_000_000)
    }
    guard attempt < 2 else {
      throw .readBack(model, address: address, register, written: awake, read: value)
    }
    state = .wake(attempt: attempt + 1)
    return .wait(nanoseconds: 100_000_000)
  }

  private mutating func configure() throws(SensorError) -> BringUpStep? {
    isInFirstBank = !image.isBanked
    try bus.write(settings.writes, to: model, at: address)
    for index in 0..<image.count { try confirm(image[index]) }
    isInFirstBank = true
    return startSlice(of: settings.turnOn)
  }

  private mutating func startSlice(of remaining: Int64) -> BringUpStep {
    let slice = min(10_000_000, remaining)
    state = .start(remaining: remaining - slice)
    return .wait(nanoseconds: slice)
  }

  /// Reads the FIFO of one sample, and again after more than two samples of the chip: a FIFO that replaces its sample has
  /// skipped one then. One that stops, is longer, or stays empty has not, and is not used.
  private mutating func prove(_ polls: Int) throws(SensorError) -> BringUpStep? {
    guard let newest else { preconditionFailure("there is no FIFO to prove") }
    let reading = try look(polls, in: newest)
    if hasReplaced, reading == .fresh {
      state = .settle
      return .wait(nanoseconds: settings.discards.wait)
    }
    guard polls < 3 else {
      usesNewest = false
      state = .discard(count: 0, polls: 0)
      return nil
    }
    state = .prove(polls: polls + 1)
    return .wait(nanoseconds: settings.discards.wait * 21 / 10)
  }

  private mutating func discard(_ count: Int, _ polls: Int) throws(SensorError) -> BringUpStep {
    let reading = try look(polls)
    guard reading == .fresh || polls < 100 else {
      throw .noSamples(model, address: address, settings.status)
    }
    let discarded = reading == .fresh ? count + 1 : count
    state =
      discarded == settings.discards.count
      ? .settle : .discard(count: discarded, polls: polls + 1)
    return .wait(nanoseconds: settings.discards.wait)
  }

  /// Reads a sample, from the FIFO of one sample where that is given, and before the first the temperature.
  private mutating func look(
    _ polls: Int, in newest: FIFOLayout? = nil
  ) throws(SensorError) -> Reading {
    var sample = RawSample()
    var failure: BusError?
    let reading: Reading
    do throws(BusError) {
      if polls == 0, temperatureRegister != nil { _ = try checkConfiguration() }
      if let newest {
        reading = try readNewest(newest, into: &sample, &failure)
      } else {
        reading = try read(into: &sample)
      }
    } catch {
      throw .bus(model, model.family.register(error.register), error)
    }
    if reading != .fresh { try confirmWitnesses() }
    return reading
  }

  /// Throws when the chip has lost what was written to it.
  private mutating func confirmWitnesses() throws(SensorError) {
    for index in 0..<image.count where settings.witnesses.contains(image[index].register) {
      try confirm(image[index])
    }
  }

  private mutating func confirm(_ entry: RegisterList.Entry) throws(SensorError) {
    let register = model.family.register(entry.register)
    let value = try bus.read(register, of: model, at: address)
    guard value == entry.value else {
      throw .readBack(model, address: address, register, written: entry.value, read: value)
    }
  }
}
