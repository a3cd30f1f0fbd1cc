import IMUModel

/// Where bring-up of an MPU-6050 stands.
///
///     identify ─► reset ─► wake ─► configure ─► start ─► discard ─► settle ─► ready
///                  poll    retry                look
enum MPU6050BringUp: Equatable {
  /// Read the identity; a chip that is just being powered does not answer yet.
  case identify(attempt: Int)
  /// Wait for DEVICE_RESET to clear itself.
  case reset(polls: Int)
  /// Leave sleep; some chips ignore the first write.
  case wake(attempt: Int)
  /// Write and read back the configuration.
  case configure
  /// Wait for the gyroscope, so many nanoseconds more.
  case start(remaining: Int64)
  /// Throw away the first samples.
  case discard(count: Int, polls: Int)
  /// One sample period, so that the first tick finds a new sample.
  case settle
  /// Done.
  case ready
}

extension MPU6050Sensor where Bus: ~Copyable {
  /// Takes one step of bring-up.
  ///
  /// Waits: 5 ms and then 2 ms at a time for the reset, 5 ms from wake-up until registers can be
  /// written, the gyroscope's start-up of 60 ms (MPU-6500 and later: 70 ms), 3 ms for samples to
  /// discard. During the start-up the chip is looked at every 10 ms: another dip of the supply ends the attempt
  /// at once.
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
    while true {
      switch state {
      case .identify(let attempt):
        if let wait = try beginReset(attempt) { return wait }
      case .reset(let polls):
        if let wait = try pollReset(polls) { return wait }
      case .wake(let attempt):
        return try wake(attempt)
      case .configure:
        return try configure()
      case .start(let remaining):
        if let wait = try start(remaining) { return wait }
      case .discard(let count, let polls):
        return try discard(count, polls)
      case .settle:
        state = .ready
      case .ready:
        return .ready
      }
    }
  }

  private mutating func beginReset(_ attempt: Int) throws(SensorError) -> BringUpStep? {
    let register = MPU6050Register.identity
    let found: UInt8
    do throws(BusError) {
      found = try bus.readBurstPatiently(address, register: register.address, count: 1)[0]
    } catch {
      // Registers answer 100 ms after power-on at the latest (PS-MPU-6000A 6.3).
      guard error.isTransient, attempt < 20 else { throw .bus(model, register, error) }
      state = .identify(attempt: attempt + 1)
      return .wait(nanoseconds: 5_000_000)
    }
    guard found == identity else {
      throw .foreignIdentity(model, address: address, expected: identity, found: found)
    }
    try write(MPU6050Register.power1, MPU6050Register.Power1.deviceReset)
    state = .reset(polls: 0)
    return .wait(nanoseconds: 5_000_000)
  }

  private mutating func pollReset(_ polls: Int) throws(SensorError) -> BringUpStep? {
    let register = MPU6050Register.power1
    let limit = 50
    var value = MPU6050Register.Power1.deviceReset
    do throws(BusError) {
      value = try bus.readBurst(address, register: register.address, count: 1)[0]
    } catch {
      // A chip in reset need not answer.
      guard error.isTransient, polls < limit else { throw .bus(model, register, error) }
    }
    guard value & MPU6050Register.Power1.deviceReset != 0 else {
      state = .wake(attempt: 0)
      return nil
    }
    guard polls < limit else {
      throw .resetUnfinished(model, address: address, register, read: value)
    }
    state = .reset(polls: polls + 1)
    return .wait(nanoseconds: 2_000_000)
  }

  private mutating func wake(_ attempt: Int) throws(SensorError) -> BringUpStep {
    let register = MPU6050Register.power1
    try write(register, MPU6050Settings.awake)
    let value = try read(register)
    if value == MPU6050Settings.awake {
      state = .configure
      return .wait(nanoseconds: 5_000_000)
    }
    guard attempt < 2 else {
      throw .readBack(
        model, address: address, register, written: MPU6050Settings.awake, read: value)
    }
    state = .wake(attempt: attempt + 1)
    return .wait(nanoseconds: 100_000_000)
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
    return startSlice(of: settings.gyroscopeStartUp)
  }

  private mutating func startSlice(of remaining: Int64) -> BringUpStep {
    let slice = min(10_000_000, remaining)
    state = .start(remaining: remaining - slice)
    return .wait(nanoseconds: slice)
  }

  private mutating func start(_ remaining: Int64) throws(SensorError) -> BringUpStep? {
    try confirmInterrupts()
    guard remaining == 0 else { return startSlice(of: remaining) }
    state = .discard(count: 0, polls: 0)
    return nil
  }

  /// Throws when the chip no longer has what was written to it.
  private mutating func confirmInterrupts() throws(SensorError) {
    for (register, value) in [
      (MPU6050Register.interruptPin, MPU6050Register.InterruptPin.latched),
      (MPU6050Register.interruptEnable, MPU6050Register.Interrupt.dataReady),
    ] {
      let found = try read(register)
      guard found == value else {
        throw .readBack(model, address: address, register, written: value, read: found)
      }
    }
  }

  private mutating func discard(_ count: Int, _ polls: Int) throws(SensorError) -> BringUpStep {
    var sample = RawSample()
    let reading: Reading
    do throws(BusError) {
      reading = try read(into: &sample)
    } catch {
      throw .bus(model, MPU6050Register.interruptPin, error)
    }
    if reading == .doubtful { try confirmInterrupts() }
    let discarded = reading == .fresh ? count + 1 : count
    guard polls < 100 else {
      throw .noSamples(model, address: address, MPU6050Register.interruptStatus)
    }
    // The first may be from before the wait, the second is the first of the settled chip.
    state = discarded == 2 ? .settle : .discard(count: discarded, polls: polls + 1)
    return .wait(nanoseconds: 1_100_000)
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
