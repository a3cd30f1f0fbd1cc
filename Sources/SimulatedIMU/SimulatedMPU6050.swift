import IMUModel

/// An MPU-6050 as its register map (RM-MPU-6000A) and product specification (PS-MPU-6000A) describe
/// it.
///
///     oscillator ─► sampling ─► shadow registers ─► (not during a burst) ─► registers 3B…48 ─► bus
///
/// Time comes in with each call and never runs back. What happened since the last call is worked
/// out from the time, not stepped through.
///
/// Not there: the FIFO (its count is 0), self-test, the offset registers' effect, cycle mode, the
/// auxiliary bus, the motion processor.
struct SimulatedMPU6050: RegisterChip, Sendable, BitwiseCopyable {
  /// From power-on until the registers answer; 20 ms typical (PS 6.3).
  static let startUp: Int64 = 20_000_000
  /// From DEVICE_RESET until the bit clears itself. No data sheet says how long; drivers wait 1 to
  /// 100 ms.
  static let resetTime: Int64 = 5_000_000
  /// From wake-up until acceleration is right.
  static let accelerometerStartUp: Int64 = 20_000_000
  /// From wake-up until the angular rate is right.
  static let gyroscopeStartUp: Int64 = 60_000_000
  /// The gyroscope's own rate; all others are parts of it.
  static let baseHertz = 8000.0

  let identity: UInt8
  let oscillator: Oscillator
  let path: SignalPath

  var registers = RegisterFile()
  /// The instant from which the chip acknowledges its address.
  var usableFrom: Int64 = 0
  /// The instant at which the last DEVICE_RESET is through.
  var resetEnds: Int64 = 0

  /// What the output registers held when the configuration was last changed, and the tick of that
  /// sample.
  var held = RawSample()
  var heldTick: Int64 = 0
  /// Samples are made at ticks after this one.
  var startTick: Int64 = 0
  /// Samples up to this tick are garbage.
  var accelerometerSettled: Int64 = 0
  var gyroscopeSettled: Int64 = 0
  /// The newest sample at the last time when the data-ready bit was cleared.
  var acknowledgedTick: Int64 = 0
  var freeze: OutputFreeze?

  /// What the present burst sees: the shadow registers wait until it ends.
  var burst = RawSample()
  var burstTick: Int64 = 0

  /// A chip whose power came on at `instant`.
  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    identity = chip.identity
    oscillator = Oscillator(
      origin: instant,
      hertz: Self.baseHertz * (1 + Double(chip.clockErrorPartsPerMillion) * 1e-6))
    // Zero-g level ±50 mg in X and Y, ±80 mg in Z; zero-rate level ±20 °/s (PS 6.1, 6.2).
    path = SignalPath(
      chip: chip, source: source, origin: motionOrigin,
      accelerometerTolerance: SIMD3(0.05, 0.05, 0.08), gyroscopeTolerance: 20)
    powerOn(at: instant)
  }

  /// Power comes (back) on at `instant`: all registers are at reset, the chip is silent for a
  /// while.
  mutating func powerOn(at instant: Int64) {
    loadResetValues()
    usableFrom = instant + Self.startUp
    resetEnds = instant
    forgetOutputs(at: oscillator.tick(at: instant))
    accelerometerSettled = oscillator.tick(at: instant + Self.accelerometerStartUp)
    gyroscopeSettled = oscillator.tick(at: instant + Self.gyroscopeStartUp)
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

  /// The instant of the START condition's answer: whether the chip acknowledges its address.
  func acknowledges(at instant: Int64) -> Bool {
    instant >= usableFrom
  }

  mutating func forgetOutputs(at tick: Int64) {
    held = RawSample()
    heldTick = tick
    startTick = tick
    acknowledgedTick = tick
    if freeze?.kept == nil { freeze = nil }
  }
}
