import IMUModel

/// Where bring-up of an LSM6DS stands.
///
///     identify ─► reset ─► start ─► discard ─► settle ─► ready
///                  poll, then configure
enum LSM6DSBringUp: Equatable {
  /// Read the identity; a chip that boots does not answer yet.
  case identify(attempt: Int)
  /// Wait for SW_RESET to clear itself, then configure.
  case reset(polls: Int)
  /// Wait for the sensors, so many nanoseconds more.
  case start(remaining: Int64)
  /// Throw away the first sample.
  case discard(polls: Int)
  /// One sample period, so that the first tick finds a new sample.
  case settle
  /// Done.
  case ready
}

extension LSM6DSSensor where Bus: ~Copyable {
  /// Takes one step of bring-up.
  ///
  /// Waits: 50 µs and then 1 ms at a time for the reset, 70 ms for the gyroscope (35 ms for the
  /// accelerometer alone) and the samples that filters need to settle, two sample periods. While the sensors
  /// turn on, the chip is looked at every 10 ms: another dip of the supply ends the attempt at once.
  public mutating func bringUp() throws(SensorError) -> BringUpStep {
    do throws(SensorError) {
      return try step()
    } catch {
      restart()
      throw error
    }
  }

  /// Forgets the chip's state, so that bring-up begins anew.
  public mutating func restart() {
    state = .identify(attempt: 0)
    last = Burst()
  }

  private mutating func step() throws(SensorError) -> BringUpStep {
    switch state {
    case .identify(let attempt):
      return try beginReset(attempt)
    case .reset(let polls):
      return try pollReset(polls)
    case .start(let remaining):
      return try start(remaining)
    case .discard(let polls):
      return try discard(polls)
    case .settle:
      state = .ready
      return .ready
    case .ready:
      return .ready
    }
  }

  private mutating func beginReset(_ attempt: Int) throws(SensorError) -> BringUpStep {
    let register = LSM6DSRegister.identity
    let found: UInt8
    do throws(BusError) {
      found = try bus.readBurstPatiently(address, register: register.address, count: 1)[0]
    } catch {
      // Booting takes 15 ms (AN5130 5.6); the supply may still rise.
      guard error.isTransient, attempt < 20 else { throw .bus(model, register, error) }
      state = .identify(attempt: attempt + 1)
      return .wait(nanoseconds: 5_000_000)
    }
    guard found == identity else {
      throw .foreignIdentity(model, address: address, expected: identity, found: found)
    }
    try write(LSM6DSRegister.bank, 0x00)
    if LSM6DSGeneration(model).hasI3C {
      try write(LSM6DSRegister.control9, LSM6DSRegister.Control9.i3cDisabled)
    }
    // The reset wants the gyroscope in power-down and the accelerometer in high performance (AN5130
    // 5.6).
    try write(LSM6DSRegister.control2, 0x00)
    try write(LSM6DSRegister.control6, 0x00)
    try write(LSM6DSRegister.control1, LSM6DSDataRate.hertz416.rawValue << 4)
    try write(LSM6DSRegister.control3, LSM6DSRegister.Control3.softwareReset)
    state = .reset(polls: 0)
    return .wait(nanoseconds: 50_000)
  }

  private mutating func pollReset(_ polls: Int) throws(SensorError) -> BringUpStep {
    let register = LSM6DSRegister.control3
    let limit = 50
    var value = LSM6DSRegister.Control3.softwareReset
    do throws(BusError) {
      value = try bus.readBurst(address, register: register.address, count: 1)[0]
    } catch {
      // A chip in reset need not answer.
      guard error.isTransient, polls < limit else { throw .bus(model, register, error) }
    }
    guard value & LSM6DSRegister.Control3.softwareReset != 0 else { return try configure() }
    guard polls < limit else {
      throw .resetUnfinished(model, address: address, register, read: value)
    }
    state = .reset(polls: polls + 1)
    return .wait(nanoseconds: 1_000_000)
  }

  private mutating func configure() throws(SensorError) -> BringUpStep {
    for index in 0..<settings.writes.count {
      let entry = settings.writes[index]
      try write(model.family.register(entry.register), entry.value)
    }
    for index in 0..<image.count {
      let entry = image[index]
      let register = model.family.register(entry.register)
      let value = try read(register)
      guard value == entry.value else {
        throw .readBack(model, address: address, register, written: entry.value, read: value)
      }
    }
    return startSlice(of: settings.turnOn)
  }

  private mutating func startSlice(of remaining: Int64) -> BringUpStep {
    let slice = min(10_000_000, remaining)
    state = .start(remaining: remaining - slice)
    return .wait(nanoseconds: slice)
  }

  private mutating func start(_ remaining: Int64) throws(SensorError) -> BringUpStep {
    try confirmDataRate()
    guard remaining == 0 else { return startSlice(of: remaining) }
    return try discard(0)
  }

  /// Throws when the chip no longer has what was written to it: without its accelerometer's data rate it was reset.
  private mutating func confirmDataRate() throws(SensorError) {
    let register = LSM6DSRegister.control1
    let written = settings.control1
    let found = try read(register)
    guard found == written else {
      throw .readBack(model, address: address, register, written: written, read: found)
    }
  }

  private mutating func discard(_ polls: Int) throws(SensorError) -> BringUpStep {
    var sample = RawSample()
    let reading: Reading
    do throws(BusError) {
      reading = try read(into: &sample)
    } catch {
      throw .bus(model, model.family.register(error.register), error)
    }
    if reading != .fresh { try confirmDataRate() }
    guard reading == .fresh || polls < 100 else {
      throw .noSamples(model, address: address, LSM6DSRegister.status)
    }
    state = reading == .fresh ? .settle : .discard(polls: polls + 1)
    return .wait(nanoseconds: settings.dataRate.periodNanoseconds * 11 / 10)
  }

  private mutating func write(_ register: Register, _ value: UInt8) throws(SensorError) {
    do throws(BusError) {
      try bus.writePatiently(address, register: register.address, value: value)
    } catch {
      throw .bus(model, register, error)
    }
  }

  private mutating func read(_ register: Register) throws(SensorError) -> UInt8 {
    do throws(BusError) {
      return try bus.readBurstPatiently(address, register: register.address, count: 1)[0]
    } catch {
      throw .bus(model, register, error)
    }
  }
}
