import IMUModel

/// An LSM6DSO as its data sheet (DS12140) and application note (AN5192, AN5130) describe it.
///
/// Time comes in with each call and never runs back. What happened since the last call is worked
/// out from the time, not stepped through.
///
/// Not there: the FIFO (its count is 0), time stamp, self-test, user offsets, high-pass filters,
/// embedded functions (their bank reads 0), I3C.
struct SimulatedLSM6DSO: RegisterChip, Sendable, BitwiseCopyable {
  /// From power-on, or BOOT, until the chip answers: 15 ms (AN5130).
  static let bootTime: Int64 = 15_000_000
  /// From SW_RESET until the bit clears itself: 50 µs (AN5130).
  static let resetTime: Int64 = 50_000
  /// From power-down until the gyroscope's first samples, which are yet to settle: 70 ms (AN5130).
  static let gyroscopeTurnOn: Int64 = 70_000_000
  /// The fastest output data rate; all others are parts of it.
  static let baseHertz = 6667.0
  /// A step of INTERNAL_FREQ_FINE in parts per million.
  static let frequencyStep = 1500

  let identity: UInt8
  /// INTERNAL_FREQ_FINE; 0 and absent in the relatives that have no such register.
  let frequencyFine: Int8

  var registers = RegisterFile()
  /// The instant from which the chip acknowledges its address.
  var usableFrom: Int64 = 0
  /// The instant at which the last SW_RESET is through.
  var resetEnds: Int64 = 0

  var stages: OutputStages

  /// A chip whose power came on at `instant`.
  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    identity = chip.identity
    let steps = (Double(chip.clockErrorPartsPerMillion) / Double(Self.frequencyStep)).rounded()
    frequencyFine = Int8(max(-128, min(127, steps)))
    // ODR_actual = 6667·(1 + 0.0015·INTERNAL_FREQ_FINE)/coefficient.
    stages = OutputStages(
      oscillator: Oscillator(
        origin: instant, hertz: Self.baseHertz * (1 + 0.0015 * Double(frequencyFine))),
      // Zero-g level ±20 mg, zero-rate level ±1 °/s.
      path: SignalPath(
        chip: chip, source: source, origin: motionOrigin,
        accelerometerTolerance: SIMD3(repeating: 0.02), gyroscopeTolerance: 1))
    powerOn(at: instant)
  }

  /// Power comes (back) on at `instant`: all registers are at reset, the chip is silent for a
  /// while.
  mutating func powerOn(at instant: Int64) {
    usableFrom = instant + Self.bootTime
    resetEnds = instant
    reset(at: oscillator.tick(at: instant))
  }

  /// Output registers hold still from `instant` on.
  mutating func freezeOutputs(
    from instant: Int64, to end: Int64, keepsDataReady: Bool, survivesReset: Bool
  ) {
    stages.freeze(
      from: instant, to: end, keepsDataReady: keepsDataReady, survivesReset: survivesReset)
  }

  var oscillator: Oscillator { stages.oscillator }

  func outputs(atTick tick: Int64) -> RawSample { stages.outputs(atTick: tick) }

  /// The chip is through with booting.
  mutating func finishBoot(at instant: Int64) { usableFrom = instant }

  /// Whether the chip acknowledges its address at `instant`.
  func acknowledges(at instant: Int64) -> Bool {
    // CTRL4_C bit 2 switches the I2C interface off: only power brings it back.
    instant >= usableFrom && registers[Self.control4] & 0x04 == 0
  }

  mutating func reset(at tick: Int64) {
    loadResetValues()
    stages.reset(at: tick)
  }
}

extension SimulatedLSM6DSO {
  // Register numbers (DS12140 section 8).
  static let functionAccess: UInt8 = 0x01
  static let pinControl: UInt8 = 0x02
  static let whoAmI: UInt8 = 0x0F
  static let control1: UInt8 = 0x10
  static let control2: UInt8 = 0x11
  static let control3: UInt8 = 0x12
  static let control4: UInt8 = 0x13
  static let control6: UInt8 = 0x15
  static let control7: UInt8 = 0x16
  static let control8: UInt8 = 0x17
  static let control9: UInt8 = 0x18
  static let control10: UInt8 = 0x19
  static let status: UInt8 = 0x1E
  static let firstOutput: UInt8 = 0x20
  static let lastOutput: UInt8 = 0x2D
  static let internalFrequencyFine: UInt8 = 0x63
  static let fifoTag: UInt8 = 0x78
  static let fifoEnd: UInt8 = 0x7E

  /// Whether the relative has the LSM6DSO's newer registers, and not those of LSM6DS3 and LSM6DSL.
  private var isNewGeneration: Bool { identity != 0x69 && identity != 0x6A }

