import IMUModel

/// An LSM6DSO as its data sheet (DS12140) and application note (AN5192, AN5130) describe it.
///
///     oscillator ─► samples ─► output registers, 16 bits at a time ─► bus
///
/// There are no shadow registers: a new sample goes into the output registers while they are read.
/// Block data update holds back each 16-bit pair of which one byte was read, and only that pair.
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
  let oscillator: Oscillator
  let path: SignalPath

  var registers = RegisterFile()
  /// The instant from which the chip acknowledges its address.
  var usableFrom: Int64 = 0
  /// The instant at which the last SW_RESET is through.
  var resetEnds: Int64 = 0

  var accelerometer = OutputStage()
  var gyroscope = OutputStage()
  var thermometer = OutputStage()
  /// The 16-bit output registers that wait for their other byte to be read.
  var lock = BlockUpdateLock()
  var freeze: OutputFreeze?

  /// A chip whose power came on at `instant`.
  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    identity = chip.identity
    let steps = (Double(chip.clockErrorPartsPerMillion) / Double(Self.frequencyStep)).rounded()
    frequencyFine = Int8(max(-128, min(127, steps)))
    // ODR_actual = 6667·(1 + 0.0015·INTERNAL_FREQ_FINE)/coefficient.
    oscillator = Oscillator(
      origin: instant, hertz: Self.baseHertz * (1 + 0.0015 * Double(frequencyFine)))
    // Zero-g level ±20 mg, zero-rate level ±1 °/s.
    path = SignalPath(
      chip: chip, source: source, origin: motionOrigin,
      accelerometerTolerance: SIMD3(repeating: 0.02), gyroscopeTolerance: 1)
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
    let first = oscillator.tick(at: instant)
    freeze = OutputFreeze(
      first: first, last: oscillator.tick(at: end), keepsDataReady: keepsDataReady,
      kept: survivesReset ? outputs(atTick: first) : nil)
  }

  /// The chip is through with booting.
  mutating func finishBoot(at instant: Int64) { usableFrom = instant }

  /// Whether the chip acknowledges its address at `instant`.
  func acknowledges(at instant: Int64) -> Bool {
    // CTRL4_C bit 2 switches the I2C interface off: only power brings it back.
    instant >= usableFrom && registers[Self.control4] & 0x04 == 0
  }

  mutating func reset(at tick: Int64) {
    loadResetValues()
    accelerometer = OutputStage(at: tick)
    gyroscope = OutputStage(at: tick)
    thermometer = OutputStage(at: tick)
    lock = BlockUpdateLock()
    if freeze?.kept == nil { freeze = nil }
  }
}