  /// The bits that a write changes; 0 for registers that are read-only, reserved or absent.
  private static func writableBits(_ register: UInt8) -> UInt8 {
    switch register {
    case functionAccess: return 0xE0
    case pinControl: return 0xFF
    case 0x06...0x0C: return 0xFF  // FIFO control, COUNTER_BDR
    case 0x0D, 0x0E: return 0xFF  // interrupt pins
    case control1, control2: return 0xFF
    case control3: return 0xFD  // bit 1 (byte order) went with the LSM6DSO
    case control4...control10: return 0xFF
    case 0x56...0x5F: return 0xFF  // taps, wake-up, free fall, interrupt routing
    case 0x62: return 0x19
    case 0x73...0x75: return 0xFF  // user offsets
    default: return 0
    }
  }

  mutating func loadResetValues() {
    registers = RegisterFile()
    registers[Self.whoAmI] = identity
    registers[Self.control3] = 0x04
    if isNewGeneration {
      registers[Self.pinControl] = 0x3F
      registers[Self.control9] = 0xE0
      registers[Self.internalFrequencyFine] = UInt8(bitPattern: frequencyFine)
    } else if identity == 0x69 {
      registers[Self.control9] = 0x38
      registers[Self.control10] = 0x38
    }
  }

  /// Whether register numbers mean something else just now: a bank of embedded functions.
  private var isOtherBank: Bool { registers[Self.functionAccess] != 0 }

  /// The byte in `register`, fetched at `instant`.
  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    if isOtherBank { return register == Self.functionAccess ? registers[register] : 0 }
    switch register {
    // With DRDY_MASK, CTRL4_C bit 3, a sensor that has yet to settle raises nothing.
    case Self.status:
      return stages.status(
        atTick: oscillator.tick(at: instant), masksUnsettled: registers[Self.control4] & 0x08 != 0)
    case Self.firstOutput...Self.lastOutput:
      let offset = Int(register - Self.firstOutput)
      // BDU, CTRL3_C bit 6.
      return stages.fetch(
        offset / 2, isHigh: offset % 2 == 1, atTick: oscillator.tick(at: instant),
        holdsPairs: registers[Self.control3] & 0x40 != 0)
    case Self.control3: return registers[register] | (instant < resetEnds ? 0x01 : 0)
    default: return registers[register]
    }
  }

  /// The register after `register` in a burst: the same without IF_INC; the FIFO's words go round.
  func successor(of register: UInt8) -> UInt8 {
    guard registers[Self.control3] & 0x04 != 0 else { return register }
    return register == Self.fifoEnd ? Self.fifoTag : register &+ 1
  }

  /// A write of `value` that is through at `instant`. During a reset, writes are lost.
  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    guard instant >= resetEnds, !isOtherBank || register == Self.functionAccess else { return }
    let tick = oscillator.tick(at: instant)
    if register == Self.control3, value & 0x01 != 0 {
      reset(at: tick)
      resetEnds = instant + Self.resetTime
      return
    }
    let writable = Self.writableBits(register)
    let content = registers[register] & ~writable | value & writable
    switch register {
    case Self.control1, Self.control2, Self.control4, Self.control6...Self.control8:
      reconfigure(register, content, at: instant)
    case Self.control3:
      // BOOT loads the trim again and keeps the control registers.
      if content & 0x80 != 0 { usableFrom = instant + Self.bootTime }
      registers[register] = content & 0x7E
      if content & 0x40 == 0 { stages.unlock() }
    default: registers[register] = content
    }
  }

  /// Takes over `content` into a register that governs sampling.
  private mutating func reconfigure(_ register: UInt8, _ content: UInt8, at instant: Int64) {
    let tick = oscillator.tick(at: instant)
    stages.hold(atTick: tick)
    let before = self
    registers[register] = content
    stages.accelerometer.period = accelerometerPeriod
    stages.accelerometer.sensitivity = countsPerG
    stages.accelerometer.deviation = accelerometerNoise
    stages.gyroscope.period = gyroscopePeriod
    stages.gyroscope.sensitivity = countsPerDegree
    stages.gyroscope.deviation = gyroscopeNoise
    stages.thermometer.period = thermometerPeriod
    // 256 LSB/°C; LSM6DS3 and LSM6DS33 16 LSB/°C.
    stages.thermometer.sensitivity = identity == 0x69 ? 16 : 256

    if accelerometerPeriod > 0, accelerometerModes != before.accelerometerModes {
      stages.accelerometer.settled = tick + Int64(accelerometerDiscards) * accelerometerPeriod
    }
    if gyroscopePeriod > 0, gyroscopeModes != before.gyroscopeModes {
      let wasOff = before.registers[Self.control2] >> 4 == 0
      let begin = wasOff ? oscillator.tick(at: instant + Self.gyroscopeTurnOn) : tick
      stages.gyroscope.settled = begin + Int64(gyroscopeDiscards) * gyroscopePeriod
    }
  }
}
